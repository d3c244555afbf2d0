/** The settings of a Room, for its owner: title, question, licence, webhooks, and its archive. */
import { Refusal } from "../../contract/refusals/refusal.ts"
import { html, to } from "../html.ts"
import { act, roleIn } from "../parts/actions.ts"
import { empty, facts, heading } from "../parts/parts.ts"
import { roomBanners, roomRail } from "../parts/room-frame.ts"
import { toSignIn } from "../redirect.ts"
import type { Answer } from "../../edge/answers/answer.ts"
import type { Shown, Visit } from "../visit.ts"

export const settingsPath = (roomId: string): string => `/rooms/${roomId}/settings`

export function roomSettingsPage(visit: Visit): Shown | Answer {
  const roomId = visit.id("roomId")
  if (visit.person === undefined) return toSignIn(visit, settingsPath(roomId))
  const room = visit.ask("room", { roomId })
  if (roleIn(visit, room) !== "owner") throw new Refusal("role_required", "Only its owner can change a Room.")
  const { title, question, license } = room
  return {
    title: `Settings · ${title}`,
    rail: roomRail(room),
    isUnlisted: true,
    body: html`<h1>Settings</h1>${roomBanners(room)}
<section aria-labelledby="description">${heading(2, "description", "What it is")}${facts([
      ["Title", html`<span dir="auto">${title}</span>`],
      ["Question", question === null ? empty("No question yet.") : html`<span dir="auto">${question}</span>`],
      ["Licence", license ?? "not set"],
    ])}<div class="actions">${
      room.state === "active"
        ? act("amend_room", { roomId, title, question, license }, "Change title, question or licence")
        : act("restore_room", { roomId }, "Open it again")
    }</div></section>
<section aria-labelledby="webhooks">${heading(2, "webhooks", "Webhooks")}
<p>Send each new entry to a web address.</p>
<div class="actions"><a class="button quiet" href="${to(`/rooms/${roomId}/webhooks`)}">Webhooks</a></div></section>
${
  room.state === "active" &&
  html`<section aria-labelledby="archive">${heading(2, "archive", "Archive")}
<p>An archived Room can be read and cited, and takes nothing new.</p>
<div class="actions">${act("archive_room", { roomId }, "Archive the Room")}</div></section>`
}`,
  }
}
