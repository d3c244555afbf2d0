/** What a number of a text is found to be: how it is compared with values of the record, and what belongs to it. */
import { canonicalJson } from "../../contract/json.ts"
import type { Scalar } from "../measurements/cells.ts"
import type { Group, Holder, Metric, Quantities } from "./quantities.ts"
import type { Figured } from "./scope.ts"
import type { Numeral, Reading } from "./numerals.ts"

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

// Compares a numeral of a text with a value of the record, as it was rounded and with the unit it is printed in.

/** Units that can be converted, by the quantity that they measure. */
const SIZES: readonly Readonly<Record<string, number>>[] = [
  {
    ...{ ns: 1e-9, us: 1e-6, µs: 1e-6, μs: 1e-6, microseconds: 1e-6 },
    ...{ ms: 1e-3, millisecond: 1e-3, milliseconds: 1e-3 },
    ...{ s: 1, sec: 1, secs: 1, second: 1, seconds: 1, min: 60, mins: 60, minute: 60, minutes: 60 },
    ...{ h: 3_600, hr: 3_600, hour: 3_600, hours: 3_600, day: 86_400, days: 86_400 },
  },
  {
    ...{ byte: 1, bytes: 1, B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
    ...{ KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 },
  },
]
const PERCENT = new Set(["%", "percent", "pct", "percentage"])
/** Units of values from 0 to 1, which texts tell in per cent as they tell those without a unit. */
const PARTS = new Set(["fraction", "proportion", "ratio", "share", "1"])
/** Names of metrics that are told in per cent, though their values have no unit. */
const SHARE = /acc|rate|percent|pct|score|f1|bleu|pass|win|recall|precision|coverage|share|em\b|top/i

/** A unit as people write it: without case, of one or of many ("nats"). */
const folded = (unit: string): string => (unit.length > 2 ? unit.toLowerCase().replace(/s$/, "") : unit.toLowerCase())

/** How many units of `to` one of `from` is; undefined if they do not measure the same. */
function conversion(from: string, to: string): number | undefined {
  if (from === to || folded(from) === folded(to)) return 1
  for (const sizes of SIZES) {
    const [one, other] = [sizes[from], sizes[to]]
    if (one !== undefined && other !== undefined) return one / other
  }
  return undefined
}

/** What is compared: a metric by its name and unit. */
interface Measure {
  readonly name: string
  readonly unit: string | null
}

const NONE: readonly number[] = []
const SAME: readonly number[] = [1]
const PART: readonly number[] = [0.01]
const EITHER: readonly number[] = [0.01, 1]

/** The unit of a metric; null if its values are parts of one. */
const unitOf = ({ unit }: Measure): string | null => (unit === null || PARTS.has(unit.toLowerCase()) ? null : unit)

/** By how much units are multiplied, by metric: each number of a text is compared with the same few. */
const inUnits = new WeakMap<Measure, Map<string, readonly number[]>>()
function scalesIn(measure: Measure, unit: string): readonly number[] {
  const own = unitOf(measure)
  const into = own === null ? measure.name.split(/[^A-Za-z]+/) : [own]
  const scale = into.map((each) => conversion(unit, each)).find((each) => each !== undefined)
  return scale === undefined ? NONE : [scale]
}

/** By how much a numeral is multiplied to be in the unit of a metric: none if it cannot be, several if it is open. */
export function scalesOf(
  { form, unit }: Pick<Numeral, "form" | "unit">,
  measure: Measure,
  value: number,
): readonly number[] {
  if (form === "factor") return NONE
  if (form === "plain") {
    if (unit === null) return SAME
    const known = inUnits.getOrInsertComputed(measure, () => new Map())
    return known.getOrInsertComputed(unit, () => scalesIn(measure, unit))
  }
  const own = unitOf(measure)
  const isShare = own !== null && PERCENT.has(own.toLowerCase())
  if (form === "percent") {
    if (isShare) return SAME
    if (own !== null) return NONE
    return Math.abs(value) > 1.5 ? (SHARE.test(measure.name) ? SAME : NONE) : PART
  }
  return isShare || (own === null && Math.abs(value) > 1.5) ? SAME : own === null ? EITHER : NONE
}

/** Whether a value, rounded as a reading is, equals it. */
const isRounded = ({ value, half }: Reading, other: number, scale = 1): boolean =>
  Math.abs(value * scale - other) <= half * Math.abs(scale) * (1 + 1e-9) + Math.abs(other) * 1e-12

/** Whether a numeral states a value of a metric. @param isAbsolute whether its sign does not count */
export function states(numeral: Numeral, value: number, measure: Measure, isAbsolute = false): boolean {
  const other = isAbsolute && numeral.sign === null ? Math.abs(value) : value
  const scales = scalesOf(numeral, measure, value)
  for (const reading of numeral.readings) for (const scale of scales) if (isRounded(reading, other, scale)) return true
  return false
}
/** Whether a numeral states a value, or its opposite. */
export const statesEither = (numeral: Numeral, value: number, measure: Measure): boolean =>
  states(numeral, value, measure) || states(numeral, -value, measure)

// Patterns for words, and whether a number of a text equals a value.

/** A pattern for any of some words, each with or without an ending if it has a star. */
export const anyOf = (words: string): string =>
  words
    .split(" ")
    .map((word) => word.replace("*", "\\w*"))
    .join("|")
/** Whether one of the readings of a number, as it is rounded, equals a value. */
export const near = (numeral: Numeral, value: number): boolean =>
  numeral.readings.some((reading) => isRounded(reading, value))
