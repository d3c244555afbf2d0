/** The first page, which lists all Rooms, and the front page of each. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { readPath, type Html, html, to } from "../html.ts"
import { inlineMarkdown } from "../markdown.ts"
import { list, nextPage, command, empty, person, time, heading, live, ways } from "../parts/parts.ts"
import { waitingBlock } from "../parts/waiting.ts"
import { stateBadge } from "../parts/marks.ts"
import { newMark, unreadOf } from "../parts/seen.ts"
import { placeOf, sourceOf, roomBanners, roomRail } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted } from "../words.ts"
import {
  saidIn,
  answers,
  beliefs,
  type Context,
  shownParts,
  findings,
  failures,
  next,
  questions,
} from "./room-brief.ts"
import { unprovedWords } from "../../contract/unproved.ts"
import { licenceUrl } from "../../contract/nouns/rooms.ts"
import { act, doing, forMembers, roleIn, whyNot } from "../parts/actions.ts"
import { whatChanged } from "../parts/judging.ts"
import { agentForm } from "./connect.ts"
import { aboutRoom } from "../about.ts"
import { settingsPath } from "./room-settings.ts"

type Summary = AnswerOf<"rooms">["items"][number]

/** Renders the state of a Room as badges. */
const roomState = ({ state, concluded }: Pick<Summary, "state" | "concluded">): Html =>
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

/** All Rooms, each with its answer, or with its question while there is none, and its last activity. */
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

/** Maximum size in bytes of the brief that the page shows. */
const BRIEF_BYTES = 24_000
/** Threads shown. Their section shows all. */
const THREADS = 4

function threads(visit: Visit, { room, threads: all }: Context): Html {
  const newest = [...all].sort((one, other) => (one.lastActivityAt < other.lastActivityAt ? 1 : -1)).slice(0, THREADS)
  const beside = html`<a href="${to(`/rooms/${room.roomId}/threads`)}">All ${all.length}</a>\
${
  roleIn(visit, room) === "nobody"
    ? null
    : html` <a href="${to(`/do/create_thread?roomId=${room.roomId}`)}">Start a Thread</a>`
}`
  const item = (thread: (typeof all)[number]) =>
    html`<li><a href="${to(`/threads/${thread.threadId}`)}" dir="auto">${thread.title}</a>\
${thread.opening ? html` <span class="tag">opening</span>` : null}<br><span class="meta">\
<span>${person(thread.author)}</span><span>${counted(thread.timelineWatermark, "entry", "entries")}</span>\
<span>${time(thread.lastActivityAt)}</span></span></li>`
  return html`<section aria-labelledby="threads">${heading(2, "threads", "Threads", beside)}
<ul class="cards" id="live-threads" data-live>${newest.map(item)}</ul>
  </section>`
}

const agents = (visit: Visit, room: Context["room"]): Html =>
  html`<details id="agents"><summary>Bring an agent</summary>
    <p>An agent can read this Room without a credential. To write, it needs one from a member.</p>
    ${whyNot(visit, room) ?? agentForm(room.roomId)}
    ${command(
      `curl ${visit.edge.baseUrl}${readPath("room_brief", { roomId: room.roomId }, { format: "markdown" })}`,
    )}</details>`

const licence = (license: string | null): Html =>
  html`<p class="meta">${
    license === null
      ? "No licence set."
      : html`<span>Licence <a rel="license" href="${licenceUrl(license)}">${license}</a></span>`
  }</p>`

/** The front page of a Room: a short overview. Everything longer has a page of its own. */
export function roomPage(visit: Visit): Shown {
  const roomId = visit.id("roomId")
  const context: Context = visit.ask("room_context", { roomId }, { parts: shownParts.join(), affordances: 0 })
  const brief = visit.ask("room_brief", { roomId }, { budget: BRIEF_BYTES })
  const { unproved, ...since } = visit.ask("room", { roomId })
  const unsure = unprovedWords(unproved)
  const { room } = context
  const at = { roomId, threadId: room.openingThreadId }
  const { said, figure } = answers(visit, context)
  const open = questions(context)
  const failed = failures(roomId, brief)
  const believed = html`${beliefs(visit, context, brief, figure === null ? 6 : 4)}\
${findings(visit, context, figure === null ? 5 : 3)}`
  const ahead = next(visit, context, brief)
  return {
    title: room.title,
    rail: roomRail(room, ""),
    wide: true,
    json: readPath("room_context", { roomId }),
    follow: { roomId, after: context.activityWatermark },
    about: aboutRoom(room, visit.ask("person", { username: room.owner.userId })),
    body: html`<h1 dir="auto">${room.title}</h1>
${roleIn(visit, room) === "owner" && html`<p class="meta"><a href="${to(settingsPath(roomId))}">Settings</a></p>`}
${room.question === null ? null : html`<p class="lead asks" dir="auto">${inlineMarkdown(room.question)}</p>`}
${roomBanners(room)}
<section aria-label="Where it stands" id="live-where" data-live>${said}</section>
${
  figure === null
    ? html`<div class="brief"><div>${believed}</div><div>${ahead}${failed}${open}</div></div>`
    : html`<div class="brief drawn"><div><div id="live-picture" data-live>${figure}</div>${failed}</div>\
<div>${believed}${ahead}${open}</div></div>`
}
${live("changed", whatChanged(since))}
${doing(
  visit,
  () =>
    html`<section aria-label="Actions">\
${forMembers(
  visit,
  room,
  html`${act("publish_hypothesis", at, "Publish a hypothesis")}\
${act("propose_experiment", at, "Propose an experiment")}${act("publish_finding", at, "Publish a finding")}\
${act("publish_cited_claim", at, "Cite a claim")}${act("register_material", at, "Register a material")}`,
)}</section>`,
)}
${threads(visit, context)}
${doing(visit, () => agents(visit, room))}
${unsure !== "" && html`<p class="meta" id="unproved">${unsure}</p>`}
${licence(room.license)}
${ways([
  ["Cite it as BibTeX", readPath("room_citation", { roomId }, { format: "bibtex" })],
  ["RIS", readPath("room_citation", { roomId }, { format: "ris" })],
  ["CSL-JSON", readPath("room_citation", { roomId }, { format: "csl" })],
  ["CITATION.cff", readPath("room_citation", { roomId }, { format: "cff" })],
  ["JSON", readPath("room_context", { roomId })],
  ["RO-Crate", readPath("room_export", { roomId })],
  ["SQLite file", readPath("room_sqlite", { roomId })],
])}`,
  }
}
