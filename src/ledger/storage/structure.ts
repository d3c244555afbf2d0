/** Compares the tables, indexes, views and triggers of a file with those of new data. */
import type { Db } from "./database.ts"
import { openDatabase } from "./opening.ts"

interface Part {
  type: string
  name: string
  sql: string | null
}

/** The SQL of each part of a file's schema, by type and name. */
const partsOf = (db: Db): ReadonlyMap<string, string | null> =>
  new Map(
    db
      // Litestream keeps two tables of its own, of at most one row each, in the data that it copies.
      .prepare<Part>(
        `SELECT type, name, sql
          FROM sqlite_schema
          WHERE name NOT IN ('_litestream_seq', '_litestream_lock')
          ORDER BY name, type`,
      )
      .all()
      .map((part) => [`${part.type} ${part.name}`, part.sql]),
  )

/** The schema as one text, which changes with any part of it. */
export const structureIn = (db: Db): string => JSON.stringify([...partsOf(db)])

/** Reports each part that is missing, different or unknown to this version. */
export function structure(db: Db, add: (problem: string) => void): void {
  for (const name of db.mended ?? []) add(`The trigger ${name} was missing or different when the data was opened.`)
  using fresh = openDatabase(":memory:")
  const [here, due] = [partsOf(db), partsOf(fresh)]
  for (const [name, sql] of due) {
    if (!here.has(name)) add(`The ${name} is missing.`)
    else if (here.get(name) !== sql) add(`The ${name} differs from the one that this version makes.`)
  }
  for (const name of here.keys()) if (!due.has(name)) add(`The ${name} does not belong to this version.`)
}
