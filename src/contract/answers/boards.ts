/** Boards: groups of attempts that were measured alike, ranked, and a best one only where it can be told apart. */
import * as v from "valibot"
import { enumerations } from "../schema/enumerations.ts"
import { shape } from "../schema/fields.ts"
import { at, count, dated, id, said } from "./fields.ts"
import { measuredGroup, place } from "./measurements.ts"
import { author, schemaVersion } from "./parts.ts"

const boardIs = {
  boardId: id,
  label: v.string(),
  roomId: id,
  threadId: id,
  entryId: id,
  author,
  declaredAt: at,
  title: said,
  metric: said,
  direction: v.picklist(enumerations.direction),
}
export const boardSummary = shape(boardIs)
export type BoardSummary = v.InferOutput<typeof boardSummary>

const row = shape({
  /** From 1, by the mean; null where no value is finite. */
  rank: v.nullable(count),
  /** `contrast` is the difference to the baseline, where the board has one. */
  ...measuredGroup.entries,
  /** Attempts that ran this again, and those that reproduced it and did not: they are counted, and move no mean. */
  reruns: count,
  reproductions: count,
  failedReproductions: count,
})

export const board = shape({
  schemaVersion,
  ...boardIs,
  contentDigest: v.string(),
  split: v.nullable(said),
  unit: v.nullable(said),
  by: v.array(v.string()),
  over: v.nullable(v.string()),
  where: place,
  baseline: v.nullable(place),
  evaluator: shape({ repository: shape({ url: v.string(), commit: v.string() }), argv: v.exactOptional(v.array(said)) }),
  data: v.array(v.string()),
  rows: v.array(row),
  /** The first one, where its difference to the next can be told from zero; else null. */
  best: v.nullable(place),
  /** The first less the next: the interval allows for every pair of groups that could have come first. */
  lead: v.nullable(
    shape({
      of: place,
      against: place,
      method: v.picklist(["paired", "welch"]),
      estimate: v.number(),
      low: v.number(),
      high: v.number(),
      level: v.number(),
    }),
  ),
  /** Who is best, or why nobody is named, in a sentence. */
  sentence: said,
  /** Every attempt of the Room that was pinned to the evaluator and the data, however it ended: the denominator; and those of them that succeeded and reported the metric. */
  attempts: count,
  measured: count,
  /** Whether older attempts, or groups ranked last, are left out. */
  truncated: v.boolean(),
  /** What took no part: attempts of other code or data that reported the metric, attempts that failed or are not over, values elsewhere. */
  leftOut: shape({ otherEvaluator: count, otherData: count, unfinishedAttempts: count, withoutBy: count, excluded: count }),
  ...dated,
})
export type BoardAnswer = Omit<v.InferOutput<typeof board>, "schemaVersion">
