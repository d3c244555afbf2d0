/** Effects gathered by what they compare, for a record that findings with effects speak of. */
import * as v from "valibot"
import { shape } from "../schema/fields.ts"
import { fromOtherRoom } from "./evidence.ts"
import { count, dated, id, said } from "./fields.ts"
import { place } from "./measurements.ts"
import { author, schemaVersion } from "./parts.ts"

const number = v.nullable(v.number())

const estimate = shape({
  /** The finding, and the place of the effect in it, from 0. */
  versionId: id,
  effect: count,
  label: v.string(),
  ...fromOtherRoom,
  author,
  /** Whether other code ran than behind the record; null where it cannot be told. */
  otherCode: v.nullable(v.boolean()),
  estimate: v.number(),
  se: number,
  low: number,
  high: number,
  /** Pairs, or the values on the smaller side. */
  n: count,
  isStale: v.boolean(),
  /** Whether it is part of the pooled estimate: no two of those rest on the same attempt. */
  isPooled: v.boolean(),
})
export type GatheredEstimate = v.InferOutput<typeof estimate>

const contrast = shape({
  /** "error of shift − baseline at labels 50" */
  what: said,
  metric: said,
  split: v.nullable(said),
  of: place,
  against: place,
  where: place,
  unit: v.nullable(said),
  /** The oldest first. */
  estimates: v.array(estimate),
  /** Random effects: DerSimonian and Laird's variance between the estimates, Hartung and Knapp's interval. Null for fewer than three. */
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
  /** Whether older effects are left out. */
  truncated: v.boolean(),
  ...dated,
})
