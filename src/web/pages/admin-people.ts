/** The operator's list of people: who can sign in and who is an operator, with the actions on each. */
import { type Content, type Html, html, to } from "../html.ts"
import type { OperatorAction } from "../../contract/operations/actions.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { stateBadge } from "../parts/marks.ts"
import { confirmButton, table, time } from "../parts/parts.ts"
import { withQuery } from "../addresses.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted } from "../words.ts"
import { adminShown, cursorIn, nextLink } from "./admin.ts"

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
