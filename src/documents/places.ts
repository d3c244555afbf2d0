/** The documents of a Room, of a Thread page by page with its checkpoint, and of a paper. */
import { writerName } from "../contract/answers/parts.ts"
import type { Entry } from "../contract/nouns/threads.ts"
import { reviewedInWords } from "../contract/nouns/reviews.ts"
import { limits } from "../contract/limits.ts"
import { pathTo, type AnswerOf } from "../contract/reads/index.ts"
import { Refusal } from "../contract/refusals.ts"
import {
  pictureLines,
  linkTo,
  quoted,
  inline,
  words,
  assemble,
  type DocumentSource,
  recordLine,
  quotedWithin,
  reviewsOf,
} from "./writing.ts"
import { changedInWords, kindInWords } from "../contract/answers/changed.ts"
import { numbersInWords } from "../contract/answers/numbers.ts"
import { knownThenSentence, staleSentence } from "../contract/nouns/checkpoints.ts"
import { keptTableInWords } from "../research/measurements/kept-tables.ts"

// A checkpoint, as its own document and at the top of its Thread's.

type Checkpoint = AnswerOf<"checkpoint">
type CheckpointText = Pick<
  Checkpoint,
  | "state"
  | "stale"
  | "staleReasons"
  | "knownThen"
  | "reviewed"
  | "author"
  | "at"
  | "coversThrough"
  | "conclusion"
  | "answer"
  | "synthesis"
  | "openQuestions"
>
/** The most reasons for staleness in the first line. */
const REASONS = 5

function stateOf(checkpoint: CheckpointText): string {
  const { state, stale, staleReasons, knownThen, reviewed, author, at, coversThrough } = checkpoint
  const since = stale ? `, stale: ${staleReasons.slice(0, REASONS).map(staleSentence).join(" ")}` : ""
  const then = knownThen.slice(0, REASONS).map(knownThenSentence).join(" ")
  const known = then === "" ? "" : `, known when it was written: ${then}`
  const by = `${writerName(author)}, ${at.slice(0, 10)}, through entry ${coversThrough}, ${reviewedInWords(reviewed)}`
  return `${state === "concluded" ? "Concluded" : "Where it stands"} (${by}${since}${known})`
}

/**
 * A checkpoint's conclusion, synthesis and open questions.
 * @param bytes the most bytes it may take; a longer synthesis is cut
 */
function checkpointText(checkpoint: CheckpointText, bytes: number): string {
  const { answer, conclusion, synthesis, openQuestions } = checkpoint
  const before =
    `${stateOf(checkpoint)}\n${answer === null ? "" : `\n${quoted(answer)}\n`}` +
    `${conclusion === null ? "" : `\n${quoted(conclusion)}\n`}`
  const after =
    openQuestions.length === 0
      ? ""
      : `\nOpen questions:\n\n${openQuestions.map((question) => `- ${inline(question)}\n`).join("")}`
  const left = bytes - Buffer.byteLength(before) - Buffer.byteLength(after)
  return `${before}\n${quotedWithin(synthesis, left)}\n${after}`
}

/** The bytes that a table takes in a document. */
const TABLE_BYTES = 8_000

const tableOf = ({ table }: Checkpoint): string =>
  table === null ? "" : `\n## The table it rests on\n\n${keptTableInWords(table, TABLE_BYTES)}\n`

