/**
 * The boards of a Room, and the page of a board: its ranked groups, and whether the first can be told apart from the
 * next.
 */
import { unitInWords } from "../../research/measurements/statistics.ts"
import { acrossInWords, noiseInWords } from "../../research/measurements/in-words.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { address, entryPath, readPath, type Content, type Html, html, joined, to } from "../html.ts"
import { type IntervalRow, intervalTable } from "../charts/axis.ts"
import { inlineMarkdown } from "../markdown.ts"
import { act } from "../parts/actions.ts"
import { stateBadge } from "../parts/marks.ts"
import {
  list,
  section,
  argv,
  digest,
  empty,
  exactTime,
  facts,
  heading,
  label,
  person,
  repository,
  time,
  ways,
} from "../parts/parts.ts"
import { following } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted } from "../words.ts"
import { drawn, drawnMean } from "./forest.ts"
import { roomOf, sectionPage } from "./room-lists.ts"

type Board = AnswerOf<"board">
type Row = Board["rows"][number]

const quiet = (text: Content): Html => html`<span class="quiet">${text}</span>`
/** Maximum number of attempts linked in a row. */
const LINKED = 3

function repeatsOf({ reruns, reproductions, failedReproductions }: Row): Html {
  const counts = [
    reproductions > 0 && `${reproductions} held`,
    failedReproductions > 0 && `${failedReproductions} did not hold`,
    reruns > 0 && counted(reruns, "rerun"),
  ].filter((count) => count !== false)
  return counts.length === 0 ? quiet("none") : html`${counts.join(", ")}`
}

function rowOf({ by, best, unit }: Board, row: Row): IntervalRow {
  const { rank, key, n, attempts, isBaseline } = row
  const isBest = best !== null && by.every((name) => String(best[name]) === String(key[name]))
  const named = attempts.slice(0, LINKED).map((attempt) => label("attempt", attempt.attemptId, attempt.label))
  const [first = "", ...others] = by.map((name) => String(key[name] ?? ""))
  const unlinked = attempts.length > LINKED ? quiet(` and ${attempts.length - LINKED} more`) : null
  return {
    ...drawnMean(row, unit, "no finite value"),
    head: html`${rank === null ? null : `${rank}. `}${first}\
${isBest ? html` ${stateBadge("supported", "best")}` : null}\
${isBaseline ? html` <span class="tag">baseline</span>` : null}`,
    cells: [...others, html`${joined(named, " ")}${unlinked}`, n, repeatsOf(row)],
    look: isBaseline ? "base" : undefined,
  }
}

/** Renders the differences from the baseline; null if there is no baseline. */
function differences({ rows, by, unit }: Board): Html | null {
  const compared = rows.flatMap(({ contrast, key }): IntervalRow[] => {
    if (contrast === null) return []
    const { pairs, corrected, belowNoise, pairedAcross } = contrast
    const apart = corrected === null ? [] : [corrected.isDistinct ? "told apart" : "not told apart"]
    const across = pairedAcross === null ? [] : [`compared ${acrossInWords(pairedAcross)}`]
    const holm = [...apart, ...across, ...(belowNoise ? ["smaller than the noise"] : [])].join(", ")
    const [first = "", ...others] = by.map((name) => String(key[name] ?? ""))
    return [
      {
        ...drawn({ ...contrast, unit }),
        head: first,
        cells: [...others, pairs === null ? "unpaired" : counted(pairs, "pair"), holm],
      },
    ]
  })
  if (compared.length === 0) return null
  const table = {
    caption: "Differences from the baseline",
    head: [...by, "pairs", "After correction"],
    measures: "difference, with its 95 % interval",
    unit,
  }
  return section(
    "differences",
    "Against the baseline",
    intervalTable({ ...table, numbers: "Estimate", zero: true }, compared),
  )
}

