/** Data with one long list of everything: the first of each kind written by the service, the others like it. */
import { copyData } from "../../data/demo.ts"
import { House } from "../../data/house.ts"
import { limits } from "../../../../src/contract/limits.ts"
import { Cloner, idSql, scatteredIdSql } from "./clone.ts"
import { fillLibrary } from "./library.ts"
import { fillRecords } from "./records.ts"
import { fillTalk } from "./talk.ts"
import { type First, tellFirst } from "./first.ts"
import { fillWork } from "./work.ts"

/** What there is to read: the first of everything, and how long the lists are. */
export interface Large extends First {
  readonly collectionId: string
  /** A paper with notes. */
  readonly noted: string
  readonly size: number
  /** Rooms, Threads of a Room, revisions of an experiment, points of a metric: no instance comes to a million of these. */
  readonly fewer: number
  readonly saved: number
  readonly collectionPapers: number
  readonly notes: number
}

const MOST_OF_FEWER = 100_000

/** Makes the data in a new folder. */
export async function makeLarge(demo: string, folder: string, size: number): Promise<Large> {
  const house = new House(copyData(demo, folder), demo)
  const first = await house.fill(() => tellFirst(house))
  const library = await fillLibrary(house, size)
  const large: Large = { ...first, ...library, size, fewer: Math.min(size, MOST_OF_FEWER) }
  const cloner = new Cloner(house.db, size)
  cloner.exec("BEGIN")
  // Search is measured on messages: indexing everything else as well would take most of the time that filling takes.
  const triggers = house.db
    .prepare<{ name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%\\_indexed' ESCAPE '\\' AND name <> 'messages_indexed'",
    )
    .all()
  for (const { name } of triggers) cloner.exec(`DROP TRIGGER ${name}`)
  fillTalk(cloner, large)
  fillRecords(cloner, large)
  fillWork(cloner, large)
  indexNewest(cloner, size)
  for (const { sql } of triggers) cloner.exec(sql)
  house.instance.tables.search.index()
  cloner.exec("COMMIT")
  house.close()
  return large
}

/** What is similar is looked for among the newest of each kind, which are read from where search has them. */
function indexNewest(cloner: Cloner, size: number): void {
  const newest = (kind: string, id: string, count: number, where = "1") =>
    cloner.exec(
      `INSERT INTO search_items (kind, id) SELECT '${kind}', ${id} FROM temp.numbers WHERE n > ${size - count} AND n <= ${size} AND ${where}`,
    )
  newest("hypothesis", idSql("record"), 2 * limits.similarSight, "n % 2 = 0")
  newest("finding", idSql("record"), 2 * limits.similarSight, "n % 2 = 1")
  newest("experiment", idSql("experiment"), limits.similarSight)
  newest("attempt", scatteredIdSql("attempt"), limits.similarSight)
}
