/**
 * Boards: what is compared, and how, declared before anything is ranked. Groups of attempts with comparable
 * measurements are ranked, and a best one is named only if it is distinct from the next.
 */
import * as v from "valibot"
import { operation } from "../definitions/operation.ts"
import { quoting } from "../definitions/sentence.ts"
import { subject } from "../schema/parts.ts"
import { text, plain, oneOf, distinct, shape, uuid } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { enumerations } from "../schema/enumerations.ts"
import { described } from "../schema/validation.ts"
import { dimensionName, dimensions, pool, repository, argv, digest } from "../definitions/work.ts"
import { id, at, freeText, count } from "../answers/fields.ts"
import { author, schemaVersion, page } from "../answers/parts.ts"
import { measuredGroup, place, noise } from "../answers/measurements.ts"
import { read, markdown } from "../definitions/read.ts"

const some = v.exactOptional

export const declareBoard = operation({
  name: "declare_board",
  sentence: ({ title }, label) => `declared board ${label}${quoting(title)}`,
  summary:
    "Declares a comparison in a Room: a metric, which direction is better, and the evaluator and data that " +
    "attempts must be pinned to. The board ranks the groups of such attempts by their means, and names a best one " +
    "only if it is distinct from the next.",
  permissions: ["publish_records"],
  target: "board",
  fields: {
    roomId: subject("room"),
    threadId: subject("thread"),
    title: text(limits.title),
    metric: plain(limits.name),
    split: some(plain(limits.name)),
    direction: oneOf(enumerations.direction),
    by: some(
      described(
        distinct(dimensionName, limits.dimensions, 1),
        "The dimensions whose values form the ranked groups. Default: arm.",
      ),
    ),
    over: some(described(dimensionName, "The dimension of repetitions, such as seed.")),
    where: some(dimensions),
    pool: some(described(pool, "Settings whose values are merged. Rows are parted by every other setting.")),
    baseline: some(
      described(dimensions, "The group that the others are compared with: its value for each dimension in by."),
    ),
    evaluator: described(
      shape({ repository, argv: some(argv) }),
      "What measures. Only attempts count that are pinned to this commit and whose command line begins with argv.",
    ),
    data: described(
      distinct(digest, limits.materials),
      "Digests of materials. An attempt must have all of them among its inputs.",
    ),
  },
  result: { boardId: uuid, label: v.string() },
  example: {
    roomId: "0198f3a0-0000-7000-8000-000000000001",
    threadId: "0198f3a0-0000-7000-8000-000000000002",
    title: "Loss at step 1,000 on the shared validation set",
    metric: "loss",
    direction: "lower",
    over: "seed",
    where: { size: 50 },
    baseline: { arm: "no_warm_up" },
    evaluator: {
      repository: { url: "https://github.com/example/warm-up", commit: "3f786850e387550fdab836ed7e6dc881de23001b" },
      argv: ["python", "evaluate.py"],
    },
    data: ["sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
  },
})

// The answers.

const boardIdentity = {
  boardId: id,
  label: v.string(),
  roomId: id,
  threadId: id,
  entryId: id,
  author,
  declaredAt: at,
  title: freeText,
  metric: freeText,
  direction: v.picklist(enumerations.direction),
}
const boardSummary = shape(boardIdentity)
export type BoardSummary = v.InferOutput<typeof boardSummary>

const row = shape({
  /** From 1, by the mean; null if no value is finite. */
  rank: v.nullable(count),
  /** `contrast` is the difference to the baseline, if the board has one. */
  ...measuredGroup.entries,
  /** Attempts that reran it, that reproduced it, and that failed to. They are counted but do not change the mean. */
  reruns: count,
  reproductions: count,
  failedReproductions: count,
})

const board = shape({
  schemaVersion,
  ...boardIdentity,
  contentDigest: v.string(),
  split: v.nullable(freeText),
  unit: v.nullable(freeText),
  by: v.array(v.string()),
  over: v.nullable(v.string()),
  where: place,
  /** The settings that part rows with the same key, and those that `pool` merged. */
  partedBy: v.array(v.string()),
  pooled: v.array(v.string()),
  baseline: v.nullable(place),
  evaluator: shape({
    repository: shape({ url: v.string(), commit: v.string() }),
    argv: v.exactOptional(v.array(freeText)),
  }),
  data: v.array(v.string()),
  rows: v.array(row),
  /** What the same code with the same settings differs by from run to run. */
  noise,
  /** The first row, if its difference to the next is distinct from zero; else null. */
  best: v.nullable(place),
  /** The first row minus the next. The interval is corrected for every pair of groups that could have come first. */
  lead: v.nullable(
    shape({
      of: place,
      against: place,
      method: v.picklist(["paired", "welch"]),
      estimate: v.number(),
      low: v.number(),
      high: v.number(),
      level: v.number(),
      belowNoise: v.boolean(),
    }),
  ),
  /** Which row is best, or why none is named, in a sentence. */
  sentence: freeText,
  /**
   * The denominator: every attempt of the Room pinned to the evaluator and the data, however it ended. Then those of
   * them that succeeded and reported the metric.
   */
  attempts: count,
  measured: count,
  /** Whether older attempts, or the lowest groups, are left out. */
  truncated: v.boolean(),
  /**
   * What was excluded: attempts of other code or data that reported the metric, attempts that failed or have not ended,
   * and values with other dimensions.
   */
  leftOut: shape({
    otherEvaluator: count,
    otherData: count,
    unfinishedAttempts: count,
    withoutBy: count,
    excluded: count,
  }),
})
export type BoardAnswer = Omit<v.InferOutput<typeof board>, "schemaVersion">

export const boardReads = [
  read({
    name: "room_boards",
    path: "/api/research/rooms/{roomId}/boards",
    summary: "The boards of a Room, in the order in which they were declared.",
    cursor: "uuid",
    answer: page(boardSummary),
  }),
  read({
    name: "board",
    costly: true,
    path: "/api/research/boards/{boardId}",
    summary:
      "One board: the groups of attempts that are pinned to its evaluator and data, ranked by mean, with interval " +
      "and n. A best one is named only if its difference to the next is distinct from zero, corrected for every " +
      "pair of groups. The reruns and reproductions of each are counted.",
    answer: board,
    formats: markdown,
  }),
] as const
