/** The visitor's account, with the forms that change it, and the public page of a person. */
import type { Answer } from "../../edge/answers/answer.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { entranceOf, mayInvite } from "../../edge/identity/sign-in.ts"
import { type Html, html, to, readPath } from "../html.ts"
import { act } from "../parts/actions.ts"
import { type Invited, invitationState } from "./admin-people.ts"
import { stateBadge, tokenOver } from "../parts/marks.ts"
import {
  list,
  section,
  nextPage,
  recordItem,
  actionButton,
  actionsHead,
  empty,
  facts,
  heading,
  label,
  lastUse,
  table,
  time,
  ways,
  confirmButton,
} from "../parts/parts.ts"
import { redirected, type Shown, type Visit } from "../visit.ts"
import { permittedInWords, reachInWords, shortened } from "../words.ts"
import { providerSection, field } from "./entrance.ts"
import { limits } from "../../contract/limits.ts"
import type { Refusal } from "../../contract/refusals.ts"
import { orcidAddress, shownName } from "../../contract/nouns/people.ts"
import { aboutPerson } from "../about.ts"

export const passwordForm = (refusal?: Refusal): Html => {
  const common = { type: "password", maxlength: limits.passwordMax }
  return html`<form class="stack" method="post" action="${to("/web/password")}">
    ${field("currentPassword", "Current password", { ...common, autocomplete: "current-password" }, refusal)}
    ${field(
      "password",
      "New password",
      { ...common, autocomplete: "new-password" },
      refusal,
      `At least ${limits.passwordMin} characters. Every other browser is signed out.`,
    )}
    <div class="buttons"><button class="quiet">Change the password</button></div></form>`
}

/** The fields for how a person is cited: name, label and hint. */
export const citationFields = [
  ["name", "Name", "As you want to be cited, such as Ada Lovelace. If left empty, your user name is used."],
  ["givenName", "Given names", "With a family name, for citation styles that sort or abbreviate names."],
  ["familyName", "Family name", undefined],
  ["orcid", "ORCID", "Such as 0000-0002-1825-0097. It is shown as your own statement and is not checked with ORCID."],
] as const

export const descriptionForm = (values: Readonly<Record<string, string | null>>, refusal?: Refusal): Html =>
  html`<form class="stack" method="post" action="${to("/web/description")}">
    ${citationFields.map(([name, text, hint]) =>
      field(
        name,
        text,
        { required: false, value: values[name] ?? "", maxlength: limits.title, autocomplete: "off" },
        refusal,
        hint,
      ),
    )}
    <div class="buttons"><button class="quiet">Save</button></div></form>`

function keyRow(key: AnswerOf<"library_keys">["items"][number], now: number): Html {
  const { keyId, label, permissions, reach, tokenStart, expiresAt, revokedAt, lastUsedAt } = key
  const over = tokenOver(key, now)
  return html`<tr><th scope="row">${label}\
${
  tokenStart === null
    ? null
    : html`<br><code class="quiet" title="The first characters of its token">${tokenStart}…</code>`
}</th><td>${permittedInWords(permissions)}</td><td data-is="reach">${reachInWords[reach]}</td>\
<td data-is="expires">${over ?? time(expiresAt)}</td>
    <td data-is="last used">${lastUse(lastUsedAt)}</td>
    <td>${
      revokedAt === null
        ? confirmButton(
            html`Revoke<span class="aside"> ${label}</span>`,
            `“${label}” stops working at once. You stay signed in.`,
            actionButton("revoke_key", { keyId }, html`Revoke ${label}`, { danger: true, next: "/account" }),
          )
        : null
    }</td>
    </tr>`
}

const invite = html`<p>The link makes an account without a Room. To invite somebody into a Room, its owner uses the \
Room's People page.</p>
  <form method="post" action="${to("/web/invite")}"><button class="quiet">Make an invitation link</button></form>`

/** How many of a person's invitations are listed: the newest. */
const MOST_INVITATIONS = 20

/** A person's own invitations, with what became of each. @param roomId the Room, if only those into it are listed */
export function sentInvitations(visit: Visit, roomId?: string): Html | null {
  const { person, edge } = visit
  const sent = person === undefined ? [] : visit.tables.invitations.sentBy(person.userId, MOST_INVITATIONS)
  const now = edge.instance.world.now()
  const row = (each: Invited) =>
    html`<tr><td>${time(each.createdAt)}</td><td data-is="into">${each.title ?? "the service"}</td>\
<td>${invitationState(each, now)}</td></tr>`
  const listed = sent.filter((each) => roomId === undefined || each.roomId === roomId).map(row)
  return listed.length === 0 ? null : table("Your invitations", ["Made", "Into", "Status"], listed, "stacked")
}