export function checkpointDocument(source: DocumentSource): string {
  const { basePath, ask } = source
  const checkpointId = source.id("checkpointId")
  const checkpoint = ask("checkpoint", { checkpointId })
  const { thread } = ask("thread_context", { threadId: checkpoint.threadId })
  const replaced = checkpoint.selected ? "" : " A newer checkpoint has replaced it."
  const head = `# Checkpoint of ${inline(thread.title, 200)}

Checkpoint ${checkpointId} of ${linkTo(source, "thread", thread.threadId, "its Thread")} of \
${linkTo(source, "room", checkpoint.roomId, "its Room")}.${replaced}

${checkpointText(checkpoint, limits.documentBytes - 6_000 - TABLE_BYTES)}${tableOf(checkpoint)}`
  const numbers = numbersInWords(checkpoint.numbersCheck)
  return assemble(
    numbers === null ? head : `${head}\n${numbers}.\n`,
    [
      { title: "Pictures", items: pictureLines(source, checkpoint) },
      {
        title: "Records it cites",
        items: checkpoint.citations.map((record) => recordLine(source, record, 300)),
      },
      {
        title: "What changed of them",
        items: [...checkpoint.changed.map(changedInWords), ...checkpoint.reproductionKinds.map(kindInWords)],
      },
      reviewsOf(checkpoint),
    ],
    `${basePath}${pathTo("checkpoint", { checkpointId })}`,
  )
}

/** A Room: its brief and its Threads. */
export function roomDocument(source: DocumentSource): string {
  const { basePath, ask, text } = source
  const roomId = source.id("roomId")
  const brief = text("room_brief", { roomId }, { format: "markdown", budget: limits.documentBytes / 2 })
  const { items } = ask("room_threads", { roomId })
  const { counts } = ask("room", { roomId })
  return assemble(
    brief,
    [
      {
        title: "Threads",
        items: items.map(
          ({ threadId, title, author, timelineWatermark, stale }) =>
            `${linkTo(source, "thread", threadId, inline(title, 100).replace(/[[\]]/gu, ""))}: ` +
            `${timelineWatermark} entries, started by ${writerName(author)}${stale ? ", its conclusion stale" : ""}`,
        ),
        all: { link: `${basePath}${pathTo("room_threads", { roomId })}`, count: counts.threads },
      },
    ],
    `${basePath}${pathTo("room_brief", { roomId })}, everything: ${basePath}${pathTo("room_context", { roomId })}`,
  )
}

const receiptLine = (source: DocumentSource, { operation, target, result }: NonNullable<Entry["receipt"]>): string =>
  `${words(operation)} ${linkTo(source, target.kind, target.id, target.label, target)}` +
  `${typeof result.status === "string" ? `, now ${words(result.status)}` : ""}`

/** @param stated the checkpoint that stands whole above the entries */
function cardText(source: DocumentSource, { kind, card }: Entry, stated: string | undefined): string {
  if (card === undefined) return ""
  if ("checkpointId" in card && card.checkpointId === stated)
    return `the checkpoint above, through entry ${card.coversThrough}\n`
  if ("checkpointId" in card)
    return (
      `${card.state === "concluded" ? "concluded" : "a checkpoint"}, through entry ${card.coversThrough}, ` +
      `${reviewedInWords(card.reviewed)}:\n\n${quoted(card.answer ?? card.conclusion ?? card.synthesis)}\n` +
      `${card.openQuestions.map((question) => `\n> Open: ${inline(question)}\n`).join("")}`
    )
  const standing = card.status === "current" ? "" : ` (${card.status})`
  if ("linkId" in card)
    return (
      `${linkTo(source, "finding", card.versionId, card.label, card)}${standing} related to ` +
      `${linkTo(source, "experiment", card.experimentId, card.experimentLabel)} (link ` +
      `${card.linkId}):\n\n${quoted(card.wording)}\n`
    )
  const review = card.reviewed == null ? "" : ` (${reviewedInWords(card.reviewed)})`
  return (
    `${card.reused ? "reused: " : ""}${words(card.kind)} ` +
    `${linkTo(source, card.kind, card.versionId, card.label, card)}${standing}${review}` +
    `${kind === "publication" && card.note !== null ? `, ${inline(card.note)}` : ""}:\n\n${quoted(card.wording)}\n`
  )
}

