/** Values that an attempt reports twice at the same dimensions and step: the same value counts once, another one corrects it or is a mistake. */
import { canonicalJson } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { type Issue, Refusal } from "../../contract/refusals/refusal.ts"

type Reported = BodyOf<"report_attempt_event">
type Metric = NonNullable<Reported["metrics"]>[number]
/** A metric at one place of its dimensions. */
export interface Cell {
  readonly name: string
  readonly split?: string | undefined
  readonly dimensions?: Metric["dimensions"] | undefined
}

/** The last value that an attempt reported of a cell, as JSON. */
export interface LastTold {
  readonly step: number | null
  readonly value: string
}

const keyOf = ({ name, split = "", dimensions = {} }: Cell): string => canonicalJson([name, split, dimensions])
const hasPlace = ({ dimensions = {} }: Cell): boolean => Object.keys(dimensions).length > 0

/**
 * The values of an event, each with the one that its cell had before at the same step. Points of a curve have different steps;
 * a value without dimensions and without a step is the next point of its curve.
 */
function withEarlier(metrics: readonly Metric[], lastOf: (cell: Cell) => LastTold | undefined) {
  const seen = new Map<string, LastTold & { readonly index: number | null }>()
  return metrics.map((metric, index) => {
    const [key, step, value] = [keyOf(metric), metric.step ?? null, JSON.stringify(metric.value)]
    if (!hasPlace(metric)) return { metric, index, value, earlier: undefined }
    const stored = seen.has(key) ? undefined : lastOf(metric)
    const last = seen.get(key) ?? (stored && { ...stored, index: null })
    const earlier = last?.step === step ? last : undefined
    seen.set(key, earlier?.value === value ? earlier : { step, value, index })
    return { metric, index, value, earlier }
  })
}

/** The values of an event without those that were reported already. */
export const newMetrics = (metrics: readonly Metric[], lastOf: (cell: Cell) => LastTold | undefined): Metric[] =>
  withEarlier(metrics, lastOf).flatMap(({ metric, value, earlier }) => (earlier?.value === value ? [] : [metric]))

const inWords = ({ name, dimensions = {} }: Cell): string =>
  `${name} at ${Object.entries(dimensions)
    .map(([dimension, value]) => `${dimension}=${String(value)}`)
    .join(", ")}`

/**
 * Each cell has one value, but for what `corrects` names.
 * @throws Refusal `invalid_schema`, with both values named
 */
export function mustBeOneValue(
  label: string,
  { metrics = [], corrects = [] }: Reported,
  lastOf: (cell: Cell) => LastTold | undefined,
): void {
  const corrected = new Set(corrects.map(({ metric, split, dimensions }) => keyOf({ name: metric, split, dimensions })))
  const issues = withEarlier(metrics, lastOf).flatMap(({ metric, index, value, earlier }): Issue[] => {
    if (earlier === undefined || earlier.value === value) return []
    if (earlier.index === null && corrected.has(keyOf(metric))) return []
    const by =
      earlier.index === null
        ? `${label} told as ${earlier.value} before; corrects tells a correction`
        : `/metrics/${earlier.index} gives as ${earlier.value}`
    return [{ path: `/metrics/${index}/value`, message: `is ${value} for ${inWords(metric)}, which ${by}` }]
  })
  if (issues.length > 0)
    throw new Refusal("invalid_schema", "A metric has one value at the same dimensions and step.", {
      issues: issues.slice(0, limits.issues),
    })
}

/** @throws Refusal `invalid_schema` for corrections of what the attempt has not told, and for those that correct nothing */
export function mustCorrect(
  label: string,
  { metrics = [], corrects = [] }: Reported,
  hasTold: (metric: string, split: string | undefined) => boolean,
  lastOf: (cell: Cell) => LastTold | undefined,
): void {
  const given = new Set(metrics.map(keyOf))
  const issues = corrects.flatMap(({ metric, split, dimensions, unit }, index): Issue[] => {
    const cell = { name: metric, split, dimensions }
    if (!hasTold(metric, split))
      return [{ path: `/corrects/${index}/metric`, message: `names no metric that ${label} told in an earlier event` }]
    if (dimensions !== undefined && lastOf(cell) === undefined)
      return [{ path: `/corrects/${index}/dimensions`, message: `are none at which ${label} told ${metric} in an earlier event` }]
    if (unit !== undefined || given.has(keyOf(cell))) return []
    return [{ path: `/corrects/${index}`, message: "has no unit, and metrics have no new value for it" }]
  })
  if (issues.length > 0) throw new Refusal("invalid_schema", "Only what was told can be corrected.", { issues })
}
