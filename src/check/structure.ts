/** The file itself: what SQLite finds, what refers to something that is not there, and the tables, indexes and triggers there should be. */
import type { Db } from "../ledger/storage/database.ts"
import { openDatabase } from "../ledger/storage/opening.ts"

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

interface Part {
  type: string
  name: string
  sql: string | null
}

/** Tables, indexes, views and triggers, against those of new data. */
export function structure(db: Db, add: (problem: string) => void): void {
  const partsOf = (of: Db) =>
    new Map(
      of
        // Where Litestream copies the data it keeps two tables of its own there, of a row at the most.
        .prepare<Part>("SELECT type, name, sql FROM sqlite_schema WHERE name NOT IN ('_litestream_seq', '_litestream_lock')")
        .all()
        .map((part) => [`${part.type} ${part.name}`, part.sql]),
    )
  for (const name of db.mended ?? []) add(`The trigger ${name} was not there, or another, when the data was opened.`)
  const fresh = openDatabase(":memory:")
  try {
    const [here, due] = [partsOf(db), partsOf(fresh)]
    for (const [name, sql] of due) {
      if (!here.has(name)) add(`The ${name} is not there.`)
      else if (here.get(name) !== sql) add(`The ${name} is not what this version makes.`)
    }
    for (const name of here.keys()) if (!due.has(name)) add(`The ${name} is none of this version's.`)
  } finally {
    fresh.close()
  }
}
