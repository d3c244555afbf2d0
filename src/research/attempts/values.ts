/**
 * Handles values that an attempt reports twice at the same dimensions and step. An equal value counts once; a different
 * one must be a correction.
 */
import { canonicalJson, parse, type Stored } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { limits } from "../../contract/limits.ts"
import { type Issue, Refusal } from "../../contract/refusals/refusal.ts"

// Stores the dimensions of reported values, each set once, and the last values of an attempt in blocks, so that a table
// of many attempts reads only a few rows of each.

type Dimensions = NonNullable<NonNullable<BodyOf<"report_attempt_event">["metrics"]>[number]["dimensions"]>

/** The distinct values of each dimension in a block; the names are sorted. */
export type BlockScalars = Readonly<Record<string, readonly Dimensions[string][]>>

/** The number of dimension ids in one block, and so the most values in it. A new value rewrites its block. */
export const OF_BLOCK = 128

/**
 * Encodes the dimensions of some values, at most OF_BLOCK. `codes` has, for each name in turn, one byte for each value:
 * 0 if it lacks the dimension, else the index in `scalars`, counted from 1.
 */
export function blockOf(each: readonly Dimensions[]) {
  const names = [...new Set(each.flatMap((dimensions) => Object.keys(dimensions)))].sort()
  const columns = names.map((name) => {
    const own = each.map((dimensions) => (Object.hasOwn(dimensions, name) ? dimensions[name] : undefined))
    const scalars = [...new Set(own.flatMap((scalar) => scalar ?? []))]
    return { name, scalars, codes: own.map((scalar) => (scalar === undefined ? 0 : scalars.indexOf(scalar) + 1)) }
  })
  const scalars: BlockScalars = Object.fromEntries(columns.map((column) => [column.name, column.scalars]))
  return { scalars, codes: Uint8Array.from(columns.flatMap(({ codes }) => codes)) }
}

/** The sets of dimensions that were reported. */
export function dimensionSets(db: Db) {
  const find = db.prepare<{ id: number }>("SELECT dimensions_id AS id FROM dimension_sets WHERE dimensions = +?")
  const insert = db.prepare<{ id: number }>(
    "INSERT INTO dimension_sets (dimensions) VALUES (+?) RETURNING dimensions_id AS id",
  )
  /** Returns the id of a stored set; 0 for no dimensions, undefined if it is not stored. */
  const known = (dimensions: Dimensions = {}): number | undefined =>
    Object.keys(dimensions).length === 0 ? 0 : find.get(canonicalJson(dimensions))?.id
  return {
    known,
    /** Returns the id of a set, and stores a new one; 0 for no dimensions. */
    idOf: (dimensions: Dimensions | undefined): number => known(dimensions) ?? insert.one(canonicalJson(dimensions)).id,
  }
}

export function valueBlocks(db: Db) {
  const series = db.prepare<{
    value: Stored<number | string>
    unit: string | null
    dimensions: Stored<Dimensions> | null
  }>(
    `SELECT l.value, l.unit, s.dimensions FROM attempt_last_metrics l LEFT JOIN dimension_sets s USING (dimensions_id)
     WHERE l.attempt_id = +? AND l.name = +? AND l.split = +? AND l.dimensions_id BETWEEN +? AND +?
      ORDER BY l.dimensions_id`,
  )
  const put = inserting(db, "attempt_values", {
    onConflict:
      "DO UPDATE SET units = excluded.units, dimensions = excluded.dimensions, codes = excluded.codes, " +
      "told = excluded.told",
  })
  const blocks = db.prepare<{ block: number }>(
    "SELECT block FROM attempt_values WHERE attempt_id = +? AND name = +? AND split = +?",
  )

  function keep(attemptId: string, name: string, split: string, block: number): void {
    const rows = series.all(attemptId, name, split, block * OF_BLOCK, (block + 1) * OF_BLOCK - 1)
    const { scalars, codes } = blockOf(rows.map(({ dimensions }) => (dimensions === null ? {} : parse(dimensions))))
    put({
      attemptId,
      name,
      split,
      block,
      units: JSON.stringify([...new Set(rows.flatMap(({ unit }) => unit ?? []))].sort()),
      dimensions: canonicalJson(scalars),
      codes: Buffer.from(codes.buffer),
      told: Buffer.from(Float64Array.from(rows, ({ value }) => Number(parse(value))).buffer),
    })
  }

  return {
    /** Rewrites the blocks of some values of a metric. @param dimensionsIds 0 for a value without dimensions */
    keep(attemptId: string, name: string, split: string, dimensionsIds: readonly number[]): void {
      for (const block of new Set(dimensionsIds.map((id) => Math.floor(id / OF_BLOCK))))
        keep(attemptId, name, split, block)
    },
    /** Rewrites all blocks of a metric. */
    keepAll(attemptId: string, name: string, split: string): void {
      for (const { block } of blocks.all(attemptId, name, split)) keep(attemptId, name, split, block)
    },
  }
}

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
