/**
 * The schema of the data: creates it in a new file, verifies that a file is this program's, and restores the triggers
 * that protect accepted writes.
 */
import type Database from "better-sqlite3"
import { FailedError } from "../../contract/refusals.ts"
import { packaged } from "../../packaged.ts"
import { aOrAn, objectList } from "../../contract/objects/objects.ts"
import { countedTables, type Sealed, sealedTables } from "./not-replayed.ts"

// The triggers that protect accepted writes, seal and count rows, and note new objects for search, made from the list
// of objects and from the tables that no write makes.

/** The protected tables that do not belong to objects. */
const entries = [
  { table: "journal", noun: "row of the journal" },
  { table: "places", noun: "place" },
  { table: "writers", noun: "writer" },
  { table: "audit_entries", noun: "line of the audit log" },
]

interface Kept {
  readonly table: string
  /** The noun for a row in the error message. */
  readonly what: string
  /** Columns that may change. */
  readonly moves: readonly string[]
  readonly deletable: boolean
}

const kept: readonly Kept[] = [
  ...new Map(
    [
      ...entries.map(({ table, noun }) => ({ table, what: noun, moves: [], deletable: false })),
      ...objectList.flatMap(({ table, kindIn, noun, moves, deletable, parts }) => {
        const what = kindIn === null ? noun[0] : table.replace(/s$/, "")
        return [
          { table, what, moves, deletable },
          ...parts.map((part) => ({ table: part, what: `part of ${aOrAn(what)}`, moves: [], deletable })),
        ]
      }),
    ].map((each): [string, Kept] => [each.table, each]),
  ).values(),
]

const trigger = (name: string, does: string): [name: string, sql: string] => [
  name,
  `CREATE TRIGGER ${name} BEFORE ${does}; END`,
]

const triggersOf = (
  { table, what, moves, deletable }: Kept,
  columns: readonly string[],
): [name: string, sql: string][] => {
  const still = columns.filter((column) => column !== "seal" && !moves.includes(column))
  const changed = moves.length === 0 ? "UPDATE" : `UPDATE OF ${still.join(", ")}`
  const keep = trigger(
    `${table}_keep`,
    `${changed} ON ${table} BEGIN SELECT RAISE(ABORT, '${aOrAn(what)} is immutable')`,
  )
  const stay = trigger(
    `${table}_stay`,
    `DELETE ON ${table} BEGIN SELECT RAISE(ABORT, '${aOrAn(what)} is never deleted')`,
  )
  return deletable ? [keep] : [keep, stay]
}

/**
 * Notes new objects of a Room for the search index. Records are noted with their entry, and messages by triggers in
 * schema.sql.
 */
const indexed = objectList.flatMap(({ kind, table, key, kindIn, room, isSearched }): [name: string, sql: string][] => {
  const name = `${table}_indexed`
  const insert = `INSERT INTO search_items (kind, id) VALUES ('${kind}', new.${key})`
  return isSearched && kindIn === null && room !== null
    ? [[name, `CREATE TRIGGER ${name} AFTER INSERT ON ${table}\n  BEGIN ${insert}; END`]]
    : []
})

/** Seals the row as it is stored: an earlier trigger may have changed it. */
const sealing = ({ table, key, columns, due }: Sealed): [name: string, sql: string][] =>
  ["INSERT", `UPDATE OF ${columns.join(", ")}`].map((change, index) => {
    const name = `${table}_${index === 0 ? "sealed" : "resealed"}`
    return [
      name,
      `CREATE TRIGGER ${name} AFTER ${change} ON ${table}\n  BEGIN UPDATE ${table}
        SET seal = ${due}
        WHERE ${key} = new.${key}; END`,
    ]
  })

/** Keeps the number of rows of a table. */
const counting = (table: string): [name: string, sql: string][] => [
  [
    `${table}_tallied`,
    `CREATE TRIGGER ${table}_tallied AFTER INSERT ON ${table}
  BEGIN INSERT INTO row_counts (name, rows) VALUES ('${table}', 1) ON CONFLICT DO UPDATE SET rows = rows + 1; END`,
  ],
  [
    `${table}_untallied`,
    `CREATE TRIGGER ${table}_untallied AFTER DELETE ON ${table}
  BEGIN DELETE FROM row_counts WHERE name = '${table}' AND rows = 1;
    UPDATE row_counts SET rows = rows - 1 WHERE name = '${table}'; END`,
  ],
]

/** Whether a trigger counts rows, so that nothing may add or delete them without it. */
export const isCounting = (name: string): boolean => /_(?:un)?tallied$/.test(name)

/** Whether a trigger keeps accepted rows from being changed or deleted. */
export const isProtecting = (name: string): boolean => /_(?:keep|stay)$/.test(name)

/** Returns the derived triggers by name. @param columnsOf returns the columns of a table */
const keepingTriggers = (columnsOf: (table: string) => readonly string[]): ReadonlyMap<string, string> =>
  new Map([
    ...kept.flatMap((each) => triggersOf(each, columnsOf(each.table))),
    ...sealedTables(columnsOf).flatMap(sealing),
    ...countedTables.flatMap(counting),
    ...indexed,
  ])

