/**
 * Boards: groups of attempts with comparable measurements, ranked. A best one is named only if it is distinct from the
 * next.
 */
import * as v from "valibot"
import { enumerations } from "../schema/enumerations.ts"
import { shape } from "../schema/fields.ts"
import { at, count, id, freeText } from "./fields.ts"
import { measuredGroup, noise, place } from "./measurements.ts"
import { author, schemaVersion } from "./parts.ts"

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
export const boardSummary = shape(boardIdentity)
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

export const board = shape({
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
