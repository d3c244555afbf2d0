/** What every page inside a Room has: the rail with the Room's sections and their counts, and the banner of an archived Room. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { attributes, type Html, html, to } from "../html.ts"
import { shortened } from "../words.ts"
import { stateBadge } from "./marks.ts"
import { exactTime, person } from "./parts.ts"

export type Room = AnswerOf<"room">
type Framed = Pick<Room, "roomId" | "title" | "counts">

/** The sections of a Room in reading order: their path, name, and what they count. */
const sections = [
  ["", "Overview", null],
  ["/threads", "Threads", ({ threads }: Room["counts"]) => threads],
  ["/hypotheses", "Hypotheses", ({ hypothesis }: Room["counts"]) => hypothesis],
  ["/experiments", "Experiments", ({ experiment }: Room["counts"]) => experiment],
  ["/attempts", "Attempts", ({ attempt }: Room["counts"]) => attempt],
  ["/findings", "Findings", ({ finding, cited_claim }: Room["counts"]) => finding + cited_claim],
  ["/materials", "Materials", ({ material }: Room["counts"]) => material],
  ["/links", "Links", ({ link }: Room["counts"]) => link],
  ["/graph", "Graph", null],
  ["/activity", "Activity", null],
  ["/people", "People", ({ members }: Room["counts"]) => members],
] as const

/** @param here the section's path, or nothing on the page of an object */
export const roomRail = (
  room: Framed,
  here?: string,
): Html => html`<nav class="rail" aria-label="Room"><div class="inside" data-live="rail" id="rail">
<a class="of" href="${to(`/rooms/${room.roomId}`)}">${shortened(room.title, 70)}</a>
<ul>${sections.map(
  ([path, name, count]) =>
    html`<li><a href="${to(`/rooms/${room.roomId}${path}`)}"${attributes({ "aria-current": path === here ? "page" : null })}><span>${name}</span>${
      count === null ? null : html`<span class="count">${count(room.counts).toLocaleString("en")}</span>`
    }</a></li>`,
)}</ul>
  </div></nav>`

/** Says that a Room is archived, by whom and why. */
export const archivedBanner = ({ archive }: { readonly archive: Room["archive"] }): Html | null =>
  archive &&
  html`<div class="banner quiet" role="note" aria-label="Archived">${stateBadge("archived", "Archived")}<p>${archive.reason}</p>
    <p class="meta"><span>${person(archive.archivedBy)}</span><span>${exactTime(archive.archivedAt)}</span></p></div>`
