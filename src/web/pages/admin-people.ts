/** The operator's lists of people, and of the credentials, keys and invitations that give them access, with the actions on each. */
import { type Content, type Html, html, to } from "../html.ts"
import type { OperatorAction } from "../../contract/operations/actions.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { stateBadge, tokenOver, tokenState } from "../parts/marks.ts"
import { actionsHead, confirmButton, exactTime, lastUse, table, time } from "../parts/parts.ts"
import { withQuery } from "../addresses.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted, joinedWords } from "../words.ts"
import { adminShown, cursorIn, nextLink, adminList } from "./admin.ts"

export const personButton = (action: OperatorAction, userId: string, text: Content, danger = false): Html =>
  html`<form class="inline" method="post" action="${to(`/web/admin/people/${userId}/${action}`)}"><button class="${danger ? "danger" : "quiet"}">${text}</button></form>`

type Row = AnswerOf<"admin_people">["items"][number]

const named = (text: string, username: string): Html => html`${text}<span class="aside"> ${username}</span>`

function actions({ userId, username, isOperator, disabledAt, ownedRooms }: Row): Html {
  const rooms = ownedRooms === 0 ? "" : ` They own ${counted(ownedRooms, "Room")}: give ${ownedRooms === 1 ? "it" : "each"} another owner.`
  if (disabledAt !== null)
    return html`${confirmButton(named("Enable", username), "They can sign in again with their old password. Credentials, keys and invitations that ended stay ended.", personButton("enable_person", userId, html`Enable ${username}`), false)}`
  return html`${confirmButton(
    named("Disable", username),
    `They are signed out everywhere and cannot sign in. Their credentials, personal keys and open invitations end. What they wrote stays under their name.${rooms}`,
    personButton("disable_person", userId, html`Disable ${username}`, true),
  )}${confirmButton(
    named("End access", username),
    "All their credentials and personal keys end at once, in every Room, and cannot be restored. They themselves stay signed in.",
    personButton("end_access", userId, html`End all credentials and keys of ${username}`, true),
  )}${
    isOperator
      ? confirmButton(
          named("Remove operator", username),
          "They lose access to the administration. There is always at least one operator.",
          personButton("unmake_operator", userId, html`Remove ${username} as operator`, true),
          false,
        )
      : confirmButton(
          named("Make operator", username),
          "They can do everything on these pages, to everybody including you.",
          personButton("make_operator", userId, html`Make ${username} an operator`),
          false,
        )
  }${confirmButton(
    named("Forget failed sign-ins", username),
    "Their failed sign-ins are forgotten, so they can try again without waiting.",
    personButton("clear_sign_in_count", userId, html`Forget failed sign-ins of ${username}`),
    false,
  )}`
}

export function adminPeoplePage(visit: Visit): Shown {
  const { items, nextCursor } = visit.ask("admin_people", {}, cursorIn(visit))
  return adminShown(
    "/people",
    "People",
    html`${table(
      "People",
      ["Name", "State", "Last signed in", "Since", "Rooms", html`<span class="aside">Actions</span>`],
      items.map((row) => {
        const { userId, username, isOperator, disabledAt, signedInAt, createdAt, rooms, ownedRooms } = row
        return html`<tr id="person-${userId}"><th scope="row"><a href="${to(`/people/${encodeURIComponent(username)}`)}">${username}</a></th>
<td>${disabledAt === null ? stateBadge("completed", isOperator ? "operator" : "can sign in") : html`${stateBadge("retracted", "disabled")} ${time(disabledAt)}`}</td>
<td data-is="last signed in">${signedInAt === null ? html`<span class="quiet">never</span>` : time(signedInAt)}</td><td data-is="since">${time(createdAt)}</td>
<td data-is="Rooms">${rooms.toLocaleString("en")}${ownedRooms === 0 ? null : html`, owns ${ownedRooms.toLocaleString("en")}`}</td>
<td><div class="actions">${actions(row)}<a href="${to(withQuery("/admin/audit", { user: username }))}">Log<span class="aside"> of ${username}</span></a></div></td></tr>`
      }),
      "stacked",
    )}${nextLink("/people", nextCursor)}
<p class="hint">New people join by invitation or <code>research-room user add NAME</code>. To replace a forgotten password, use <code>research-room user password NAME</code>.</p>`,
    "admin_people",
  )
}

/** The first characters of a token, to recognise a leaked one. */
const starts = (tokenStart: string | null): Html =>
  tokenStart === null ? html`<span class="quiet">not kept</span>` : html`<code>${tokenStart}…</code>`

type Token = Omit<AnswerOf<"admin_keys">["items"][number] | AnswerOf<"admin_credentials">["items"][number], "reach">

const endButton = (path: string, action: OperatorAction, id: string, text: Content): Html =>
  html`<form class="inline" method="post" action="${to(`/web/admin/${path}/${id}/${action}`)}"><button class="danger">${text}</button></form>`

