/** The people of a Room: members, requests to join and credentials; and what an owner does with them. */
import { orcidAddress } from "../../contract/nouns/people.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { mayInvite } from "../../edge/identity/sign-in.ts"
import { permissionMeanings } from "../../contract/schema/enumerations.ts"
import { pathOf, readPath, attributes, type Content, type Html, html, to } from "../html.ts"
import { doneBy } from "../../contract/operations/receipts.ts"
import { doneTo } from "../parts/timeline.ts"
import { act, roleIn, whyNot } from "../parts/actions.ts"
import { roomBanners, roomRail } from "../parts/room-frame.ts"
import {
  list,
  section,
  actionButton,
  actionsHead,
  confirmButton,
  empty,
  exactTime,
  heading,
  lastUse,
  person,
  table,
  time,
} from "../parts/parts.ts"
import { expiring, tokenState } from "../parts/marks.ts"
import { settingsPath } from "./room-settings.ts"
import { sentInvitations } from "./account.ts"
import { orNull, type Shown, type Visit } from "../visit.ts"
import { counted, permittedInWords, words } from "../words.ts"
import { joining } from "../parts/waiting.ts"

function members(visit: Visit, room: AnswerOf<"room">): Html {
  const role = roleIn(visit, room)
  const isIn = role === "owner" || role === "member"
  const memberActions = (userId: string, username: string, theirs: string): Content => {
    if (theirs === "owner") return null
    if (role === "owner")
      return html`<div class="actions">${confirmButton(
        html`Make owner<span class="aside">: ${username}</span>`,
        `They become the owner and you stay a member. The Room's activity shows it.`,
        actionButton("transfer_room", { roomId: room.roomId, userId }, html`Make ${username} the owner`, {
          danger: true,
          next: `/rooms/${room.roomId}/people`,
        }),
        false,
      )}${confirmButton(
        html`Remove<span class="aside"> ${username}</span>`,
        "Their credentials here end at once. What they wrote stays under their name.",
        actionButton("remove_member", { roomId: room.roomId, userId }, html`Remove ${username}`, { danger: true }),
      )}</div>`
    return userId === visit.person?.userId
      ? confirmButton(
          "Leave the Room",
          "Your credentials here end at once. What you wrote stays under your name. " +
            "Only the owner can let you in again.",
          actionButton("remove_member", { roomId: room.roomId, userId }, "Leave the Room", { danger: true }),
        )
      : null
  }
  return html`<section aria-labelledby="members">${heading(2, "members", "Members")}${table(
    "Members",
    ["Name", "Role", "Since", ...(isIn ? [actionsHead] : [])],
    room.members.map(
      ({ userId, username, name, orcid, role: theirs, joinedAt }) =>
        html`<tr><th scope="row">${person({ username })}\
${name === null ? null : html` <span class="quiet">${name}</span>`}\
${orcid === null ? null : html` <a class="meta" rel="noopener" href="${orcidAddress(orcid)}">ORCID ${orcid}</a>`}</th>
    <td>${theirs}</td><td data-is="joined">${time(joinedAt)}</td>
    ${isIn ? html`<td>${memberActions(userId, username, theirs)}</td>` : null}</tr>`,
    ),
    "stacked",
  )}
${
  role === "owner"
    ? html`<div class="actions">${act("add_member", { roomId: room.roomId }, "Add a person who has an account")}\
${
  visit.person &&
  mayInvite(visit.edge, visit.person) &&
  html`<form class="inline" method="post" action="${to("/web/invite")}">\
<input type="hidden" name="roomId" value="${room.roomId}"><button class="quiet">Invite a new person</button></form>`
}</div>${sentInvitations(visit, room.roomId)}`
    : whyNot(visit, room)
}</section>`
}

const request = (
  roomId: string,
  { person: who, message, requestedAt }: AnswerOf<"join_requests">["items"][number],
): Html => html`<li>${person(who)} asked ${time(requestedAt)}${joining({ roomId, ...who, message })}</li>`

type Credential = AnswerOf<"credentials">["items"][number]

function credentialRow(
  visit: Visit,
  roomId: string,
  {
    credentialId,
    label,
    owner,
    permissions,
    threadIds,
    tokenStart,
    expiresAt,
    revokedAt,
    lastUsedAt,
    lastWrite,
  }: Credential,
): Html {
  const now = visit.edge.instance.world.now()
  const over = tokenState({ revokedAt, expiresAt }, now)
  const own = owner.userId === visit.person?.userId
  return html`<tr><th scope="row">${label}\
