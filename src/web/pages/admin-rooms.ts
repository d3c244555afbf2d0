/** The operator's list of Rooms, with owner, size and activity; and the page that gives a Room another owner. */
import { randomUUID } from "node:crypto"
import { limits } from "../../contract/limits.ts"
import { html, to } from "../html.ts"
import { stateBadge } from "../parts/marks.ts"
import { empty, facts, heading, table, time } from "../parts/parts.ts"
import type { Shown, Visit } from "../visit.ts"
import { adminShown, cursorIn, nextLink, size } from "./admin.ts"

export function adminRoomsPage(visit: Visit): Shown {
  const { items, nextCursor } = visit.ask("admin_rooms", {}, cursorIn(visit))
  return adminShown(
    "/rooms",
    "Rooms",
    items.length === 0
      ? empty("There are no Rooms yet.")
      : html`${table(
          "Rooms",
          ["Room", "Owner", "State", "Members", "Entries", "Size", "Last activity", html`<span class="aside">Actions</span>`],
          items.map(
            ({ roomId, title, owner, state, origin, members, entries, acceptedBytes, lastActivityAt }) =>
              html`<tr><th scope="row"><a href="${to(`/rooms/${roomId}`)}">${title}</a></th>
<td data-is="owner">${owner.username}${owner.disabledAt === null ? null : html` ${stateBadge("retracted", "disabled")}`}</td><td>${origin === null ? state : "of another instance"}</td>
<td data-is="members">${members.toLocaleString("en")}</td><td data-is="entries">${entries.toLocaleString("en")}</td><td data-is="size">${size(acceptedBytes)}</td><td data-is="last activity">${time(lastActivityAt)}</td>
<td>${origin === null ? html`<a href="${to(`/admin/rooms/${roomId}`)}">Give it another owner<span class="aside">: ${title}</span></a>` : null}</td></tr>`,
          ),
          "stacked",
        )}<p class="hint">The size of a Room is the size of all writes that it accepted, without what was withheld since. The data file also holds what is computed from them, so it takes about twice as much for long texts and more for short ones.</p>${nextLink("/rooms", nextCursor)}`,
    "admin_rooms",
  )
}

/** Maximum number of people offered who are not members. */
const OFFERED = 200

export function adminRoomPage(visit: Visit): Shown {
  const room = visit.ask("room", { roomId: visit.id("roomId") })
  const { people } = visit.tables
  const disabled = people.disabledAmong(room.members.map(({ userId }) => userId))
  const members = room.members.filter(({ userId, role }) => role !== "owner" && !disabled.has(userId))
  const known = new Set(room.members.map(({ userId }) => userId))
  const others = people.page(null, OFFERED).filter(({ userId, disabledAt }) => disabledAt === null && !known.has(userId))
  const option = ({ userId, username }: { readonly userId: string; readonly username: string }) =>
    html`<option value="${userId}">${username}</option>`
  return adminShown(
    "/rooms",
    room.title,
    html`${facts([
      ["Owner", room.owner.username],
      ["Members", String(room.counts.members)],
      ["Entries", room.activityWatermark.toLocaleString("en")],
      ["Last activity", time(room.lastActivityAt)],
    ])}
<section aria-labelledby="owner">${heading(2, "owner", "Give it another owner")}<p class="hint">The Room's activity shows everybody that you did this, and why. The present owner stays a member. You can undo it in the same way.</p>
${
  members.length + others.length === 0
    ? empty("There is nobody else who can own it.")
    : html`<form class="stack" method="post" action="${to("/web/transfer_room")}"><input type="hidden" name="/requestId" value="${randomUUID()}"><input type="hidden" name="roomId" value="${room.roomId}"><input type="hidden" name="_next" value="/admin/rooms">
<div class="field"><label for="new-owner">New owner</label><select id="new-owner" name="userId" required>${members.length === 0 ? null : html`<optgroup label="Members">${members.map(option)}</optgroup>`}${others.length === 0 ? null : html`<optgroup label="Others here">${others.map(option)}</optgroup>`}</select></div>
<div class="field"><label for="reason">Why</label><textarea id="reason" name="/reason" rows="3" maxlength="${limits.explanation}" required></textarea></div>
<div class="buttons"><button>Give it to them</button><a href="${to("/admin/rooms")}">Cancel</a></div></form>`
}</section>`,
  )
}
