/**
 * The frame of pages inside a Room: the rail with its sections and their counts, banners about the Room's state, the
 * first screen of an object, and its place among the steps to a verdict, with the next action.
 */
import type { Rail, Visit } from "../visit.ts"
import type { RoomSummary } from "../../contract/nouns/rooms.ts"
import { pageOf } from "../../contract/objects/objects.ts"
import { attributes, type Html, html, to, type Content, address } from "../html.ts"
import { inDigits } from "../../contract/text.ts"
import { shortened, title } from "../words.ts"
import { stateBadge } from "./marks.ts"
import { newMark, sections } from "./seen.ts"
import { exactTime, person, heading } from "./parts.ts"
import { type RoomLike, wayIn } from "./actions.ts"

export type Room = RoomSummary
type Framed = Pick<Room, "roomId" | "title" | "counts">

const total = ({ counts }: Framed, [first, ...more]: readonly (keyof Framed["counts"])[]): string | undefined =>
  first && inDigits(more.reduce((sum, each) => sum + counts[each], counts[first]))

/** Renders the rail. @param here the section's path; undefined on the page of an object */
export const roomRail = (room: Framed, here?: string): Rail => ({
  roomId: room.roomId,
  ...(here !== undefined && { section: here }),
  markup: (unread) => html`<nav class="rail" aria-label="Room"><div class="inside" data-live="rail" id="rail">
<a class="of" href="${to(`/rooms/${room.roomId}`)}" dir="auto">${shortened(room.title, 70)}</a>
<ul>${sections.map(
    ([path, name, counted]) =>
      html`<li><a href="${to(`/rooms/${room.roomId}${path}`)}"${attributes({
        "aria-current": path === here ? "page" : null,
      })}><span>${name}</span>\
<span class="count">${newMark(unread.get(path) ?? 0)} ${total(room, counted)}</span></a></li>`,
  )}</ul>
  </div></nav>`,
})

/** The rail, and the news of the Room, which the page follows. */
export const following = (room: Room, here?: string) => ({
  rail: roomRail(room, here),
  follow: { roomId: room.roomId, after: room.activityWatermark },
})

/** The banner of a Room of another instance: where it comes from, and up to which entry it is here. */
const originBanner = ({ roomId, origin }: Pick<Room, "roomId" | "origin">): Html | null =>
  origin &&
  html`<div class="banner quiet" role="note" aria-label="From another instance">\
${stateBadge("mirrored", "From elsewhere")}<p>This Room belongs to \
<a href="${`${origin.baseUrl}${pageOf("room", roomId)}`}">${placeOf(origin)}</a>${sourceOf(
    origin,
  )}. You can read and cite it here, and write to it there.</p>
    <p class="meta"><span>here through entry ${origin.throughSequence.toLocaleString("en")}</span
    ><span>imported ${exactTime(origin.importedAt)}</span></p></div>`

/** Says who claims that a Room comes from an instance. Empty if it was fetched from there. */
export const sourceOf = ({ toldBy }: Pick<NonNullable<Room["origin"]>, "toldBy">): string =>
  toldBy === null
    ? ""
    : toldBy === "file"
      ? " (an imported file says so, and nothing proves it)"
      : ` (according to ${placeOf({ baseUrl: toldBy })}, and nothing proves it)`

const adoptedBanner = ({ roomId, adopted }: Pick<Room, "roomId" | "adopted">): Html | null =>
  adopted.length === 0
    ? null
    : html`<div class="banner quiet" role="note" aria-label="Adopted">${stateBadge("adopted", "Adopted")}\
<p>${adopted.map(
        (home) =>
          html`Adopted from <a href="${`${home.baseUrl}${pageOf("room", roomId)}`}">\
${placeOf(home)}</a> on ${exactTime(home.adoptedAt)}, after entry ${home.throughSequence.toLocaleString("en")}. `,
      )}What was written there since is not here.</p></div>`

/** The banners of a Room: of another instance, adopted, archived. */
export const roomBanners = (room: Pick<Room, "roomId" | "archive" | "origin" | "adopted">): Html =>
  html`${originBanner(room)}${adoptedBanner(room)}${
    room.archive &&
    html`<div class="banner quiet" role="note" aria-label="Archived">${stateBadge("archived", "Archived")}\
