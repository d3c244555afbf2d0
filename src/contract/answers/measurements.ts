/** The answer of the measurement table: groups of measured values, each with its mean, interval and difference to a baseline. */
import * as v from "valibot"
import { count, dated, id, said } from "./fields.ts"
import { schemaVersion } from "./parts.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom } from "./evidence.ts"
import { shape } from "../schema/fields.ts"

const number = v.nullable(v.number())
/** The value of a dimension. */
const scalar = v.union([said, v.number(), v.boolean()])
export const place = v.record(v.string(), scalar)

/** A metric that attempts reported, with the dimensions it can be grouped by. */
const measuredMetric = shape({
  metric: said,
  split: v.nullable(said),
  /** More than one where attempts reported different units: their values are not comparable. */
  units: v.array(said),
  attempts: count,
  values: count,
  dimensions: v.array(shape({ dimension: v.string(), values: v.array(scalar), valuesTruncated: v.boolean() })),
})

const contrast = shape({
  /** `paired` over the dimension `over`, or `welch`. */
  method: v.picklist(["paired", "welch"]),
  /** The mean of the group less that of the baseline. */
  estimate: v.number(),
  sd: number,
  se: number,
  df: number,
  low: number,
  high: number,
  p: number,
  pairs: v.nullable(count),
  unpaired: count,
  /** Pairs in which the group is below and above the baseline. */
  lower: count,
  higher: count,
  /** The interval by Holm's correction for all comparisons of the table, and whether it tells the difference from zero. */
  corrected: v.nullable(shape({ level: v.number(), low: v.number(), high: v.number(), isDistinct: v.boolean() })),
})

/** A group of measured values. */
export const measuredGroup = shape({
  key: place,
  n: count,
  mean: number,
  /** Null for one value: its spread is not known. */
  sd: number,
  se: number,
  low: number,
  high: number,
  min: number,
  max: number,
  /** Values that are no finite number: diverged runs. */
  nonFinite: count,
  /** Values that lack the dimension `over`, and take no part. */
  withoutOver: count,
  attempts: v.array(shape({ attemptId: id, label: v.string() })),
  attemptsTruncated: v.boolean(),
  /** What the attempts of the group do not have in common. */
  differs: v.array(v.picklist(["code", "inputs"])),
  isBaseline: v.boolean(),
  contrast: v.nullable(contrast),
  /** With `points=1`: each value, the mean of those that share one value of `over`. */
  points: v.exactOptional(v.array(shape({ over: v.nullable(scalar), value: v.number() }))),
  /** What a reader must know before comparing this group. */
  notes: v.array(v.string()),
})

export const measurementTable = shape({
  schemaVersion,
  /** The metrics that the attempts reported, the first ones by name; the table is of the one asked for. */
  metrics: v.array(measuredMetric),
  metricsTruncated: v.boolean(),
  metric: v.nullable(said),
  split: v.nullable(said),
  unit: v.nullable(said),
  by: v.array(v.string()),
  over: v.nullable(v.string()),
  against: v.nullable(shape({ dimension: v.string(), value: said })),
  where: v.record(v.string(), said),
  groups: v.array(measuredGroup),
  /** Differences with an interval: what Holm's correction allows for. */
  comparisons: count,
  /** What took no part in the table, counted. */
  leftOut: shape({
    /** Attempts that failed or are not over. */
    unfinishedAttempts: count,
    /** Reruns and reproductions; ask for them with `intents`. */
    otherIntents: count,
    /** Values that lack a dimension of `by`, and values that `where` excludes. */
    withoutBy: count,
    excluded: count,
  }),
  ...dated,
})

const effectFigures = {
  method: contrast.entries.method,
  estimate: v.number(),
  se: number,
  low: number,
  high: number,
  p: number,
  /** The unit that the values were reported in; null where none was. */
  unit: v.nullable(said),
  pairs: v.nullable(count),
  /** Of paired values, those that only one side has. */
  unpaired: count,
  /** Values on either side; those that share one value of `over` count as one. */
  ofCount: count,
  againstCount: count,
  /** Values that lack the dimension `over` and take no part. */
  withoutOver: count,
}
const figures = shape(effectFigures)
export type EffectFigures = v.InferOutput<typeof figures>

/** What the effect of a reproduction says of the one that it repeats. */
export const comparison = shape({ agreement: v.picklist(enumerations.effectAgreement), sentence: said })
/** The effect of a finding that is repeated, as it is now, and what repeating it says. */
const repeated = shape({
  versionId: id,
  /** The place of the effect in that finding, from 0. */
  effect: count,
  label: v.string(),
  ...fromOtherRoom,
  /** Null where either cannot be worked out any more. */
  comparison: v.nullable(comparison),
})

/** A difference that a finding rests on, as it was when the finding landed. */
export const effect = shape({
  experimentId: id,
  experimentLabel: v.string(),
  metric: said,
  split: v.nullable(said),
  of: place,
  against: place,
  over: v.nullable(v.string()),
  where: place,
  // Of what is left where values were withheld since; null where nothing is.
  ...effectFigures,
  method: v.nullable(effectFigures.method),
  estimate: number,
  unpaired: v.nullable(count),
  ofCount: v.nullable(count),
  againstCount: v.nullable(count),
  withoutOver: v.nullable(count),
  /** The effect in words, with its interval. */
  sentence: said,
  /** Whether the values it was worked out from changed since: an attempt fell, reported more, or had names of its metrics withheld. */
  isStale: v.boolean(),
  staleReason: v.nullable(v.picklist(enumerations.effectStaleReason)),
  /** What it would be now; null while that is the same, or cannot be worked out any more. */
  now: v.nullable(shape({ ...effectFigures, sentence: said })),
  /** The effect of another finding that it repeats. */
  repeats: v.nullable(repeated),
})
export type EffectAnswer = v.InferOutput<typeof effect>
export type MeasurementTable = Omit<v.InferOutput<typeof measurementTable>, "schemaVersion">

/** Why an effect is stale, in words. @param now what it would be now, as a sentence; left out where that is the same or unknown */
export const whyStale = (reason: NonNullable<EffectAnswer["staleReason"]>, now?: string): string =>
  reason === "values_withheld"
    ? `Names of values that its attempts reported were withheld since: the figures are of what is left.${now === undefined ? "" : ` Now: ${now}`}`
    : `Its values changed since. ${now === undefined ? "It cannot be worked out any more." : `Now: ${now}`}`
