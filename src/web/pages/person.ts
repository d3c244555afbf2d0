/** The page of a person: how they want to be cited, and their records. */
import { orcidAddress, shownName } from "../../contract/answers/description.ts"
import { aboutPerson } from "../about.ts"
import { readPath, withQuery } from "../addresses.ts"
import { html, to } from "../html.ts"
import { markdownInLink } from "../markdown.ts"
import { stateBadge } from "../parts/marks.ts"
import { empty, facts, heading, label, more, ways } from "../parts/parts.ts"
import type { Shown, Visit } from "../visit.ts"
import { words } from "../words.ts"

export function personPage(visit: Visit): Shown {
  const person = visit.ask("person", { username: visit.id("username") })
  const { userId, username, orcid } = person
  const path = `/people/${encodeURIComponent(username)}`
  const after = visit.url.searchParams.get("after") ?? undefined
  const { items, nextCursor } = visit.ask("publications", {}, { author: userId, after })
  const json = readPath("person", { username })
  return {
    title: shownName(person),
    json,
    about: aboutPerson(person),
    body: html`<h1>${shownName(person)}</h1>${facts([
      ["Name here", username],
      orcid === null
        ? null
        : ["ORCID", html`<a rel="me noopener" href="${orcidAddress(orcid)}">${orcidAddress(orcid)}</a>, by their own statement`],
      person.instanceId === null ? null : ["From", "another instance, by its own statement"],
    ])}
<section aria-labelledby="records">${heading(2, "records", "Records")}${
      items.length === 0
        ? empty("They have not published a record.")
        : html`<ul class="cards">${items.map(
            (record) =>
              html`<li><p class="meta"><span>${label(record.kind, record.versionId, record.label)} ${words(record.kind)}</span>${
                record.status === "current" ? null : html`<span>${stateBadge(record.status)}</span>`
              }</p>
  <a class="wording" href="${to(`/records/${record.versionId}`)}" dir="auto">${markdownInLink(record.wording)}</a></li>`,
          )}</ul>`
    }${more(nextCursor === null ? null : withQuery(path, { after: nextCursor }))}</section>
${ways([
  ["Feed", `${path}/feed.atom`],
  ["JSON", json],
])}`,
  }
}