function entryText(source: DocumentSource, entry: Entry, stated: string | undefined): string {
  const { sequence, at, author, entryId, message, receipt, replyToEntryId, replyCount } = entry
  const head = `\n${sequence}. ${writerName(author)}, ${at.slice(0, 16).replace("T", " ")}`
  if (receipt !== undefined) return `${head}: ${receiptLine(source, receipt)}\n`
  const answered =
    `${replyToEntryId === null ? "" : `, in reply to entry ${replyToEntryId}`}` +
    `${replyCount === 0 ? "" : `, ${replyCount} ${replyCount === 1 ? "reply" : "replies"}`}`
  return `${head} (entry ${entryId}${answered})${
    message === undefined
      ? `: ${cardText(source, entry, stated)}`
      : `:\n\n${quoted(message.text)}\n${pictureLines(source, message)
          .map((line) => `\n${line}\n`)
          .join("")}`
  }`
}

/** Bytes reserved for the lines below the entries. */
const FOOT = 500

/** A page of a Thread's timeline: from the start, or after the entry `after`. */
export function threadDocument(source: DocumentSource): string {
  const { basePath, ask, query } = source
  const threadId = source.id("threadId")
  const { thread, room, checkpoint } = ask("thread_research_context", { threadId }, { parts: "thread,room,checkpoint" })
  const after = query.get("after") ?? "0"
  if (!/^[0-9]{1,12}$/.test(after)) {
    const issue = { path: "/after", message: "must be the number of an entry" }
    throw new Refusal("invalid_parameter", `after ${issue.message}.`, { issues: [issue] })
  }
  const { items } = ask("thread_timeline", { threadId }, { after })
  const stated = after === "0" ? checkpoint?.checkpointId : undefined
  const texts = items.map((entry) => ({ sequence: entry.sequence, text: entryText(source, entry, stated) }))
  const head = `# ${inline(thread.title, 200)}

Thread ${threadId} of ${linkTo(source, "room", room.roomId, inline(room.title, 200).replace(/[[\]]/gu, ""))}, \
${thread.timelineWatermark} entries, started by ${writerName(thread.author)}.
`
  const taken = Buffer.byteLength(head) + Buffer.byteLength(texts[0]?.text ?? "") + FOOT
  const stands =
    checkpoint === null
      ? ""
      : after === "0"
        ? `\n${checkpointText(checkpoint, limits.documentBytes - taken)}`
        : `\nWhere it stands: ${linkTo(source, "checkpoint", checkpoint.checkpointId, "its checkpoint")}\n`
  let document = `${head}${stands}
## Entries after ${after}
`
  let last = Number(after)
  for (const { sequence, text } of texts) {
    // At least one entry, whose text is limited.
    if (last > Number(after) && Buffer.byteLength(document) + Buffer.byteLength(text) > limits.documentBytes - FOOT)
      break
    document += text
    last = sequence
  }
  if (last < thread.timelineWatermark) document += `\nContinue: ${basePath}/threads/${threadId}.md?after=${last}\n`
  return `${document}\nJSON: ${basePath}${pathTo("thread_timeline", { threadId }, { after })}\n`
}

/** A paper: the records that quote or use it. */
export function paperDocument(source: DocumentSource): string {
  const { basePath, ask } = source
  const arxivId = source.id("arxivId")
  const { items, nextCursor } = ask("paper_publications", { arxivId })
  const json = `${basePath}${pathTo("paper_publications", { arxivId })}`
  return assemble(
    `# arXiv:${arxivId}\n\nThis service knows only what records say about the paper. The paper: ` +
      `https://arxiv.org/abs/${arxivId}\n`,
    [
      {
        title: "Records that quote or use it",
        items: items.map(
          ({ kind, versionId, label, status, author, wording, roomId }) =>
            `${words(kind)} ${linkTo(source, kind, versionId, label)} (${status}, ${writerName(author)}, ` +
            `in ${linkTo(source, "room", roomId, "its Room")}): ${inline(wording)}`,
        ),
        all: { link: json, count: items.length + (nextCursor === null ? 0 : 1) },
      },
    ],
    json,
  )
}
