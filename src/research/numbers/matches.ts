/**
 * What a number of a text is found to be: how it is compared with values of the record, and what belongs to it. Counts
 * and steps of curves are matched here; `resolving.ts` and `differences.ts` match the others.
 */
import { canonicalJson } from "../../contract/json.ts"
import type { Scalar } from "../measurements/cells.ts"
import type { Group, Holder, Metric, Quantities, Dimension } from "./quantities.ts"
import type { Figured, Scope, Point } from "./scope.ts"
import type { Numeral, Reading } from "./numerals.ts"
import { type Bindings, PARAGRAPH, SENTENCE, STEP } from "./bindings.ts"

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

// Counts that a text states: of attempts, seeds, arms, findings and so on.

const BETWEEN = anyOf(
  "of the these those its all other more independent distinct different random succeeded successful failed planned " +
    "paired completed finished training repeated",
)
const NOUNS = anyOf(
  "attempts? runs? trials? repeats? repetitions? replicates? replications? seeds? arms? conditions? groups? pairs? " +
    "values? experiments? findings? hypothesis hypotheses plans? reviews? metrics?",
)
const COUNTED = new RegExp(`^[\\s-](?:(?:${BETWEEN})\\s){0,3}(${NOUNS})\\b`, "iu")
const OUT_OF = /^\s?(?:of|\/|out of)\s?(?:the\s|its\s|all\s)?([0-9]{1,6})(?![0-9.])/iu

/** A number of attempts, seeds, arms and so on: null if it is one and none that is known. */
export function countOf(
  scope: Scope,
  numeral: Numeral,
  bindings: Bindings,
  head: string,
  tail: string,
): Match | null | undefined {
  if (
    numeral.form !== "plain" ||
    numeral.unit !== null ||
    numeral.readings.every(({ value }) => !Number.isInteger(value))
  )
    return undefined
  const outOf = OUT_OF.exec(tail)
  const [, noun = ""] = COUNTED.exec(outOf === null ? tail : tail.slice(outOf[0].length)) ?? []
  const isN = /\b[nN]\s?=\s?$/u.test(head)
  if (noun === "" && !isN) return undefined
  const { quantities, own } = scope.known
  const stem = isN
    ? "n"
    : noun
        .toLowerCase()
        .replace(/^hypothes[ie]s$/, "hypothesis")
        .replace(/s$/, "")
  const named = scope.attemptsOf(bindings, PARAGRAPH) ?? (own.attemptIds.size > 0 ? own.attemptIds : undefined)
  const { inScope, mine } = scope.countedIn(bindings, named)
  const sentence = scope.in.sentenceOf(numeral)
  const words = sentence === undefined ? "" : scope.in.text.slice(sentence.start, sentence.end)
  const room: Holder = { kind: "room", id: quantities.roomId, label: null }
  const only = mine[0]?.experimentId
  const of: Holder =
    named !== undefined && only !== undefined && mine.every(({ experimentId }) => experimentId === only)
      ? { kind: "experiment", id: only, label: quantities.experiments.get(only) ?? null }
      : room
  /** Each count that it may be, worked out only if it is none of those before. */
  function* counts(): Generator<readonly [number, Holder]> {
    if (/^(?:attempt|run|trial|repeat|repetition|replicate|replication|value|n|group|pair)$/.test(stem)) {
      const statuses = [...new Set(mine.map(({ status }) => status))]
      const said = statuses.filter((status) => words.toLowerCase().includes(status.slice(0, 6)))
      for (const status of said) yield [mine.filter((each) => each.status === status).length, of]
      const isPart = outOf !== null && said.length > 0
      if (!isPart) {
        yield [mine.length, of]
        yield [mine.filter(({ status }) => status === "succeeded").length, of]
        yield [inScope.length, of]
        for (const some of Map.groupBy(mine, ({ arm, experimentId }) => `${experimentId} ${arm}`).values())
          yield [some.length, of]
      }
    }
    if (/^(?:seed|value|n|pair|repeat|repetition|replicate|replication|run)$/.test(stem)) {
      const seeds = quantities.dimensions.get("seed")
      for (const some of [mine, inScope]) yield [seeds === undefined ? 0 : valuesAmong(seeds, some), of]
      const metrics = bindings.get("metric")?.values
      const wanted = [...quantities.metrics.values()].flat().filter(({ name }) => metrics?.has(name) ?? true)
      for (const group of wanted.flatMap((metric) => scope.groupsWithin(metric, named)))
        if (group.merged === 0 && scope.isConsistent(group, bindings)) yield [group.summary.n, group.holder]
      for (const each of scope.effectsNamed(bindings)) {
        const { pairs, ofCount, againstCount } = each.before
        for (const count of [pairs, ofCount, againstCount]) if (count !== null) yield [count, each.holder]
      }
    }
    if (/^(?:arm|condition|group)$/.test(stem)) {
      const arms = quantities.dimensions.get("arm")
      if (arms !== undefined) yield [valuesAmong(arms, inScope), of]
    }
    const ofRoom = scope.known.countOf(stem)
    if (ofRoom !== undefined) yield [ofRoom, room]
    if (stem === "metric") yield [quantities.metrics.size, room]
  }
  const match = counts().find(([count]) => numeral.readings.some(({ value }) => value === count))
  if (match === undefined) return null
  return { is: { kind: "count", of: match[1], value: match[0] } }
}

