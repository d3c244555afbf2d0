/** The tables, indexes, views and triggers of a file, against those of new data. */
import type { Db } from "./database.ts"
import { openDatabase } from "./opening.ts"

interface Part {
  type: string
  name: string
  sql: string | null
}

/** What there is in a file, by kind and name. */
const partsOf = (db: Db): ReadonlyMap<string, string | null> =>
  new Map(
    db
      // Where Litestream copies the data it keeps two tables of its own there, of a row at the most.
      .prepare<Part>(
        "SELECT type, name, sql FROM sqlite_schema WHERE name NOT IN ('_litestream_seq', '_litestream_lock') ORDER BY name, type",
      )
      .all()
      .map((part) => [`${part.type} ${part.name}`, part.sql]),
  )

/** The same as one text: another one once anything of the structure was changed. */
export const structureIn = (db: Db): string => JSON.stringify([...partsOf(db)])

/** Tells of whatever is missing, different or more than this version makes. */
export function structure(db: Db, add: (problem: string) => void): void {
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