/** Whether a trigger has the name of a derived one. */
const isDerived = (name: string): boolean =>
  /_(?:keep|stay|sealed|resealed|tallied|untallied)$/.test(name) || indexed.some(([each]) => each === name)

/** The data cannot be opened. The message is for the person who started the program. */
export class DataError extends FailedError {
  override readonly name = "DataError"
}

/** The data is of an earlier version, and its tables must be derived again before it can be opened. */
export class EarlierData extends DataError {
  constructor(to: number) {
    super(
      `The data is older than schema ${to}, and the command that opens it must upgrade it first. Nothing was changed.`,
    )
  }
}

/**
 * The version that this program creates and reads. Data of every earlier version is upgraded by replaying its journal
 * (src/app/compose/upgrade.ts).
 */
export const latestSchema = 9

/** Returns the SQL that creates all tables in a new file. */
export const schemaSql = (): string => packaged("schema.sql")

/** Marks the file as this program's own ("Room"). */
const APPLICATION_ID = 0x526f6f6d
/** Marks data from before version 1 of the format ("ROOM"), which was never released. */
const UNRELEASED_ID = 0x524f4f4d
/** The last commit that reads such data. */
const LAST_TO_READ = "c6f7581"

/** Reads a numeric pragma. */
export const number = (database: Database.Database, pragma: string): number =>
  Number(database.pragma(pragma, { simple: true }))

/** Whether the file has never held data. Litestream may have added tables of its own. */
const isNew = (database: Database.Database): boolean =>
  number(database, "user_version") === 0 &&
  number(database, "application_id") === 0 &&
  database
    .prepare("SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE '\\_litestream\\_%' ESCAPE '\\'")
    .pluck()
    .get() === 0

/** @param id the application_id of a file @throws DataError if it is not this program's */
export function mustBearMark(id: number, file: string): void {
  if (id === UNRELEASED_ID)
    throw new DataError(
      `${file} was written before version 1.0.0, and commit ${LAST_TO_READ} is the last that ` +
        "reads it. Nothing was changed.",
    )
  if (id !== APPLICATION_ID)
    throw new DataError(
      `${file} is an SQLite database of another program. Nothing was changed. Choose another --data folder.`,
    )
}

/** Refuses a file that this program must not change. @throws DataError */
export function mustBeOwn(database: Database.Database, file: string, target: number): void {
  if (isNew(database)) return
  mustBearMark(number(database, "application_id"), file)
  const version = number(database, "user_version")
  if (version > target) {
    throw new DataError(
      `${file} was written by a newer research-room (schema ${version}; this program knows up to ${target}). ` +
        "Nothing was changed. Use the newer program.",
    )
  }
}

const protectingTriggers = (database: Database.Database) =>
  new Map(
    database
      .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
      .all()
      .flatMap(({ name, sql }): [string, string][] => (isDerived(name) ? [[name, sql]] : [])),
  )
const drop = (database: Database.Database, triggers: Iterable<string>) => {
  for (const name of triggers) database.exec(`DROP TRIGGER ${name}`)
}

/** Restores the triggers that the list of objects defines. @returns those that were missing or different */
function restoreTriggers(database: Database.Database): string[] {
  const columns = database.prepare<[string], { name: string }>("SELECT name FROM pragma_table_info(+?)")
  const wanted = keepingTriggers((table) => columns.all(table).map(({ name }) => name))
  const isCurrent = (now: ReadonlyMap<string, string>) =>
    now.size === wanted.size && [...wanted].every(([name, sql]) => now.get(name) === sql)
  const before = protectingTriggers(database)
  if (isCurrent(before)) return []
  database
    .transaction(() => {
      const now = protectingTriggers(database)
      // Another process may have done the same first.
      if (isCurrent(now)) return
      drop(database, now.keys())
      for (const sql of wanted.values()) database.exec(sql)
    })
    .immediate()
  return [...wanted].flatMap(([name, sql]) => (before.get(name) === sql ? [] : [name]))
}

/**
 * Creates the schema in a new file. @param target the version that the file should have
 * @returns the triggers that were restored
 * @throws EarlierData for a file of an earlier version
 */
export function migrate(database: Database.Database, target: number): string[] {
  const wasNew = isNew(database)
  const make = database.transaction(() => {
    // Another process may have done the same first.
    if (!isNew(database)) return
    database.exec(schemaSql())
    database.pragma(`application_id = ${APPLICATION_ID}`)
    database.pragma(`user_version = ${target}`)
  })
  if (wasNew) make.immediate()
  if (number(database, "user_version") < target) throw new EarlierData(target)
  // Triggers may be missing after a crash, or after another program changed the schema.
  const mended = target === latestSchema ? restoreTriggers(database) : []
  return wasNew ? [] : mended
}

/** The schema version of a file of this program; null for another file. */
export const versionOf = (database: Database.Database): number | null =>
  number(database, "application_id") === APPLICATION_ID ? number(database, "user_version") : null
