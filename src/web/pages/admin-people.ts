/** People, as an operator sees them: who may come in, who looks after the service, and what ends what is theirs. */
import { type Content, type Html, html, to } from "../html.ts"
import type { OperatorAction } from "../../contract/operations/actions.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { stateBadge } from "../parts/marks.ts"
import { askedOnce, table, time } from "../parts/parts.ts"
import { withQuery } from "../addresses.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted } from "../words.ts"
import { adminShown, asked, onwards } from "./admin.ts"

/** A button that does something to a person. */
export const personButton = (action: OperatorAction, userId: string, text: Content, danger = false): Html =>
  html`<form class="inline" method="post" action="${to(`/web/admin/people/${userId}/${action}`)}"><button class="${danger ? "danger" : "quiet"}">${text}</button></form>`

type Row = AnswerOf<"admin_people">["items"][number]

const named = (text: string, username: string): Html => html`${text}<span class="aside"> ${username}</span>`

function actions({ userId, username, isOperator, disabledAt, ownedRooms }: Row): Html {
  const rooms = ownedRooms === 0 ? "" : ` They own ${counted(ownedRooms, "Room")}: give ${ownedRooms === 1 ? "it" : "each"} another owner.`
  if (disabledAt !== null)
    return html`${askedOnce(named("Enable", username), "They may sign in again, with the password they had. What was ended stays ended.", personButton("enable_person", userId, html`Enable ${username}`), false)}`
  return html`${askedOnce(
    named("Disable", username),
    `They are signed out everywhere and cannot come in; their credentials, personal keys and open invitations end. What they said stays under their name.${rooms}`,
    personButton("disable_person", userId, html`Disable ${username}`, true),
  )}${askedOnce(
    named("End access", username),
    "All their credentials, in every Room, and personal keys end at once, and cannot be opened again. They themselves stay signed in.",
    personButton("end_access", userId, html`End all credentials and keys of ${username}`, true),
  )}${
    isOperator
      ? askedOnce(
          named("Take operator back", username),
          "They see nothing of the administration any more. One operator is always left.",
          personButton("unmake_operator", userId, html`Make ${username} no operator`, true),
          false,
        )
      : askedOnce(
          named("Make operator", username),
          "They may do everything that stands here, to everybody, you included.",
          personButton("make_operator", userId, html`Make ${username} an operator`),
          false,
        )
  }${askedOnce(
    named("Forget failed sign-ins", username),
    "Their failed sign-ins are forgotten, so that they no longer have to wait.",
    personButton("clear_sign_in_count", userId, html`Forget failed sign-ins of ${username}`),
    false,
  )}`
}

export function adminPeoplePage(visit: Visit): Shown {
  const { items, nextCursor } = visit.ask("admin_people", {}, asked(visit))
  return adminShown(
    "/people",
    "People",
    html`${table(
      "People",
      ["Name", "State", "Last signed in", "Since", "Rooms", html`<span class="aside">Actions</span>`],
      items.map((row) => {
        const { userId, username, isOperator, disabledAt, signedInAt, createdAt, rooms, ownedRooms } = row
        return html`<tr id="person-${userId}"><th scope="row"><a href="${to(`/people/${encodeURIComponent(username)}`)}">${username}</a></th>
<td>${disabledAt === null ? stateBadge("completed", isOperator ? "operator" : "may come in") : html`${stateBadge("retracted", "disabled")} ${time(disabledAt)}`}</td>
<td data-is="last signed in">${signedInAt === null ? html`<span class="quiet">never</span>` : time(signedInAt)}</td><td data-is="since">${time(createdAt)}</td>
<td data-is="Rooms">${rooms.toLocaleString("en")}${ownedRooms === 0 ? null : html`, owns ${ownedRooms.toLocaleString("en")}`}</td>
<td><div class="actions">${actions(row)}<a href="${to(withQuery("/admin/audit", { user: username }))}">Log<span class="aside"> of ${username}</span></a></div></td></tr>`
      }),
      "stacked",
    )}${onwards("/people", nextCursor)}
<p class="hint">New people come by invitation, or <code>research-room user add NAME</code>; a forgotten password is replaced with <code>research-room user password NAME</code>.</p>`,
    "admin_people",
  )
}