const MOST_ROOMS = 100

export function accountPage(visit: Visit): Shown | Answer {
  const { person, edge } = visit
  if (person === undefined) return redirected(visit, "/sign-in?next=/account")
  const { tables } = edge.instance
  const { items: keys } = visit.ask("library_keys")
  const { name, givenName, familyName, orcid } = visit.ask("person", { username: person.userId })
  const rooms = tables.members.roomsOf(person.userId, MOST_ROOMS + 1)
  const assigned = list(
    "",
    tables.experiments.assignedTo(person.userId),
    ({ experimentId, label: text, status }) =>
      html`<li>${label("experiment", experimentId, text)} ${stateBadge(status)} \
${shortened(tables.experiments.read(experimentId)?.question ?? "", 120)}</li>`,
    empty("You are not working on an experiment."),
  )
  const roomRows = rooms.slice(0, MOST_ROOMS).map(
    ({ roomId, title, role }) =>
      html`<tr><td><a href="${to(`/rooms/${roomId}`)}" dir="auto">${title}</a></td>
  <td>${role}</td><td><a href="${to(`/rooms/${roomId}/people`)}">people and credentials</a></td></tr>`,
  )
  const keyRows = keys.map((key) => keyRow(key, edge.instance.world.now()))
  const hasPassword = entranceOf(edge).passwords && edge.instance.byProvider.signInMethods(person.userId).password
  return {
    title: "Account",
    body: html`<div class="heading"><h1>${person.username}</h1>\
<form class="beside narrow-only" method="post" action="${to("/web/sign-out")}">\
<button class="quiet">Sign out</button></form></div>\
${facts([["Role here", person.isOperator ? "operator of this service" : "person"]])}
${section(
  "description",
  "How you are cited",
  descriptionForm({ name, givenName, familyName, orcid }),
  html`<a href="${to(`/people/${person.username}`)}">your page</a>`,
)}
${hasPassword ? section("change-password", "Password", passwordForm()) : null}${providerSection(visit)}
${section("work", "Your experiments", assigned)}
<section aria-labelledby="rooms">\
${heading(2, "rooms", "Your Rooms", html`<a class="button quiet" href="${to("/do/create_room")}">Create a Room</a>`)}${
  rooms.length === 0
    ? empty("You are not a member of a Room yet. Open one and ask to join, or create your own.")
    : table("Rooms", ["Room", "Role", ""], roomRows)
}${
  rooms.length > MOST_ROOMS
    ? html`<p class="hint">These are the ${MOST_ROOMS} Rooms that you joined last. You can find the others on the \
<a href="${to("/")}">first page</a>.</p>`
    : null
}</section>
<section aria-labelledby="keys">${heading(2, "keys", "Personal keys", act("issue_key", {}, "Issue a personal key"))}\
<p class="hint">With a key, your agent can read your Library and file papers in it. A key gives no access to Rooms.</p>
  ${
    keys.length === 0
      ? empty("No personal key yet.")
      : table("Personal keys", ["Label", "May", "Reach", "Expires", "Last use", actionsHead], keyRows, "stacked")
  }</section>
${mayInvite(edge, person) ? section("invite", "Invite a person", html`${invite}${sentInvitations(visit)}`) : null}`,
  }
}

export function personPage(visit: Visit): Shown {
  const person = visit.ask("person", { username: visit.id("username") })
  const { userId, username, orcid } = person
  const path = `/people/${encodeURIComponent(username)}`
  const { items, nextCursor } = visit.ask("publications", {}, { author: userId, after: visit.parameter("after") })
  const json = readPath("person", { username })
  const rooms = visit.tables.rooms.titles([...new Set(items.map(({ roomId }) => roomId))])
  // Labels begin again in each Room.
  const inRoom = ({ roomId }: (typeof items)[number]) =>
    html`<span>in <a href="${to(`/rooms/${roomId}`)}" dir="auto">\
${shortened(rooms.get(roomId) ?? "another Room", 60)}</a></span>`
  return {
    title: shownName(person),
    json,
    about: aboutPerson(person),
    body: html`<h1>${shownName(person)}</h1>${facts([
      ["Name here", username],
      [
        "ORCID",
        orcid &&
          html`<a rel="me noopener" href="${orcidAddress(orcid)}">${orcidAddress(orcid)}</a>, by their own statement`,
      ],
      ["From", person.instanceId && "another instance, by its own statement"],
    ])}
${section(
  "records",
  "Records",
  html`${list("cards", items, (record) => recordItem(record, inRoom(record)), empty("No records published yet."))}\
${nextPage(visit, nextCursor)}`,
)}
${ways([
  ["Feed", `${path}/feed.atom`],
  ["JSON", json],
])}`,
  }
}
