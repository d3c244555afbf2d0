/** A checkpoint, as its own document and at the top of its Thread's. */
import { changedInWords, kindInWords } from "../contract/answers/changed.ts"
import { numbersInWords } from "../contract/answers/numbers.ts"
import { writerName } from "../contract/answers/parts.ts"
import { reviewedInWords } from "../contract/answers/reviews.ts"
import { knownThenSentence, staleSentence } from "../contract/answers/evidence.ts"
import { limits } from "../contract/limits.ts"
import { type AnswerOf, pathTo } from "../contract/reads/index.ts"
import { keptTableInWords } from "../research/measurements/kept-tables.ts"
import {
  pictureLines,
  linkTo,
  quoted,
  recordLine,
  quotedWithin,
  inline,
  assemble,
  reviewsOf,
  type DocumentSource,
} from "./writing.ts"

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
export function checkpointText(checkpoint: CheckpointText, bytes: number): string {
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
