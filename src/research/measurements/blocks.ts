/** Reads the last values of many attempts, block by block. */
import type { Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { badParameter } from "../../contract/refusals/refusal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { BlockScalars } from "../attempts/value-blocks.ts"

/** Attempts per query, which bounds what is read beyond the limit. */
const AT_ONCE = 50

/** A block as it is stored. */
export interface StoredBlock {
  /** Index of the attempt in the requested list. */
  attemptIndex: number
  readonly units: Stored<string[]>
  readonly dimensions: Stored<BlockScalars>
  readonly codes: Buffer
  readonly bytes: Buffer
}

export function storedBlocks(db: Db) {
  const columns = "j.key AS attemptIndex, v.units, v.dimensions, v.codes, v.told AS bytes"
  const ofMetric = db.prepare<StoredBlock>(
    `SELECT ${columns} FROM json_each(+?) j CROSS JOIN attempt_values v ON v.attempt_id = j.value AND v.name = +?
        AND v.split = +? ORDER BY j.key, v.block`,
  )
  const all = db.prepare<StoredBlock & { readonly name: string; readonly split: string }>(
    `SELECT ${columns}, v.name, v.split
      FROM json_each(+?) j
      CROSS JOIN attempt_values v ON v.attempt_id = j.value
      ORDER BY j.key, v.name, v.split, v.block`,
  )

  /** Yields the blocks of some attempts, up to the limit of a table. @param beyond called if there are more values */
  function* read<B extends StoredBlock>(
    attemptIds: readonly string[],
    query: (ids: string) => B[],
    beyond: () => void,
  ): Generator<B> {
    let total = 0
    for (let from = 0; from < attemptIds.length; from += AT_ONCE)
      for (const block of query(JSON.stringify(attemptIds.slice(from, from + AT_ONCE)))) {
        total += block.bytes.length / Float64Array.BYTES_PER_ELEMENT
        block.attemptIndex += from
        if (total > limits.measuredValues) return beyond()
        yield block
      }
  }

  return {
    /** The blocks of one metric. @throws Refusal 422 for more values than a table reads */
    ofMetric: (attemptIds: readonly string[], metric: string, split: string) =>
      read(
        attemptIds,
        (ids) => ofMetric.all(ids, metric, split),
        () => {
          const most = limits.measuredValues.toLocaleString("en")
          throw badParameter("metric", `has more than ${most} values here: narrow it with experiments or attempts`)
        },
      ),
    /** The blocks of all metrics, up to the limit of a table. */
    all: (attemptIds: readonly string[]) =>
      read(
        attemptIds,
        (ids) => all.all(ids),
        () => {},
      ),
  }
}
