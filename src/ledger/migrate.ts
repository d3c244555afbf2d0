/** A file is this program's own, and of its schema: the steps that it still lacks, and the triggers that keep what was accepted. */
import type Database from "better-sqlite3"
import { DataError, EarlierData } from "./data-error.ts"
import { isDerived, keepingTriggers } from "./keeping.ts"
import { latestSchema, type Migration, schemaSql } from "./schema.ts"

/** Marks the file as this program's own ("ROOM"). */
const APPLICATION_ID = 0x524f4f4d

/** A number that a pragma says. */
export const number = (database: Database.Database, pragma: string): number => Number(database.pragma(pragma, { simple: true }))

/** Whether nothing was ever stored in it; Litestream may have been quicker with tables of its own. */
const isNew = (database: Database.Database): boolean =>
  number(database, "user_version") === 0 &&
  number(database, "application_id") === 0 &&
  database.prepare("SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE '\\_litestream\\_%' ESCAPE '\\'").pluck().get() === 0

/** Refuses what this program must not touch, before anything in it is changed. @throws DataError */
export function mustBeOwn(database: Database.Database, file: string, target: number): void {
  if (isNew(database)) return
  if (number(database, "application_id") !== APPLICATION_ID) {
    throw new DataError(`${file} is an SQLite database of another program. Nothing was changed. Choose another --data folder.`)
  }
  const version = number(database, "user_version")
  if (version > target) {
    throw new DataError(
      `${file} was written by a newer research-room (schema ${version}; this program knows up to ${target}). Nothing was changed. Use the newer program.`,
    )
  }
}

/** The triggers that keep what was accepted, as they are now. */
const keeping = (database: Database.Database) =>
  new Map(
    database
      .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
      .all()
      .flatMap(({ name, sql }): [string, string][] => (isDerived(name) ? [[name, sql]] : [])),
  )
const drop = (database: Database.Database, triggers: Iterable<string>) => {
  for (const name of triggers) database.exec(`DROP TRIGGER ${name}`)
}

/** Makes the triggers what the list of objects says. @returns those that were not */
function keep(database: Database.Database): string[] {
  const columns = database.prepare<[string], { name: string }>("SELECT name FROM pragma_table_info(?)")
  const wanted = keepingTriggers((table) => columns.all(table).map(({ name }) => name))
  const settled = (now: ReadonlyMap<string, string>) =>
    now.size === wanted.size && [...wanted].every(([name, sql]) => now.get(name) === sql)
  const before = keeping(database)
  if (settled(before)) return []
  database
    .transaction(() => {
      const now = keeping(database)
      // Another process may have been as quick.
      if (settled(now)) return
      drop(database, now.keys())
      for (const sql of wanted.values()) database.exec(sql)
    })
    .immediate()
  return [...wanted].flatMap(([name, sql]) => (before.get(name) === sql ? [] : [name]))
}

/** Brings the schema to this version: all of it for a new file, the missing steps for an older one, each in one transaction. */
export function migrate(database: Database.Database, steps: readonly Migration[], target: number): string[] {
  const isOfToday = number(database, "user_version") === target
  const make = database.transaction(() => {
    // Another process may have been as quick.
    if (!isNew(database)) return
    database.exec(schemaSql())
    database.pragma(`application_id = ${APPLICATION_ID}`)
    database.pragma(`user_version = ${target}`)
  })
  if (isNew(database)) make.immediate()
  const version = number(database, "user_version")
  for (const step of steps) {
    if (step.to <= version) continue
    if (step.isRemade) throw new EarlierData(step.to)
    database
      .transaction(() => {
        // A step may fill a column of what is kept.
        drop(database, keeping(database).keys())
        database.exec(step.sql)
        database.pragma(`user_version = ${step.to}`)
      })
      .immediate()
  }
  // Also where a crash came before it, or another program kept more or less of the same schema.
  const mended = target === latestSchema ? keep(database) : []
  return isOfToday ? mended : []
}
