/**
 * The answer of the measurement table: groups of measured values, each with its mean, interval and difference to a
 * baseline; and that of the effects about a record.
 */
import * as v from "valibot"
import { count, id, freeText } from "./fields.ts"
import { author, schemaVersion } from "./parts.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom, independence } from "./evidence.ts"
import { shape } from "../schema/fields.ts"

const number = v.nullable(v.number())
export const scalar = v.union([freeText, v.number(), v.boolean()])
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

/**
 * What the same code with the same settings differs by from run to run: the spread over seeds, or over repeats. `from`
 * has the labels of the attempts.
 */
export const noise = v.nullable(shape({ sd: v.number(), n: count, over: v.string(), from: v.array(v.string()) }))

/**
 * What the two sides come from if they have no experiment, commit and settings in common, and the settings in which
 * they differ; null if they are near.
 */
export const pairedAcross = v.nullable(
  shape({ experiments: v.array(v.string()), commits: v.array(v.string()), settings: v.array(v.string()) }),
)

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
  /** Pairs are made within one attempt first, then within one experiment at the same commit and settings. */
  pairedAcross,
  noise,
  /** Whether it is smaller than the noise. */
  belowNoise: v.boolean(),
  /**
   * The interval after Holm's correction for all comparisons of the table, their number, and whether it excludes zero.
   * A difference across experiments, commits or settings is never distinct.
   */
  corrected: v.nullable(
    shape({ level: v.number(), low: v.number(), high: v.number(), isDistinct: v.boolean(), comparisons: count }),
  ),
})

/** Values of settings that are merged, by name; null is not stated. */
export const merged = v.record(v.string(), v.array(v.nullable(scalar)))

/** What a group is, and its mean. */
const measuredGroupParts = {
  key: place,
  settings: v.record(v.string(), v.nullable(scalar)),
  n: count,
  mean: number,
  low: number,
  high: number,
}

export const measuredGroup = shape({
  key: place,
  /** The settings that part groups with one key, as its attempts state them; null if they state none. */
  settings: v.record(v.string(), v.nullable(scalar)),
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
  /** What differs between the attempts of the group and does not part them. */
  differs: v.array(v.picklist(["commit", "command", "inputs", "environment"])),
  /** Settings that are merged, because `pool` names them or because each attempt has a text of its own. */
  merged,
  isBaseline: v.boolean(),
  contrast: v.nullable(contrast),
  /** With `points=1`: each value, or the mean of the values that share a value of `over`. */
  points: v.exactOptional(v.array(shape({ over: v.nullable(scalar), value: v.number() }))),
  /** What a reader must know before comparing this group. */
  notes: v.array(v.string()),
})

/**
 * Attempts of whose values names were withheld, if there are any. Those values are in no table; of which metric they
 * were is not known any more.
 */
const removed = v.exactOptional(shape({ attempts: count, sentence: freeText }))
export const removedFrom = (attempts: number): { removed?: v.InferOutput<typeof removed> } => {
  if (attempts === 0) return {}
  const of = `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`
  const sentence = `Not in it: values of ${of} that were withheld, of this metric or of another.`
  return { removed: { attempts, sentence } }
}

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
  /** The settings that part groups with the same key, and those that `pool` merged. */
  partedBy: v.array(v.string()),
  pooled: v.array(v.string()),
  groups: v.array(measuredGroup),
  noise,
  /** The number of differences with an interval, for which Holm's correction allows; and the same in words. */
  comparisons: count,
  family: v.nullable(freeText),
  leftOut: shape({
    /** Attempts that failed or have not ended. */
    unfinishedAttempts: count,
    /** Reruns and reproductions; ask for them with `intents`. */
    otherIntents: count,
    /** Values without a dimension of `by`, and values that `where` excludes. */
    withoutBy: count,
    excluded: count,
    removed,
  }),
})

