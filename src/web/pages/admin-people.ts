/**
 * The operator's lists of people, and of the credentials, keys and invitations that give them access, with the actions
 * on each.
 */
import { type Content, type Html, html, to, withQuery } from "../html.ts"
import type { OperatorAction } from "../../contract/operations/actions.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { expiring, stateBadge, tokenOver, tokenState } from "../parts/marks.ts"
import { actionsHead, confirmButton, exactTime, lastUse, time } from "../parts/parts.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted, permittedInWords, reachInWords } from "../words.ts"
import { adminList, cursorIn } from "./admin.ts"

const personButton = (action: OperatorAction, userId: string, text: Content, danger = false): Html =>
  html`<form class="inline" method="post" action="${to(`/web/admin/people/${userId}/${action}`)}">\
<button class="${danger ? "danger" : "quiet"}">${text}</button></form>`

type Row = AnswerOf<"admin_people">["items"][number]

const explanations = {
  enable_person:
    "They can sign in again with their old password. Credentials, keys and invitations that ended stay ended.",
  disable_person:
    "They are signed out everywhere and cannot sign in. Their credentials, personal keys and open invitations end. " +
    "What they wrote stays under their name.",
  end_access: "All their credentials and personal keys end at once, in every Room, and cannot be restored.",
  end_sessions: "Every browser they are signed in with must sign in again. Their tokens keep working.",
  unmake_operator: "They lose access to the administration. There is always at least one operator.",
  make_operator: "They can do everything on these pages, to everybody including you.",
  clear_sign_in_count: "Their failed sign-ins are forgotten, so they can try again without waiting.",
}

/** "Revoke 3 tokens". */
const revoking = (tokens: number): string => `Revoke ${counted(tokens, "token")}`

function actions({ userId, username, isOperator, disabledAt, ownedRooms, tokens }: Row): Html {
  const rooms =
    ownedRooms === 0
      ? ""
      : ` They own ${counted(ownedRooms, "Room")}: give ${ownedRooms === 1 ? "it" : "each"} another owner.`
  const asked = (action: keyof typeof explanations, name: string, does: string, look?: "danger" | "ends"): Html => {
    const stays = action === "end_access" ? ` ${username} stays signed in.` : ""
    const explained = `${explanations[action]}${action === "disable_person" ? rooms : ""}${stays}`
    const button = personButton(action, userId, does, look !== undefined)
    return confirmButton(html`${name}<span class="aside"> ${username}</span>`, explained, button, look === "ends")
  }
  if (disabledAt !== null) return asked("enable_person", "Enable", `Enable ${username}`)
  return html`${asked("disable_person", "Disable", `Disable ${username}`, "ends")}\
${tokens === 0 ? null : asked("end_access", "Revoke all tokens", `${revoking(tokens)} of ${username}`, "danger")}\
${asked("end_sessions", "Sign out", `Sign ${username} out everywhere`, "danger")}${
  isOperator
    ? asked("unmake_operator", "Remove operator", `Remove ${username} as operator`, "danger")
    : asked("make_operator", "Make operator", `Make ${username} an operator`)
}${asked("clear_sign_in_count", "Unlock sign-in", `Unlock the sign-in of ${username}`)}`
}

function personRow(row: Row): Html {
  const { userId, username, isOperator, disabledAt, signedInAt, createdAt, rooms, ownedRooms } = row
  return html`<tr id="person-${userId}"><th scope="row"><a href="${to(`/people/${encodeURIComponent(username)}`)}">\
${username}</a></th>
<td>${
    disabledAt === null
      ? stateBadge("completed", isOperator ? "operator" : "can sign in")
      : html`${stateBadge("retracted", "disabled")} ${time(disabledAt)}`
  }</td>
<td data-is="last signed in">${lastUse(signedInAt)}</td><td data-is="since">${time(createdAt)}</td>
<td data-is="Rooms">${rooms.toLocaleString("en")}\
${ownedRooms === 0 ? null : html`, owns ${ownedRooms.toLocaleString("en")}`}</td>
<td><div class="actions">${actions(row)}<a href="${to(withQuery("/admin/audit", { user: username }))}">Log<span \
class="aside"> of ${username}</span></a></div></td></tr>`
}

export function adminPeoplePage(visit: Visit): Shown {
  const list = {
    read: "admin_people",
    head: ["Name", "State", "Last signed in", "Since", "Rooms", actionsHead],
    hint: html`New people join by invitation or <code>research-room user add NAME</code>. To replace a forgotten \
password, use <code>research-room user password NAME</code>.`,
    none: "There are no users yet.",
  } as const
  return adminList(visit, "/people", "People", list, visit.ask("admin_people", {}, cursorIn(visit)), personRow)
}

/** The first characters of a token, to recognise a leaked one. */
const starts = (tokenStart: string | null): Html =>
  tokenStart === null ? html`<span class="quiet">not kept</span>` : html`<code>${tokenStart}…</code>`

type Token = Omit<AnswerOf<"admin_keys">["items"][number] | AnswerOf<"admin_credentials">["items"][number], "reach">