${
  tokenStart === null
    ? null
    : html`<br><code class="quiet" title="The first characters of its token">${tokenStart}…</code>`
}</th><td data-is="of">${person(owner)}</td>
    <td title="${permissions.map((permission) => permissionMeanings[permission]).join(" ")}">\
${permittedInWords(permissions)}\
${threadIds === null ? null : html` <span class="tag">${counted(threadIds.length, "Thread")} only</span>`}</td>
    <td>${over}</td><td data-is="${expiring(expiresAt, now)}">${time(expiresAt)}</td>
    <td data-is="last used">${lastUse(lastUsedAt)}</td>
    <td data-is="wrote last">\
${
  lastWrite === null
    ? html`<span class="quiet">nothing</span>`
    : html`${doneTo(
        doneBy(lastWrite.operation),
        lastWrite.target,
        pathOf(lastWrite.target.kind, lastWrite.target.id),
      )}, ${time(lastWrite.at)}`
}</td>
    <td>${
      revokedAt === null
        ? html`<div class="actions">\
${
  own
    ? actionButton("rotate_credential", { roomId, credentialId }, html`New token<span class="aside"> ${label}</span>`)
    : null
}${confirmButton(
  html`Revoke<span class="aside"> ${label}</span>`,
  html`“${label}” stops working at once. What it wrote stays; ${owner.username} stays a member.`,
  actionButton("revoke_credential", { roomId, credentialId }, html`Revoke ${label}`, { danger: true }),
)}</div>`
        : null
    }</td>
    </tr>`
}

const credentials = (visit: Visit, roomId: string, { items }: AnswerOf<"credentials">): Html =>
  html`<section aria-labelledby="credentials">\
${heading(
  2,
  "credentials",
  "Credentials for agents",
  html`<a href="${to(`/rooms/${roomId}/connect`)}">Bring an agent</a>`,
)}
<p class="hint">An agent writes with a member's credential, in this Room only. The agent's name is public and is shown \
beside the member's name wherever the agent writes. A token is shown once, and only its digest is kept.</p>
${
  items.length === 0
    ? empty(
        "No credential yet.",
        Object.entries(permissionMeanings).map(
          ([permission, meaning]) => html`<p><strong>${words(permission)}</strong>: ${meaning}</p>`,
        ),
      )
    : table(
        "Credentials",
        ["Agent", "Of", "May", "State", "Expires", "Last use", "Wrote last", actionsHead],
        items.map((credential) => credentialRow(visit, roomId, credential)),
        "stacked",
      )
}</section>`

export function peoplePage(visit: Visit): Shown {
  const roomId = visit.id("roomId")
  const room = visit.ask("room", { roomId })
  const role = roleIn(visit, room)
  const asking = role === "owner" ? orNull(() => visit.ask("join_requests", { roomId })) : null
  const issued = role === "owner" || role === "member" ? orNull(() => visit.ask("credentials", { roomId })) : null
  return {
    title: `People · ${room.title}`,
    rail: roomRail(room, "/people"),
    json: readPath("room", { roomId }),
    wide: true,
    body: html`<h1>People</h1>
      ${roomBanners(room)}${members(visit, room)}${
        asking &&
        section(
          "requests",
          "Requests to join",
          list("cards", asking.items, (each) => request(roomId, each), empty("There are no requests to join.")),
        )
      }${issued === null ? null : credentials(visit, roomId, issued)} ${
        role === "owner" && html`<p class="meta"><a href="${to(settingsPath(roomId))}">Settings of the Room</a></p>`
      }
<p class="meta"${attributes({ hidden: role !== "nobody" })}>Created ${exactTime(room.createdAt)}</p>`,
  }
}