function leftOut({ attempts, measured, leftOut: out, truncated }: Board): string {
  const parts = [
    out.unfinishedAttempts > 0 && `${counted(out.unfinishedAttempts, "attempt")} failed or not finished`,
    out.otherEvaluator > 0 && `${counted(out.otherEvaluator, "attempt")} with other code`,
    out.otherData > 0 && `${counted(out.otherData, "attempt")} with other data`,
    out.withoutBy + out.excluded > 0 && `${counted(out.withoutBy + out.excluded, "value")} with other dimensions`,
    truncated && "older attempts",
  ].filter((part) => part !== false)
  return (
    `${measured} of ${counted(attempts, "attempt")} with this code and data ${measured === 1 ? "is" : "are"} ` +
    `included.${parts.length === 0 ? "" : ` Left out: ${parts.join("; ")}.`}`
  )
}

export function boardPage(visit: Visit): Shown {
  const board = visit.ask("board", visit.params)
  const { boardId, roomId, metric, split, unit, direction, by, over, where, evaluator, data } = board
  const room = visit.room(roomId)
  const places = Object.entries(where).map(([name, value]) => `${name} ${String(value)}`)
  const measures =
    `${metric}${split === null ? "" : ` (${split})`}` +
    `${unit === null ? "" : ` in ${unitInWords(unit)}`}, ${direction} is better`
  const table = { caption: board.title, head: [...by, "Attempts", "n", "Run again"], measures, numbers: "Mean", unit }
  const none = html`No attempt counts yet. An attempt counts if it runs the code below, names the data as inputs, \
succeeds, and reports ${metric} by ${by.join(" and ")}.`
  return {
    title: `${board.label}: ${board.title}`,
    ...following(room),
    json: readPath("board", { boardId }),
    body: html`<p class="meta"><span><span class="label">${board.label}</span> board</span>\
<span>${person(board.author)}</span><span>${exactTime(board.declaredAt)}</span></p>
<h1 dir="auto">${inlineMarkdown(board.title)}</h1>
<div id="live-board" data-live><p class="lead">${board.sentence}</p>
${
  board.rows.length === 0
    ? empty(none)
    : intervalTable(
        table,
        board.rows.map((row) => rowOf(board, row)),
      )
}
<p class="meta"><span>${leftOut(board)}</span>\
${board.noise && html`<span>Noise from run to run: ${noiseInWords(board.noise, board.unit)}.</span>`}</p>
${differences(board)}</div>
<section aria-labelledby="declared">${heading(2, "declared", "What was declared")}${facts([
      ["Metric", measures],
      ["Ranked by", by.join(", ")],
      ["Repeated over", over],
      ["Restricted to", places.join(", ") || null],
      ["Code", repository(evaluator.repository)],
      ["Command begins with", evaluator.argv && argv(evaluator.argv)],
      data.length === 0 ? null : ["Data", data.map((each) => html`${digest(each)}<br>`)],
      ["Content digest", digest(board.contentDigest)],
      ["Declared at", html`<a href="${to(entryPath(board.threadId, board.entryId))}">its place in the Thread</a>`],
    ])}</section>
<div class="next-act" role="group" aria-label="Next">\
<a class="button quiet" href="${to(`/rooms/${roomId}/attempts`)}">Compare attempts</a><span>\
<strong>Next:</strong> see the attempts behind it, or register one at this commit.</span></div>
${ways([
  ["JSON", readPath("board", { boardId })],
  ["Markdown", readPath("board", { boardId }, { format: "markdown" })],
])}`,
  }
}

export function boardsPage(visit: Visit): Shown {
  const room = roomOf(visit)
  const { roomId } = room
  const { items, nextCursor } = visit.ask("room_boards", { roomId }, { after: visit.parameter("after") })
  const item = ({ boardId, label: text, title, metric, direction, author, declaredAt }: (typeof items)[number]) =>
    html`<li data-entry><p class="meta"><span>${label("board", boardId, text)}</span>\
<span>${metric}, ${direction} is better</span><span>${person(author)}</span><span>${time(declaredAt)}</span></p>
<a class="wording" href="${address("board", boardId)}" dir="auto">${title}</a></li>`
  const none = empty("No board yet. A board declares a metric, code and data, and ranks the attempts that use them.")
  return sectionPage(visit, room, {
    path: "/boards",
    name: "Boards",
    json: readPath("room_boards", { roomId }),
    lead: "Comparisons declared before any attempt was ranked",
    actions: act("declare_board", { roomId, threadId: room.openingThreadId }, "Declare a board"),
    list: list("cards", items, item, none),
    next: nextCursor,
  })
}
