/** What the numbers of texts and records are in a Room. */
import type { Labels } from "../../ledger/lists/labelled.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Values } from "../measurements/values.ts"
import { checking } from "./check.ts"
import { recordNumbers } from "./records.ts"

export type { Context } from "./check.ts"
export type Numbers = ReturnType<typeof numbers>

export function numbers(db: Db, values: Values, labelled: Labels) {
  const checks = checking(db, values, labelled)
  return { ...checks, ...recordNumbers(db, checks) }
}
