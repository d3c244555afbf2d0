/** Data with one long list of everything: the first of each kind written by the service, the others like it. */
import { copyData } from "../../data/demo.ts"
import { House } from "../../data/house.ts"
import { Cloner } from "./clone.ts"
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
  fillTalk(cloner, large)
  // Search is measured on messages: indexing everything else as well would take most of the time that filling takes.
  const triggers = house.db
    .prepare<{ name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE name IN ('records_indexed', 'experiments_indexed', 'threads_indexed')",
    )
    .all()
  for (const { name } of triggers) cloner.exec(`DROP TRIGGER ${name}`)
  fillRecords(cloner, large)
  fillWork(cloner, large)
  for (const { sql } of triggers) cloner.exec(sql)
  house.instance.tables.search.index()
  cloner.exec("COMMIT")
  house.close()
  return large
}
