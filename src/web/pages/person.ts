/** The page of a person: how they want to be cited, and their records. */
import { orcidAddress, shownName } from "../../contract/answers/description.ts"
import { aboutPerson } from "../about.ts"
import { readPath } from "../addresses.ts"
import { html } from "../html.ts"
import { list, nextPage, recordItem, section } from "../parts/lists.ts"
import { empty, facts, ways } from "../parts/parts.ts"
import type { Shown, Visit } from "../visit.ts"

export function personPage(visit: Visit): Shown {
  const person = visit.ask("person", { username: visit.id("username") })
  const { userId, username, orcid } = person
  const path = `/people/${encodeURIComponent(username)}`
  const { items, nextCursor } = visit.ask("publications", {}, { author: userId, after: visit.parameter("after") })
  const json = readPath("person", { username })
  return {
    title: shownName(person),
    json,
    about: aboutPerson(person),
    body: html`<h1>${shownName(person)}</h1>${facts([
      ["Name here", username],
      ["ORCID", orcid && html`<a rel="me noopener" href="${orcidAddress(orcid)}">${orcidAddress(orcid)}</a>, by their own statement`],
      ["From", person.instanceId && "another instance, by its own statement"],
    ])}
${section("records", "Records", html`${list("cards", items, (record) => recordItem(record, null), empty("They have not published a record."))}${nextPage(visit, nextCursor)}`)}
${ways([
  ["Feed", `${path}/feed.atom`],
  ["JSON", json],
])}`,
  }
}