/** How many values of a dimension some attempts have. */
function valuesAmong({ values }: Dimension, some: readonly { readonly attemptId: string }[]): number {
  const ids = new Set(some.map(({ attemptId }) => attemptId))
  let count = 0
  for (const each of values.values()) if (!each.isDisjointFrom(ids)) count += 1
  return count
}

// Steps of curves that a text names, and what attempts reported there.

/** Attempts whose curves are read for a number. */
const ATTEMPTS = 40

type Of = NonNullable<Is["of"]>
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

export class Curves {
  readonly #scope: Scope

  constructor(scope: Scope) {
    this.#scope = scope
  }

  /** The attempts that a number may be of: those that the text names, or its record's own. */
  #attemptsOf(bindings: Bindings) {
    const { own } = this.#scope.known
    const named = this.#scope.attemptsOf(bindings, SENTENCE) ?? (own.attemptIds.size > 0 ? own.attemptIds : undefined)
    if (named === undefined || named.size > ATTEMPTS) return []
    return this.#scope.countedIn(bindings, named).mine.filter(({ attemptId }) => named.has(attemptId))
  }

  /** A step at which an attempt of the record reported something, or one that the sentence names. */
  step(numeral: Numeral): Is | undefined {
    const { own, quantities } = this.#scope.known
    const labels = this.#scope.labelsOf(numeral).map(({ value }) => value)
    const named = new Set(labels.flatMap((label) => quantities.byLabel.get(label)?.attemptId ?? []))
    const some = own.attemptIds.union(named)
    if (some.size > ATTEMPTS) return undefined
    for (const { attemptId, label } of quantities.attempts.filter((each) => some.has(each.attemptId))) {
      const point = this.#scope.known
        .pointsAt(attemptId)
        .find(({ step }) => numeral.readings.some(({ value }) => value === step))
      if (point === undefined) continue
      const of: Of = { kind: "attempt", id: attemptId, label }
      return { kind: "dimension", of, group: { step: point.step }, value: point.step }
    }
    return undefined
  }

  /** The value of an attempt at a step that the text names, or the mean of several; null if they have others there. */
  value(numeral: Numeral, bindings: Bindings, most: number): Match | null | undefined {
    const bound = bindings.get(STEP)
    if (bound === undefined || bound.level > most) return undefined
    const attempts = this.#attemptsOf(bindings)
    let isKnown = false
    const found = new Map<string, { point: Point; of: Of; experiment: string }[]>()
    for (const { attemptId, label, experimentId } of attempts)
      for (const point of this.#scope.known.pointsAt(attemptId)) {
        if (!bound.values.has(String(point.step)) || !this.#isOf(point, bindings)) continue
        isKnown = true
        if (!Number.isFinite(point.value)) continue
        const of: Of = { kind: "attempt", id: attemptId, label }
        const some = found.getOrInsertComputed(JSON.stringify([point.name, point.split, point.step]), () => [])
        some.push({ point, of, experiment: experimentId })
      }
    for (const all of found.values())
      for (const some of [
        all,
        ...Map.groupBy(all, ({ experiment }) => experiment).values(),
        ...all.map((one) => [one]),
      ]) {
        const [first] = some
        if (first === undefined) continue
        const { name, split, step } = first.point
        const unit = this.#scope.known.quantities.metrics.get(name)?.find((each) => each.split === split)?.unit ?? null
        const value = mean(some.map(({ point }) => point.value))
        if (!states(numeral, value, { name, unit })) continue
        const kind = some.length === 1 ? "metric" : "mean"
        const attempts = some.slice(0, 10).map(({ of }) => of.label ?? "")
        const is: Is = { kind, of: first.of, metric: name, group: { step }, value, n: some.length, attempts }
        return { is: { ...is, ...(split !== null && { split }) } }
      }
    return isKnown ? null : undefined
  }

  #isOf({ name, split }: Point, bindings: Bindings): boolean {
    const [metric, parts] = [bindings.get("metric"), bindings.get("split")]
    if (metric !== undefined && !metric.values.has(name)) return false
    return parts === undefined || parts.level > SENTENCE || split === null || parts.values.has(split)
  }
}