export const effectFigures = {
  method: contrast.entries.method,
  estimate: v.number(),
  se: number,
  df: number,
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
  pairedAcross,
  noise,
  belowNoise: v.boolean(),
  merged,
}
const figures = shape(effectFigures)
export type EffectFigures = v.InferOutput<typeof figures>

/** An effect in a receipt, as it was worked out when the write was accepted. */
export const landedEffect = shape({
  /** With its interval; of a reproduction, how it compares with the effect that it repeats. */
  sentence: freeText,
  estimate: number,
  low: number,
  high: number,
  /** Of a reproduction: the effect that it repeats, and the verdict by the numbers. */
  repeats: v.exactOptional(shape({ versionId: id, effect: count })),
  verdict: v.exactOptional(v.nullable(v.picklist(enumerations.reproductionVerdict))),
})
export type LandedEffect = v.InferOutput<typeof landedEffect>

/** How the effect of a reproduction compares with the one that it repeats. */
export const comparison = shape({
  agreement: v.picklist(enumerations.effectAgreement),
  sentence: freeText,
  /** The second estimate minus the first, with its 95 % interval (Welch); null if either has no spread. */
  difference: v.nullable(shape({ estimate: v.number(), low: v.number(), high: v.number() })),
})
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

/** A reproduction of an effect, by an attempt or by a finding that repeats it. */
const reproduction = shape({
  by: shape({ kind: v.picklist(["attempt", "finding"]), id, label: v.string(), ...fromOtherRoom }),
  author,
  independence,
  /** By the numbers; null if either can no longer be computed. */
  verdict: v.nullable(v.picklist(enumerations.reproductionVerdict)),
  estimate: number,
  se: number,
  low: number,
  high: number,
  /** Pairs, or the values on the side that has fewer. */
  n: count,
  isPooled: v.boolean(),
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
  belowNoise: v.nullable(v.boolean()),
  merged: v.nullable(merged),
  pool: v.array(v.string()),
  /** The bounds that it claims: the difference is smaller than this. */
  within: v.nullable(v.number()),
  /** Whether its 90 % interval lies inside; null without bounds. */
  isWithin: v.nullable(v.boolean()),
  /** The commits of the attempts whose values it compares, oldest first. */
  commits: v.exactOptional(v.array(v.string())),
  /** The effect in words, with its interval. */
  sentence: freeText,
  /** Whether its values have changed since: an attempt fell or reported more, or names of its metrics were withheld. */
  isStale: v.boolean(),
  staleReason: v.nullable(v.picklist(enumerations.effectStaleReason)),
  /** What it would be now; null if it is the same, or can no longer be computed. */
  now: v.nullable(shape({ ...effectFigures, sentence: freeText })),
  repeats: v.nullable(repeated),
  /**
   * The same contrast in the table of its metric and baseline over the Room, corrected for the comparisons there; null
   * if there is no such cell.
   */
  inTable: v.nullable(
    shape({
      estimate: v.number(),
      low: number,
      high: number,
      pairs: v.nullable(count),
      isDistinct: v.boolean(),
      comparisons: count,
    }),
  ),
  /** The attempts and findings that repeat it, oldest first, each with its own figures in the same direction. */
  reproductions: v.array(reproduction),
  /** Of it and of the reproductions that share no attempt; null without any. */
  pooled: v.nullable(
    shape({
      k: count,
      estimate: v.number(),
      se: v.number(),
      low: v.number(),
      high: v.number(),
      method: v.picklist(["common_effect", "random_effects"]),
    }),
  ),
})
export type EffectAnswer = v.InferOutput<typeof effect>
export type MeasurementTable = Omit<v.InferOutput<typeof measurementTable>, "schemaVersion">

/**
 * Why an effect is stale, in words. @param now what it would be now, as a sentence; left out if that is the same or
 * unknown
 */
export const whyStale = (reason: NonNullable<EffectAnswer["staleReason"]>, now?: string): string =>
  reason === "values_withheld"
    ? "Names of values that its attempts reported have been withheld since; the figures are of the remaining " +
      `values.${now === undefined ? "" : ` Now: ${now}`}`
    : `Its values have changed since. ${now === undefined ? "It can no longer be computed." : `Now: ${now}`}`

