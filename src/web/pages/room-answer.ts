/** The current answer of a Room, at the top of its front page, with the numbers that it rests on. */
import { firstParagraph } from "../../contract/text.ts"
import { staleSentence } from "../../contract/answers/evidence.ts"
import { type Html, html, joined, to } from "../html.ts"
import { inlineMarkdown, markdownInLink } from "../markdown.ts"
import { act, roleIn } from "../parts/actions.ts"
import { selectedCheckpoint } from "../parts/conclusion.ts"
import { effectFigure, repeatedBy, tableOfRoom } from "./effects.ts"
import { label, list, person, time } from "../parts/parts.ts"
import { stateBadge } from "../parts/marks.ts"
import { numbersLine, numbersOf } from "../parts/numbers.ts"
import { reviewLine } from "../parts/reviews.ts"
import type { Visit } from "../visit.ts"
import type { Context } from "./room-brief.ts"
import { counted } from "../words.ts"

type Checkpoint = Context["conclusions"][number]

/** Maximum numbers of other answers, and of records that the leading answer cites. */
const SHOWN = { also: 2, cited: 8 }

/** Sorts by id. Ids grow with time even if a clock is wrong. */
const newestFirst = (items: readonly Checkpoint[]): Checkpoint[] =>
  [...items].sort((one, other) => (one.checkpointId < other.checkpointId ? 1 : -1))

interface Standing {
  readonly said: Html
  /** The picture of what was measured; null if nothing was. */
  readonly figure: Html | null
}

/** Renders the newest answer that holds, other answers, those that no longer hold, and the picture beside them. */
export function answers(visit: Visit, { conclusions, syntheses, threads, room }: Context): Standing {
  const titles = new Map(
    threads.flatMap(({ threadId, title, opening }) => (opening ? [] : [[threadId, title] as const])),
  )
  const all = newestFirst([...conclusions, ...syntheses])
  const leadingId = visit.tables.checkpoints.leadingOf(room.roomId)?.checkpointId
  const lead = all.find(({ checkpointId }) => checkpointId === leadingId)
  const others = all.filter((each) => !each.stale && each !== lead)
  const fallen = all.filter(({ stale }) => stale)
  const inThreads = new Map(threads.map(({ threadId, title }) => [threadId, title]))
  const old = list("answers", fallen, (each) => selectedCheckpoint(each, inThreads))
  const named = lead === undefined ? "" : [lead.answer, lead.conclusion, lead.synthesis].join(" ")
  const said = html`${lead === undefined ? noAnswer(visit, room, fallen.length) : leading(visit, lead, titles)}${
    others.length > 0 &&
    html`<ul class="also" aria-label="Other answers">\
${others.slice(0, SHOWN.also).map((each) => short(each, titles))}</ul>`
  }${old && html`<details class="left-out"><summary>${noLonger(fallen)}</summary>${old}</details>`}`
  return { said, figure: roomFigure(visit, room.roomId, named) }
}

/** Renders the measured differences of a Room. @param named a text whose words name the rows that matter */
function roomFigure(visit: Visit, roomId: string, named: string): Html | null {
  const found = tableOfRoom(visit, roomId)
  if (found === null) return null
  const figure = effectFigure(visit, roomId, found.table, named, found.moved)
  return figure && html`${figure}${repeatedBy(visit, roomId, found.table.metric)}`
}

/** Says that there is no answer. If there are findings, members are offered to write one. */
function noAnswer(visit: Visit, room: Context["room"], fallen: number): Html {
  if (room.state === "archived") return html`<p>${stateBadge("archived", "Archived without a conclusion")}</p>`
  const role = roleIn(visit, room)
  const offer =
    (role === "member" || role === "owner") &&
    room.counts.finding > 0 &&
    html` ${act("post_research_checkpoint", { threadId: room.openingThreadId }, "Write the answer")}`
  return html`<p>${stateBadge("open", fallen > 0 ? "No answer holds" : "No answer yet")}${offer}</p>`
}

/** "1 conclusion no longer holds: F3, which it cites, is now retracted." */
function noLonger(fallen: readonly Checkpoint[]): string {
  const concluded = fallen.every(({ state }) => state === "concluded")
  const what = counted(fallen.length, concluded ? "conclusion" : "answer")
  const [reason] = fallen[0]?.staleReasons ?? []
  return (
    `${what} no longer ${fallen.length === 1 ? "holds" : "hold"}` +
    `${reason === undefined ? "." : `${fallen.length === 1 ? ":" : ". Of one,"} ${staleSentence(reason)}`}`
  )
}

/**
 * Renders the author, time and Thread of an answer. @param titles titles by id, without the opening Thread, which is
 * not shown
 */
const origin = ({ threadId, author, at }: Checkpoint, titles: ReadonlyMap<string, string>): Html => {
  const title = titles.get(threadId)
  return html`<span>${person(author)}</span><span>${time(at)}</span>\
${title === undefined ? null : html`<span>in <a href="${to(`/threads/${threadId}`)}" dir="auto">${title}</a></span>`}`
}

/** What an answer says, shortly: in its author's two sentences, or the first paragraph of what it concludes. */
export const saidIn = ({
  answer,
  conclusion,
  synthesis,
}: Pick<Checkpoint, "answer" | "conclusion" | "synthesis">): string => answer ?? firstParagraph(conclusion ?? synthesis)

function leading(visit: Visit, checkpoint: Checkpoint, titles: ReadonlyMap<string, string>): Html {
  const { checkpointId, state } = checkpoint
  const { citations, numbersCheck, roomId } = visit.ask("checkpoint", { checkpointId })
  const versionIds = citations.map(({ versionId }) => versionId)
  const said = saidIn(checkpoint)
  const path = to(`/checkpoints/${checkpointId}`)
  const rest = citations.length - SHOWN.cited
  const isConcluded = state === "concluded"
  const cited =
    citations.length > 0 &&
    html`<span class="cited">rests on ${joined(
      citations
        .slice(0, SHOWN.cited)
        .map(
          ({ kind, versionId, label: text, status }) =>
            html`${label(kind, versionId, text)}${status === "current" ? null : html` ${stateBadge(status)}`}`,
        ),
      " ",
    )}${rest > 0 && html` <a href="${path}">and ${rest} more</a>`}</span>`
  return html`<div class="banner ${isConcluded ? "good" : "quiet"} answer">\
<p class="said" dir="auto">\
${inlineMarkdown(said, numbersOf(visit, { roomId, versionIds, checkpointId, since: checkpoint.at }, said))}</p>
<p class="meta"><span>${stateBadge(state, isConcluded ? "Concluded" : "So far")}</span>\
<span>${reviewLine(checkpoint.reviewed)}${numbersLine(numbersCheck)}</span>${origin(checkpoint, titles)}${cited}\
<span><a href="${path}">${isConcluded ? "What it rests on" : "Read the whole synthesis"}</a></span></p></div>`
}

const short = (checkpoint: Checkpoint, titles: ReadonlyMap<string, string>): Html => {
  const { checkpointId, state } = checkpoint
  return html`<li>${stateBadge(state, state === "concluded" ? "Concluded" : "So far")} \
<a href="${to(`/checkpoints/${checkpointId}`)}" dir="auto">${markdownInLink(saidIn(checkpoint))}</a> \
<span class="meta"><span>${reviewLine(checkpoint.reviewed)}</span>${origin(checkpoint, titles)}</span></li>`
}