<p>${room.archive.reason}</p>
    <p class="meta"><span>${person(room.archive.archivedBy)}</span>\
<span>${exactTime(room.archive.archivedAt)}</span></p></div>`
  }`

/** The name of another instance: its address without the scheme. */
export const placeOf = ({ baseUrl }: { readonly baseUrl: string }): string => baseUrl.replace(/^https?:\/\//, "")

// The frame of an object's page: one screen that holds its sentence, its picture, how it stands and the next action.
// What follows it is folded.

export interface FirstScreen {
  /** Banners above everything: what takes away from what the page says. */
  readonly standing?: Content
  /** Its label and kind, who wrote it, and when. */
  readonly meta: Content
  /** The first heading. */
  readonly sentence: Html
  /** Where the sentence holds, or what it is about. */
  readonly scope?: Content
  /** The steps from a hypothesis to a verdict. */
  readonly way?: Content
  /** What was measured or planned. On a phone it comes after the margin's first lines, and its beginning is shown. */
  readonly picture: Content
  /** How it stands, for the margin. */
  readonly verdict: Content
  readonly next: Content
}

/** Renders the first screen. The script keeps its parts up to date. */
export const firstScreen = ({ standing, meta, sentence, scope, way, picture, verdict, next }: FirstScreen): Html =>
  html`<div id="live-standing" data-live>${standing}</div>
<p class="meta" id="live-meta" data-live>${meta}</p>
<div class="first"><div>
${sentence}
${scope}
<div id="live-way" data-live>${way}</div>
<div class="picture" id="live-measured" data-live>${picture}</div>
<a class="unfold" href="#live-measured">Show the whole picture</a></div>
<aside class="margin" aria-label="Verdict and next step"><div id="live-verdict" data-live>
${verdict}
${next}</div></aside></div>`

/** What the first heading is about, in a line below it. @param name such as "Where it holds" */
export const scopeLine = (name: string, text: Content): Html =>
  html`<p class="scope"><span class="quiet">${name}:</span> ${text}</p>`

/** How an object stands in a word, and what else is known of it, a line each. */
export const stands = (word: Html, ...known: readonly Content[]): Html =>
  html`<section aria-labelledby="stands">${heading(2, "stands", "Where it stands")}<p class="bearing">${word}</p>${known
    .filter((line) => line != null && line !== false)
    .map((line) => html`<p>${line}</p>`)}</section>`

// The steps from a hypothesis to a verdict, with the place of this page among them, and the next action.

const kinds = ["hypothesis", "experiment", "plan", "attempt", "finding"] as const
type Kind = (typeof kinds)[number]
interface Place {
  readonly id: string
  readonly label: string
}
/** The objects of the steps that the page knows, and the verdict, if there is one. */
type Way = { readonly [K in Kind]?: Place | undefined } & { readonly verdict?: Content }

/** Renders the steps. Those with an object are links. */
export const steps = (here: Kind, way: Way): Html =>
  html`<ol class="steps" aria-label="From hypothesis to verdict">${kinds.map((kind) => {
    const place = way[kind]
    const name = html`${title(kind)}${place === undefined ? null : html` <span class="label">${place.label}</span>`}`
    const link = place === undefined || kind === here ? name : html`<a href="${address(kind, place.id)}">${name}</a>`
    return html`<li class="${place === undefined ? "ahead" : "there"}"${attributes({
      "aria-current": kind === here ? "step" : null,
    })}>${link}</li>`
  })}<li class="${way.verdict ? "there" : "ahead"}">Verdict${way.verdict ? html`: ${way.verdict}` : null}</li></ol>`

/** The next action: its button, and the reason for it. */
export interface Next {
  readonly button: Html | null
  readonly why: Content
}

const isClosed = (room: RoomLike): boolean => room.state === "archived" || room.origin != null

/**
 * Renders the next action; visitors see how to take part instead. Null on a page that only shows, and in a Room
 * that takes no writes.
 */
export function nextAct(visit: Visit, room: RoomLike, next: Next | null): Html | null {
  if (next === null || !visit.canAct || isClosed(room)) return null
  const way = next.button === null ? null : wayIn(visit, room)
  return html`<div class="next-act" role="group" aria-label="Next">${way === null ? next.button : null}<span>\
<strong>Next:</strong> ${next.why} ${way}</span></div>`
}
