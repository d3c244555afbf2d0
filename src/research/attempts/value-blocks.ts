/** Keeps the last values of an attempt in blocks, beside its series: a table of many attempts reads a few rows of each. */
import { canonicalJson, parse, type Stored } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"

type Dimensions = NonNullable<NonNullable<BodyOf<"report_attempt_event">["metrics"]>[number]["dimensions"]>

/** What a block of values has at its dimensions: for each name a list, with null where a value lacks it. */
export type BlockDimensions = Readonly<Record<string, readonly (Dimensions[string] | null)[]>>

/** The dimensions of some values as a block has them. */
export function blockOf(each: readonly Dimensions[]): BlockDimensions {
  const names = [...new Set(each.flatMap((dimensions) => Object.keys(dimensions)))]
  return Object.fromEntries(
    names.map((name) => [name, each.map((dimensions) => (Object.hasOwn(dimensions, name) ? (dimensions[name] ?? null) : null))]),
  )
}

/** Ids of dimensions in one block: what one more value writes anew. */
const OF_BLOCK = 128
const NONE: Dimensions = {}

export function valueBlocks(db: Db) {
  const series = db.prepare<{ value: Stored<number | string>; unit: string | null; dimensions: Stored<Dimensions> | null }>(
    `SELECT l.value, l.unit, s.dimensions FROM attempt_last_metrics l LEFT JOIN dimension_sets s USING (dimensions_id)
     WHERE l.attempt_id = +? AND l.name = +? AND l.split = +? AND l.dimensions_id BETWEEN +? AND +? ORDER BY l.dimensions_id`,
  )
  const put = inserting(db, "attempt_values", {
    onConflict: "DO UPDATE SET units = excluded.units, dimensions = excluded.dimensions, told = excluded.told",
  })
  const blocks = db.prepare<{ block: number }>("SELECT block FROM attempt_values WHERE attempt_id = +? AND name = +? AND split = +?")

  function keep(attemptId: string, name: string, split: string, block: number): void {
    const rows = series.all(attemptId, name, split, block * OF_BLOCK, (block + 1) * OF_BLOCK - 1)
    put({
      ...{ attemptId, name, split, block },
      units: JSON.stringify([...new Set(rows.flatMap(({ unit }) => unit ?? []))].sort()),
      dimensions: canonicalJson(blockOf(rows.map(({ dimensions }) => (dimensions === null ? NONE : parse(dimensions))))),
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
