/** The file itself: what SQLite finds, and what refers to something that is not there. */
import type { Db } from "../ledger/storage/database.ts"

/** What SQLite itself finds, and what refers to something that is not there. */
export function fileItself(db: Db, add: (problem: string) => void): void {
  // It ends after a hundred faults by itself.
  for (const { integrity_check: line } of db.prepare<{ integrity_check: string }>("PRAGMA integrity_check").all())
    if (line !== "ok") add(`SQLite finds: ${line}.`)
  const foreign = db.prepare<{ table: string; rows: number }>(
    'SELECT "table", count(*) AS rows FROM pragma_foreign_key_check GROUP BY "table"',
  )
  for (const { table, rows } of foreign.all())
    add(
      rows === 1
        ? `A row of ${table} refers to something that is not there.`
        : `${rows} rows of ${table} refer to something that is not there.`,
    )
}
