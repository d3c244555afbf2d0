/** Keeps the last values of an attempt in blocks, beside its series: a table of many attempts reads a few rows of each. */
import { canonicalJson, parse, type Stored } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"

type Dimensions = NonNullable<NonNullable<BodyOf<"report_attempt_event">["metrics"]>[number]["dimensions"]>

/** What the values of a block have at each dimension, each once; the names are in order. */
export type BlockScalars = Readonly<Record<string, readonly Dimensions[string][]>>
/** The dimensions of a block: for each name in turn a byte a value, 0 where the value lacks it, else its place among the scalars, from 1. */
export interface BlockDimensions {
  readonly scalars: BlockScalars
  readonly codes: Uint8Array
}

/** Ids of dimensions in one block, and so values at most: what one more value writes anew. */
export const OF_BLOCK = 128
const NONE: Dimensions = {}

/** The dimensions of some values as a block has them. @param each at most OF_BLOCK */
export function blockOf(each: readonly Dimensions[]): BlockDimensions {
  const names = [...new Set(each.flatMap((dimensions) => Object.keys(dimensions)))].sort()
  const columns = names.map((name) => {
    const own = each.map((dimensions) => (Object.hasOwn(dimensions, name) ? dimensions[name] : undefined))
    const scalars = [...new Set(own.flatMap((scalar) => scalar ?? []))]
    return { scalars, codes: own.map((scalar) => (scalar === undefined ? 0 : scalars.indexOf(scalar) + 1)) }
  })
  return {
    scalars: Object.fromEntries(names.map((name, at) => [name, columns[at]?.scalars ?? []])),
    codes: Uint8Array.from(columns.flatMap(({ codes }) => codes)),
  }
}

export function valueBlocks(db: Db) {
  const series = db.prepare<{ value: Stored<number | string>; unit: string | null; dimensions: Stored<Dimensions> | null }>(
    `SELECT l.value, l.unit, s.dimensions FROM attempt_last_metrics l LEFT JOIN dimension_sets s USING (dimensions_id)
     WHERE l.attempt_id = +? AND l.name = +? AND l.split = +? AND l.dimensions_id BETWEEN +? AND +? ORDER BY l.dimensions_id`,
  )
  const put = inserting(db, "attempt_values", {
    onConflict: "DO UPDATE SET units = excluded.units, dimensions = excluded.dimensions, codes = excluded.codes, told = excluded.told",
  })
  const blocks = db.prepare<{ block: number }>("SELECT block FROM attempt_values WHERE attempt_id = +? AND name = +? AND split = +?")

  function keep(attemptId: string, name: string, split: string, block: number): void {
    const rows = series.all(attemptId, name, split, block * OF_BLOCK, (block + 1) * OF_BLOCK - 1)
    const { scalars, codes } = blockOf(rows.map(({ dimensions }) => (dimensions === null ? NONE : parse(dimensions))))
    put({
      ...{ attemptId, name, split, block },
      units: JSON.stringify([...new Set(rows.flatMap(({ unit }) => unit ?? []))].sort()),
      dimensions: canonicalJson(scalars),
      codes: Buffer.from(codes.buffer),
      told: Buffer.from(Float64Array.from(rows, ({ value }) => Number(parse(value))).buffer),
    })
  }

  return {
    /** Writes the blocks of some series anew. @param dimensionsIds 0 for a value without dimensions */
    keep(attemptId: string, name: string, split: string, dimensionsIds: readonly number[]): void {
      for (const block of new Set(dimensionsIds.map((id) => Math.floor(id / OF_BLOCK)))) keep(attemptId, name, split, block)
    },
    /** Writes all blocks of a metric anew. */
    keepAll(attemptId: string, name: string, split: string): void {
      for (const { block } of blocks.all(attemptId, name, split)) keep(attemptId, name, split, block)
    },
  }
}
