/** The effects in findings about a record, grouped by what they compare. */
import * as v from "valibot"
import { shape } from "../schema/fields.ts"
import { fromOtherRoom } from "./evidence.ts"
import { count, id, freeText } from "./fields.ts"
import { place } from "./measurements.ts"
import { author, schemaVersion } from "./parts.ts"

const number = v.nullable(v.number())

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

const contrast = shape({
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
export type GatheredContrast = v.InferOutput<typeof contrast>

export const recordEffects = shape({
  schemaVersion,
  versionId: id,
  contrasts: v.array(contrast),
  truncated: v.boolean(),
})