/** Renders the row of a token. @param where what it gives access to @param end the button that ends it */
function tokenRow(token: Token, where: Html, end: Html, now: number): Html {
  const { label, owner, permissions, tokenStart, expiresAt, lastUsedAt } = token
  const { userId, username } = owner
  const ends = html`<div class="actions">${confirmButton(
    html`Revoke<span class="aside"> ${label} of ${username}</span>`,
    "It ends at once and cannot be restored. Its holder can issue a new one.",
    end,
  )}${confirmButton(
    html`End all<span class="aside"> of ${username}</span>`,
    "All credentials and personal keys of this person end at once, in every Room, and cannot be restored.",
    personButton("end_access", userId, html`End all credentials and keys of ${username}`, true),
  )}</div>`
  return html`<tr><th scope="row">${label}</th><td data-is="of">${username}</td><td>${where}</td><td data-is="token">${starts(tokenStart)}</td><td>${joinedWords(permissions)}</td>
<td>${tokenState(token, now)}</td><td data-is="expires">${time(expiresAt)}</td><td data-is="last use">${lastUse(lastUsedAt)}</td><td>${tokenOver(token, now) === null ? ends : null}</td></tr>`
}

const HEAD = ["Label", "Of", "For", "Token", "May", "State", "Expires", "Last use", actionsHead]

export function adminCredentialsPage(visit: Visit): Shown {
  const now = visit.edge.instance.world.now()
  const { items, nextCursor } = visit.ask("admin_credentials", {}, cursorIn(visit))
  const rows = items.map((row) =>
    tokenRow(
      row,
      html`<a href="${to(`/rooms/${row.roomId}/people`)}" dir="auto">${row.roomTitle}<span class="aside">, for ${row.label}</span></a>`,
      endButton("credentials", "end_credential", row.credentialId, html`Revoke ${row.label} of ${row.owner.username}`),
      now,
    ),
  )
  const hint = html`At the command line: <code>research-room credential revoke ID</code>.`
  const list = { caption: "Credentials of every Room", head: HEAD, hint, read: "admin_credentials" } as const
  return adminList("/credentials", "Credentials", { ...list, none: "No credential has been issued yet." }, { rows, nextCursor })
}

export function adminKeysPage(visit: Visit): Shown {
  const now = visit.edge.instance.world.now()
  const { items, nextCursor } = visit.ask("admin_keys", {}, cursorIn(visit))
  const rows = items.map((row) => {
    const end = endButton("keys", "end_key", row.keyId, html`Revoke ${row.label} of ${row.owner.username}`)
    return tokenRow(row, html`Library: ${row.reach}`, end, now)
  })
  const hint = html`At the command line: <code>research-room key revoke ID</code>.`
  const list = { caption: "Everybody's personal keys", head: HEAD, hint, read: "admin_keys" } as const
  return adminList("/keys", "Personal keys", { ...list, none: "No personal key has been issued yet." }, { rows, nextCursor })
}

type Invited = AnswerOf<"admin_invitations">["items"][number]

function invitationState({ acceptedBy, revokedAt, expiresAt }: Invited, now: number): Content {
  if (acceptedBy !== null) return html`accepted by ${acceptedBy}`
  if (revokedAt !== null) return html`withdrawn ${time(revokedAt)}`
  return Date.parse(expiresAt) <= now ? "expired" : html`open until ${time(expiresAt)}`
}

function takeBack({ invitationId, invitedBy, createdAt, acceptedBy, revokedAt, expiresAt }: Invited, now: number): Content {
  if (acceptedBy !== null || revokedAt !== null || Date.parse(expiresAt) <= now) return null
  const which = html`of ${invitedBy}, made ${exactTime(createdAt)}`
  return confirmButton(
    html`Take back<span class="aside"> the invitation ${which}</span>`,
    "Its link stops working at once. The person can be invited again.",
    endButton("invitations", "end_invitation", invitationId, html`Take back the invitation of ${invitedBy}`),
  )
}

export function adminInvitationsPage(visit: Visit): Shown {
  const now = visit.edge.instance.world.now()
  const { items, nextCursor } = visit.ask("admin_invitations", {}, cursorIn(visit))
  const rows = items.map((row) => {
    const { invitedBy, roomId, title, createdAt } = row
    const into = roomId === null ? "the service" : html`<a href="${to(`/rooms/${roomId}`)}" dir="auto">${title}</a>`
    return html`<tr><td>${time(createdAt)}</td><td data-is="by">${invitedBy}</td><td data-is="into">${into}</td><td>${invitationState(row, now)}</td><td>${takeBack(row, now)}</td></tr>`
  })
  const head = ["Made", "By", "Into", "State", actionsHead]
  const list = { caption: "Invitations", head, hint: "A disabled user has no open invitations.", read: "admin_invitations" } as const
  return adminList("/invitations", "Invitations", { ...list, none: "There are no invitations yet." }, { rows, nextCursor })
}
