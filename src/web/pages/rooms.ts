/** The first page: all Rooms, each with its answer, or with its question while there is none, and its last activity. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { readPath } from "../addresses.ts"
import { type Html, html, to } from "../html.ts"
import { inlineMarkdown } from "../markdown.ts"
import { list, nextPage, command, empty, person, time } from "../parts/parts.ts"
import { waitingBlock } from "../parts/waiting.ts"
import { stateBadge } from "../parts/marks.ts"
import { newMark, unreadOf } from "../parts/seen.ts"
import { placeOf, sourceOf } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted } from "../words.ts"
import { saidIn } from "./room-brief.ts"

type Summary = AnswerOf<"rooms">["items"][number]

/** Renders the state of a Room as badges. */
export const roomState = ({ state, concluded }: Pick<Summary, "state" | "concluded">): Html =>
  html`${state === "archived" ? html`${stateBadge("archived")} ` : null}\
${concluded ? stateBadge("concluded") : state === "archived" ? null : stateBadge("open")}`

/** Counts the objects of a Room, without kinds that it has none of. */
const contents = ({ counts }: Summary): Html => {
  const kinds = [
    [counts.hypothesis, "hypothesis", "hypotheses"],
    [counts.experiment, "experiment", "experiments"],
    [counts.attempt, "attempt", "attempts"],
    [counts.finding, "finding", "findings"],
  ] as const
  return html`${kinds
    .filter(([count]) => count > 0)
    .map(([count, one, several]) => html`<span>${counted(count, one, several)}</span>`)}`
}

/** Says what a Room answers now; a Room without an answer says what it asks. */
function saidBy({ tables }: Visit, { roomId, question }: Summary): Html | null {
  const answer = tables.checkpoints.leadingOf(roomId)
  if (answer !== undefined) return html`<p class="question" dir="auto">${inlineMarkdown(saidIn(answer))}</p>`
  return question === null ? null : html`<p class="question" dir="auto">${question}</p>`
}

const row = (
  visit: Visit,
  room: Summary,
  unread: number,
): Html => html`<li data-entry><h2 class="title"><a href="${to(`/rooms/${room.roomId}`)}" dir="auto">\
${room.title}</a></h2> ${roomState(room)} ${newMark(unread)}
${saidBy(visit, room)}
<p class="meta">${room.origin === null ? null : html`<span>of ${placeOf(room.origin)}${sourceOf(room.origin)}</span>`}\
${contents(room)}<span>${counted(room.counts.members, "member")}, owned by ${person(room.owner)}</span>\
<span>last activity ${time(room.lastActivityAt)}</span></p></li>`

function nothingFound({ edge, person: visitor }: Visit, query: string | undefined, isWhole: boolean): Html {
  if (!edge.instance.tables.people.exist())
    return empty(
      "There are no users yet. The service printed a set-up link when it started. " +
        "Look in the terminal where it was started, or in its log.",
    )
  if (query !== undefined)
    return empty(
      html`No ${isWhole ? "" : "newer "}Room's title or question contains “${query}”.`,
      html`<a href="${to("/")}">All Rooms</a>`,
    )
  const start = html`<p>Sign in to create the first one, or let an agent read about this service:</p>\
${command(`curl ${edge.baseUrl}/llms.txt`)}`
  return empty(
    "There are no Rooms yet. A Room holds one question, the people and agents who work on it, and everything they try.",
    visitor === undefined ? start : null,
  )
}

export function roomsPage(visit: Visit): Shown {
  const [query, after] = [visit.parameter("query"), visit.parameter("after")]
  const { items, nextCursor } = visit.ask("rooms", {}, { query, after })
  const unread = new Map(unreadOf(visit).map(({ roomId, total }) => [roomId, total]))
  const nothing = nothingFound(visit, query, nextCursor === null)
  return {
    title: "Rooms",
    json: readPath("rooms", {}, { query }),
    body: html`<div class="heading"><h1>Rooms</h1>\
<div class="beside">${
      visit.person === undefined ? null : html`<a class="button" href="${to("/do/create_room")}">Create a Room</a>`
    }</div></div>
${query === undefined && after === undefined ? waitingBlock(visit) : null}
<form class="inline" role="search" aria-label="Rooms" action="${to("/")}"><div class="field">\
<label for="room-query">Title or question contains</label>\
<input id="room-query" name="query" type="search" maxlength="200" value="${query}"></div><div class="field">\
<button class="quiet">Filter</button></div></form>
${list("cards rooms", items, (room) => row(visit, room, unread.get(room.roomId) ?? 0), nothing)}
${nextPage(visit, nextCursor, "Older Rooms")}`,
  }
}
