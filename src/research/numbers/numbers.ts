/** What the numbers of texts and records are in a Room. */
import type { Labels } from "../../ledger/lists/labelled.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { KeptTables } from "../measurements/kept-tables.ts"
import type { Values } from "../measurements/values.ts"
import { checking } from "./check.ts"
import { recordNumbers } from "./records.ts"

export type { Context } from "./check.ts"
export type Numbers = ReturnType<typeof numbers>

export function numbers(db: Db, values: Values, labelled: Labels, keptTables: Pick<KeptTables, "shown">) {
  const checks = checking(db, values, labelled, keptTables)
  return { ...checks, ...recordNumbers(db, checks) }
}
