/** Stores the dimensions of reported values, each set once. */
import { canonicalJson } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"

type Dimensions = NonNullable<BodyOf<"report_attempt_event">["metrics"]>[number]["dimensions"]

const isEmpty = (dimensions: Dimensions): dimensions is undefined => Object.keys(dimensions ?? {}).length === 0

export function dimensionSets(db: Db) {
  const find = db.prepare<{ id: number }>("SELECT dimensions_id AS id FROM dimension_sets WHERE dimensions = +?")
  const insert = inserting(db, "dimension_sets")
  return {
    /** Returns the id of a stored set; 0 for no dimensions, undefined if it is not stored. */
    known(dimensions: Dimensions): number | undefined {
      return isEmpty(dimensions) ? 0 : find.get(canonicalJson(dimensions))?.id
    },

    /** Returns the id of a set, and stores a new one; 0 for no dimensions. */
    idOf(dimensions: Dimensions): number {
      if (isEmpty(dimensions)) return 0
      const text = canonicalJson(dimensions)
      const known = find.get(text)
      if (known === undefined) insert({ dimensions: text })
      return (known ?? find.one(text)).id
    },
  }
}
