/** Checks the file itself: SQLite's integrity check, and references to missing rows. */
import type { Db } from "../ledger/storage/database.ts"

export function fileItself(db: Db, add: (problem: string) => void): void {
  // SQLite stops after a hundred faults.
  for (const { integrity_check: line } of db.prepare<{ integrity_check: string }>("PRAGMA integrity_check").all())
    if (line !== "ok") add(`SQLite reports: ${line}.`)
  const foreign = db.prepare<{ table: string; rows: number }>(
    'SELECT "table", count(*) AS rows FROM pragma_foreign_key_check GROUP BY "table"',
  )
  for (const { table, rows } of foreign.all())
    add(rows === 1 ? `A row of ${table} refers to a missing row.` : `${rows} rows of ${table} refer to missing rows.`)
}