const keptGroup = shape({
  ...measuredGroupParts,
  isBaseline: v.boolean(),
  /** The labels of its attempts, the first of them. */
  attempts: v.array(v.string()),
  contrast: v.nullable(
    shape({
      estimate: v.number(),
      se: number,
      low: number,
      high: number,
      pairs: v.nullable(count),
      pairedAcross,
      belowNoise: v.boolean(),
      /** Whether the interval that is corrected for the comparisons of the table excludes zero. */
      isDistinct: v.boolean(),
    }),
  ),
})

/** A table that a checkpoint rests on, as it was when the checkpoint was written. */
export const keptTable = shape({
  metric: freeText,
  split: v.nullable(freeText),
  unit: v.nullable(freeText),
  by: v.array(v.string()),
  over: v.nullable(v.string()),
  against: v.nullable(freeText),
  where: place,
  pool: v.array(v.string()),
  /** Null: all experiments of the Room. */
  experimentIds: v.nullable(v.array(id)),
  groups: v.array(keptGroup),
  /** The number of differences for which Holm's correction allows. */
  comparisons: count,
  noise: v.exactOptional(noise),
  /**
   * Rows and groups of a larger table that are not kept: those that the text does not name, with the smaller
   * differences. They count among the comparisons.
   */
  leftOut: v.exactOptional(shape({ rows: count, groups: count })),
  removed,
  /** Groups whose values have changed since, with what they are now; null if there is no such group any more. */
  moved: v.array(shape({ key: place, settings: measuredGroupParts.settings, now: v.nullable(keptGroup) })),
  isStale: v.boolean(),
})
export type KeptTable = v.InferOutput<typeof keptTable>

/** The table that a Room rests its answer on, and where it comes from. */
export const roomTable = shape({
  schemaVersion,
  roomId: id,
  /** The newest selected checkpoint that has a table or, without one, the newest finding that rests on an effect. */
  from: v.nullable(shape({ kind: v.picklist(["checkpoint", "finding"]), id, label: v.nullable(v.string()) })),
  table: v.nullable(keptTable),
})

// The effects in findings about a record, grouped by what they compare.

const estimate = shape({
  /** The finding, and the index of the effect in it. */
  versionId: id,
  effect: count,
  label: v.string(),
  ...fromOtherRoom,
  author,
  /** Whether it is based on other code than the record; null if unknown. */
  otherCode: v.nullable(v.boolean()),
  estimate: v.number(),
  se: number,
  low: number,
  high: number,
  /** Pairs, or the values on the side that has fewer. */
  n: count,
  isStale: v.boolean(),
  /** Whether the pooled estimate includes it; no two included estimates rest on the same attempt. */
  isPooled: v.boolean(),
})
export type GatheredEstimate = v.InferOutput<typeof estimate>

const gatheredContrast = shape({
  /** "error of shift − baseline at labels 50" */
  what: freeText,
  metric: freeText,
  split: v.nullable(freeText),
  of: place,
  against: place,
  where: place,
  unit: v.nullable(freeText),
  /** The oldest first. */
  estimates: v.array(estimate),
  /**
   * A random-effects estimate: the variance by DerSimonian and Laird, the interval by Hartung and Knapp. Null for fewer
   * than three estimates.
   */
  pooled: v.nullable(
    shape({
      k: count,
      estimate: v.number(),
      se: v.number(),
      low: v.number(),
      high: v.number(),
      tau2: v.number(),
      i2: v.number(),
      q: v.number(),
      heterogeneity: v.string(),
    }),
  ),
})
export type GatheredContrast = v.InferOutput<typeof gatheredContrast>

export const recordEffects = shape({
  schemaVersion,
  versionId: id,
  contrasts: v.array(gatheredContrast),
  truncated: v.boolean(),
})