const endButton = (path: string, action: OperatorAction, id: string, text: Content): Html =>
  html`<form class="inline" method="post" action="${to(`/web/admin/${path}/${id}/${action}`)}">\
<button class="danger">${text}</button></form>`

/** Renders the row of a token. @param where what it gives access to @param end the button that ends it */
function tokenRow(token: Token, where: Html, end: Html, now: number): Html {
  const { label, owner, permissions, tokenStart, expiresAt, lastUsedAt } = token
  const { userId, username } = owner
  const ends = html`<div class="actions">${confirmButton(
    html`Revoke<span class="aside"> ${label} of ${username}</span>`,
    "It ends at once and cannot be restored. Its holder can issue a new one.",
    end,
  )}${confirmButton(
    html`Revoke all tokens<span class="aside"> of ${username}</span>`,
    `${explanations.end_access} ${username} stays signed in.`,
    personButton("end_access", userId, html`Revoke all tokens of ${username}`, true),
    false,
  )}</div>`
  return html`<tr><th scope="row">${label}</th><td data-is="of">${username}</td><td>${where}</td>\
<td data-is="token">${starts(tokenStart)}</td><td>${permittedInWords(permissions)}</td>
<td>${tokenState(token, now)}</td><td data-is="${expiring(expiresAt, now)}">${time(expiresAt)}</td>\
<td data-is="last use">${lastUse(lastUsedAt)}</td><td>${tokenOver(token, now) === null ? ends : null}</td></tr>`
}

const HEAD = ["Label", "Of", "For", "Token", "May", "State", "Expires", "Last use", actionsHead]

export function adminCredentialsPage(visit: Visit): Shown {
  const list = {
    read: "admin_credentials",
    caption: "Credentials of every Room",
    head: HEAD,
    hint: html`At the command line: <code>research-room credential revoke ID</code>.`,
    none: "No credential has been issued yet.",
  } as const
  return adminList(
    visit,
    "/credentials",
    "Credentials",
    list,
    visit.ask("admin_credentials", {}, cursorIn(visit)),
    (row, now) => {
      const { roomId, roomTitle, label, credentialId, owner } = row
      const where = html`<a href="${to(`/rooms/${roomId}/people`)}" dir="auto">${roomTitle}\
<span class="aside">, for ${label}</span></a>`
      return tokenRow(
        row,
        where,
        endButton("credentials", "end_credential", credentialId, html`Revoke ${label} of ${owner.username}`),
        now,
      )
    },
  )
}

export function adminKeysPage(visit: Visit): Shown {
  const list = {
    read: "admin_keys",
    caption: "Everybody's personal keys",
    head: HEAD,
    hint: html`At the command line: <code>research-room key revoke ID</code>.`,
    none: "No personal key has been issued yet.",
  } as const
  return adminList(visit, "/keys", "Personal keys", list, visit.ask("admin_keys", {}, cursorIn(visit)), (row, now) => {
    const end = endButton("keys", "end_key", row.keyId, html`Revoke ${row.label} of ${row.owner.username}`)
    return tokenRow(row, html`Library: ${reachInWords[row.reach]}`, end, now)
  })
}

export type Invited = AnswerOf<"admin_invitations">["items"][number]

/** What became of an invitation. */
export function invitationState({ acceptedBy, revokedAt, expiresAt }: Invited, now: number): Content {
  if (acceptedBy !== null) return html`accepted by ${acceptedBy}`
  if (revokedAt !== null) return html`withdrawn ${time(revokedAt)}`
  return Date.parse(expiresAt) <= now ? "expired" : html`open until ${time(expiresAt)}`
}

function takeBack(
  { invitationId, invitedBy, createdAt, acceptedBy, revokedAt, expiresAt }: Invited,
  now: number,
): Content {
  if (acceptedBy !== null || revokedAt !== null || Date.parse(expiresAt) <= now) return null
  const which = html`of ${invitedBy}, made ${exactTime(createdAt)}`
  return confirmButton(
    html`Withdraw<span class="aside"> the invitation ${which}</span>`,
    "Its link stops working at once. The person can be invited again.",
    endButton("invitations", "end_invitation", invitationId, html`Withdraw the invitation of ${invitedBy}`),
  )
}

function invitationRow(row: Invited, now: number): Html {
  const { invitedBy, roomId, title, createdAt } = row
  const into = roomId === null ? "the service" : html`<a href="${to(`/rooms/${roomId}`)}" dir="auto">${title}</a>`
  return html`<tr><td>${time(createdAt)}</td><td data-is="by">${invitedBy}</td><td data-is="into">${into}</td>\
<td>${invitationState(row, now)}</td><td>${takeBack(row, now)}</td></tr>`
}

export function adminInvitationsPage(visit: Visit): Shown {
  const list = {
    read: "admin_invitations",
    head: ["Made", "By", "Into", "State", actionsHead],
    hint: "A disabled user has no open invitations.",
    none: "There are no invitations yet.",
  } as const
  return adminList(
    visit,
    "/invitations",
    "Invitations",
    list,
    visit.ask("admin_invitations", {}, cursorIn(visit)),
    invitationRow,
  )
}
