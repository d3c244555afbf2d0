/**
 * The answer of the measurement table: groups of measured values, each with its mean, interval and difference to a
 * baseline.
 */
import * as v from "valibot"
import { count, id, freeText } from "./fields.ts"
import { schemaVersion } from "./parts.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom } from "./evidence.ts"
import { shape } from "../schema/fields.ts"

const number = v.nullable(v.number())
const scalar = v.union([freeText, v.number(), v.boolean()])
export const place = v.record(v.string(), scalar)

/** A metric that attempts reported, with the dimensions it can be grouped by. */
const measuredMetric = shape({
  metric: freeText,
  split: v.nullable(freeText),
  /** More than one if attempts reported different units: their values are not comparable. */
  units: v.array(freeText),
  attempts: count,
  values: count,
  dimensions: v.array(shape({ dimension: v.string(), values: v.array(scalar), valuesTruncated: v.boolean() })),
})

const contrast = shape({
  /** `paired` over the dimension `over`, or `welch`. */
  method: v.picklist(["paired", "welch"]),
  /** The mean of the group minus that of the baseline. */
  estimate: v.number(),
  sd: number,
  se: number,
  df: number,
  low: number,
  high: number,
  p: number,
  pairs: v.nullable(count),
  unpaired: count,
  /** Pairs in which the group is below the baseline, and above it. */
  lower: count,
  higher: count,
  /** The interval after Holm's correction for all comparisons of the table, and whether it excludes zero. */
  corrected: v.nullable(shape({ level: v.number(), low: v.number(), high: v.number(), isDistinct: v.boolean() })),
})

export const measuredGroup = shape({
  key: place,
  n: count,
  mean: number,
  /** Null for a single value, whose spread is unknown. */
  sd: number,
  se: number,
  low: number,
  high: number,
  min: number,
  max: number,
  /** Values that are not finite numbers, from diverged runs. */
  nonFinite: count,
  /** Values without the dimension `over`, which are excluded. */
  withoutOver: count,
  attempts: v.array(shape({ attemptId: id, label: v.string() })),
  attemptsTruncated: v.boolean(),
  /** What differs between the attempts of the group. */
  differs: v.array(v.picklist(["code", "inputs"])),
  isBaseline: v.boolean(),
  contrast: v.nullable(contrast),
  /** With `points=1`: each value, or the mean of the values that share a value of `over`. */
  points: v.exactOptional(v.array(shape({ over: v.nullable(scalar), value: v.number() }))),
  /** What a reader must know before comparing this group. */
  notes: v.array(v.string()),
})

export const measurementTable = shape({
  schemaVersion,
  /** The first metrics, by name, that the attempts reported; the table is about the requested one. */
  metrics: v.array(measuredMetric),
  metricsTruncated: v.boolean(),
  metric: v.nullable(freeText),
  split: v.nullable(freeText),
  unit: v.nullable(freeText),
  by: v.array(v.string()),
  over: v.nullable(v.string()),
  against: v.nullable(shape({ dimension: v.string(), value: freeText })),
  where: v.record(v.string(), freeText),
  groups: v.array(measuredGroup),
  /** The number of differences with an interval, for which Holm's correction allows. */
  comparisons: count,
  leftOut: shape({
    /** Attempts that failed or have not ended. */
    unfinishedAttempts: count,
    /** Reruns and reproductions; ask for them with `intents`. */
    otherIntents: count,
    /** Values without a dimension of `by`, and values that `where` excludes. */
    withoutBy: count,
    excluded: count,
  }),
})

export const effectFigures = {
  method: contrast.entries.method,
  estimate: v.number(),
  se: number,
  low: number,
  high: number,
  p: number,
  unit: v.nullable(freeText),
  pairs: v.nullable(count),
  /** Of paired values: those with a value on one side only. */
  unpaired: count,
  /** Values on either side; those that share a value of `over` count as one. */
  ofCount: count,
  againstCount: count,
  /** Values without the dimension `over`, which are excluded. */
  withoutOver: count,
}
const figures = shape(effectFigures)
export type EffectFigures = v.InferOutput<typeof figures>

/** How the effect of a reproduction compares with the one that it repeats. */
export const comparison = shape({ agreement: v.picklist(enumerations.effectAgreement), sentence: freeText })
/** The present state of the effect that is repeated, and the comparison with it. */
const repeated = shape({
  versionId: id,
  /** The index of the effect in that finding. */
  effect: count,
  label: v.string(),
  ...fromOtherRoom,
  /** Null if either effect can no longer be computed. */
  comparison: v.nullable(comparison),
})

/** A difference that a finding rests on, as it was when the finding was published. */
export const effect = shape({
  experimentId: id,
  experimentLabel: v.string(),
  metric: freeText,
  split: v.nullable(freeText),
  of: place,
  against: place,
  over: v.nullable(v.string()),
  where: place,
  // If values were withheld since, these are computed from the rest; null if there is none.
  ...effectFigures,
  method: v.nullable(effectFigures.method),
  estimate: number,
  unpaired: v.nullable(count),
  ofCount: v.nullable(count),
  againstCount: v.nullable(count),
  withoutOver: v.nullable(count),
  /** The effect in words, with its interval. */
  sentence: freeText,
  /** Whether its values have changed since: an attempt fell or reported more, or names of its metrics were withheld. */
  isStale: v.boolean(),
  staleReason: v.nullable(v.picklist(enumerations.effectStaleReason)),
  /** What it would be now; null if it is the same, or can no longer be computed. */
  now: v.nullable(shape({ ...effectFigures, sentence: freeText })),
  repeats: v.nullable(repeated),
})
export type EffectAnswer = v.InferOutput<typeof effect>
export type MeasurementTable = Omit<v.InferOutput<typeof measurementTable>, "schemaVersion">

/**
 * Why an effect is stale, in words. @param now what it would be now, as a sentence; left out if that is the same or
 * unknown
 */
export const whyStale = (reason: NonNullable<EffectAnswer["staleReason"]>, now?: string): string =>
  reason === "values_withheld"
    ? `Names of values that its attempts reported have been withheld since; the figures are of the remaining values.${now === undefined ? "" : ` Now: ${now}`}`
    : `Its values have changed since. ${now === undefined ? "It can no longer be computed." : `Now: ${now}`}`
