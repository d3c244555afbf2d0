/** What a number of a text is found to be, and the numbers that belong to it. */
import { canonicalJson } from "../../contract/json.ts"
import type { Scalar } from "../measurements/cells.ts"
import type { Group, Holder, Metric, Quantities } from "./quantities.ts"
import type { Figured } from "./scope.ts"

export type Is = {
  readonly kind: "mean" | "effect" | "metric" | "count" | "setting" | "dimension"
  readonly of: Holder | null
  readonly metric?: string
  readonly split?: string
  readonly group?: Readonly<Record<string, Scalar | null>>
  readonly role?: string
  readonly value: number
  readonly now?: number | null
  readonly n?: number
  readonly attempts?: readonly string[]
}

export interface Resolved {
  readonly state: "resolves" | "may_be" | "moved" | "unknown" | "setting"
  readonly is?: Is
  readonly candidates: number
}

/** What a number is, and the figure that a spread or an interval behind it belongs to. */
export interface Match {
  readonly is: Is
  readonly sheet?: Sheet
  readonly measure?: Pick<Metric, "name" | "unit">
  readonly hasMoved?: boolean
}

/** Most labels in an answer. */
const LABELS = 10

/** The numbers of a group or an effect, by what they are. */
export type Sheet = Readonly<Record<string, number | null>>
const sheets = new WeakMap<Group["summary"] | Figured, Sheet>()
export const sheetOf = ({ summary }: Group): Sheet =>
  sheets.getOrInsertComputed(summary, () => ({
    ...{ mean: summary.mean, sd: summary.sd, se: summary.se, low: summary.low, high: summary.high },
    ...{ min: summary.min, max: summary.max, n: summary.n },
    half: summary.low === null ? null : summary.mean - summary.low,
  }))
export const sheetOfEffect = (found: Figured): Sheet =>
  sheets.getOrInsertComputed(found, () => ({
    ...{ mean: found.estimate, se: found.se, low: found.low, high: found.high, p: found.p, df: found.df },
    ...{ sd: found.noise?.sd ?? null, n: found.pairs ?? Math.min(found.ofCount, found.againstCount) },
    half: found.low === null ? null : found.estimate - found.low,
  }))

/** The mean of a group, or another number of it. */
export function isOfGroup({ metric, holder, shown, summary, attempts }: Group, role: string, value: number): Is {
  return {
    ...{ kind: "mean", of: holder, metric: metric.name, role, group: shown, value, n: summary.n },
    ...(metric.split !== null && { split: metric.split }),
    attempts: attempts.slice(0, LABELS).map(({ label }) => label),
  }
}

/** What a quantity is now, of which a text states a former value; null if it is not there any more. */
export function presentOf({ kind, of, metric, split, group = {}, role = "mean" }: Is, quantities: Quantities) {
  const measures = (quantities.metrics.get(metric ?? "") ?? []).filter((each) => each.split === (split ?? null))
  const isSame = (other: Readonly<Record<string, Scalar | null>>) =>
    canonicalJson({ ...other }) === canonicalJson({ ...group })
  if (kind === "mean") {
    const groups = measures
      .flatMap((each) => each.groups)
      .filter(({ shown, holder }) => isSame(shown) && holder.id === of?.id)
    const [found] = groups
    return found === undefined ? null : (sheetOf(found)[role] ?? null)
  }
  if (kind !== "metric" || of === null) return null
  for (const measure of measures)
    for (const index of measure.ofAttempt.get(of.id) ?? [])
      if (isSame(dimensionsAt(measure, index))) return measure.frame.values[index] ?? null
  return null
}

/** The dimensions of a last value. */
export const dimensionsAt = ({ frame }: Metric, index: number): Readonly<Record<string, Scalar>> =>
  Object.fromEntries(
    [...frame.columns].flatMap(([name, { codes, scalars }]) => {
      const scalar = scalars[codes[index] ?? -1]
      return scalar === undefined ? [] : [[name, scalar]]
    }),
  )
