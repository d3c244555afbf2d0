/**
 * Handles values that an attempt reports twice at the same dimensions and step. An equal value counts once; a different
 * one must be a correction.
 */
import { canonicalJson } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { type Issue, Refusal } from "../../contract/refusals/refusal.ts"

type Reported = BodyOf<"report_attempt_event">
type Metric = NonNullable<Reported["metrics"]>[number]
/** A metric with its split, at given dimensions. */
export interface Cell {
  readonly name: string
  readonly split?: string | undefined
  readonly dimensions?: Metric["dimensions"] | undefined
}

/** The last value that an attempt reported for a cell, as JSON. */
export interface LastValue {
  readonly step: number | null
  readonly value: string
}

type LastOf = (cell: Cell) => LastValue | undefined

const keyOf = ({ name, split = "", dimensions = {} }: Cell): string => canonicalJson([name, split, dimensions])
const hasDimensions = ({ dimensions = {} }: Cell): boolean => Object.keys(dimensions).length > 0

/**
 * Returns the values of an event, each with the earlier value of its cell at the same step. A value without dimensions
 * never has one: it is a point of a curve.
 */
function withEarlier(metrics: readonly Metric[], lastOf: LastOf) {
  const seen = new Map<string, LastValue & { readonly index: number | null }>()
  return metrics.map((metric, index) => {
    const [key, step, value] = [keyOf(metric), metric.step ?? null, JSON.stringify(metric.value)]
    if (!hasDimensions(metric)) return { metric, index, value, earlier: undefined }
    const stored = seen.has(key) ? undefined : lastOf(metric)
    const last = seen.get(key) ?? (stored && { ...stored, index: null })
    const earlier = last?.step === step ? last : undefined
    seen.set(key, earlier?.value === value ? earlier : { step, value, index })
    return { metric, index, value, earlier }
  })
}

/** Returns the values of an event that were not reported before. */
export const newMetrics = (metrics: readonly Metric[], lastOf: LastOf): Metric[] =>
  withEarlier(metrics, lastOf).flatMap(({ metric, value, earlier }) => (earlier?.value === value ? [] : [metric]))

const inWords = ({ name, dimensions = {} }: Cell): string =>
  `${name} at ${Object.entries(dimensions)
    .map(([dimension, value]) => `${dimension}=${String(value)}`)
    .join(", ")}`

/** @throws Refusal `invalid_schema`, naming both values, if a cell has two values and `corrects` does not name it */
export function mustBeOneValue(label: string, { metrics = [], corrects = [] }: Reported, lastOf: LastOf): void {
  const corrected = new Set(corrects.map(({ metric, split, dimensions }) => keyOf({ name: metric, split, dimensions })))
  const issues = withEarlier(metrics, lastOf).flatMap(({ metric, index, value, earlier }): Issue[] => {
    if (earlier === undefined || earlier.value === value) return []
    if (earlier.index === null && corrected.has(keyOf(metric))) return []
    const by =
      earlier.index === null
        ? `${label} reported as ${earlier.value} before; name it in corrects to correct it`
        : `/metrics/${earlier.index} gives as ${earlier.value}`
    return [{ path: `/metrics/${index}/value`, message: `is ${value} for ${inWords(metric)}, which ${by}` }]
  })
  if (issues.length > 0)
    throw new Refusal("invalid_schema", "A metric has one value at the same dimensions and step.", {
      issues: issues.slice(0, limits.issues),
    })
}

/**
 * @throws Refusal `invalid_schema` for a correction of a value that the attempt has not reported, or one that changes
 * nothing
 */
export function mustCorrect(
  label: string,
  { metrics = [], corrects = [] }: Reported,
  hasReported: (metric: string, split: string | undefined) => boolean,
  lastOf: LastOf,
): void {
  const reported = new Set(metrics.map(keyOf))
  const issues = corrects.flatMap(({ metric, split, dimensions, unit }, index): Issue[] => {
    const cell = { name: metric, split, dimensions }
    if (!hasReported(metric, split))
      return [
        { path: `/corrects/${index}/metric`, message: `names no metric that ${label} reported in an earlier event` },
      ]
    if (dimensions !== undefined && lastOf(cell) === undefined)
      return [
        {
          path: `/corrects/${index}/dimensions`,
          message: `match no value of ${metric} that ${label} reported in an earlier event`,
        },
      ]
    if (unit !== undefined || reported.has(keyOf(cell))) return []
    return [{ path: `/corrects/${index}`, message: "has neither a unit nor a new value in metrics" }]
  })
  if (issues.length > 0) throw new Refusal("invalid_schema", "Only reported values can be corrected.", { issues })
}
