/** All rows of a database as text, to see whether anything differs. */
import type { Db } from "../../src/ledger/storage/database.ts"
import { rowsOf, tablesOf } from "../../src/ledger/storage/tables.ts"

const shadow = /_(?:data|idx|docsize|config|content)$/

/** One line per row, preceded by its table's name. */
export const rowsAsText = (db: Db): string[] =>
  tablesOf(db)
    .filter(({ name, key }) => key.length > 0 && !shadow.test(name))
    .flatMap((table) => [...rowsOf(db, table, table.columns)].map((row) => `${table.name} ${JSON.stringify(row)}`))

/** The rows that only one of two databases has. */
export function differingRows(one: readonly string[], other: readonly string[]): string[] {
  const [first, second] = [new Set(one), new Set(other)]
  return [
    ...one.filter((row) => !second.has(row)).map((row) => `- ${row}`),
    ...other.filter((row) => !first.has(row)).map((row) => `+ ${row}`),
  ]
}
