/**
 * Handles all tables as the database itself describes them: lists them, reads their rows, compares those of two
 * databases and corrects one by the other.
 */
import type { Db, Value } from "./database.ts"
import { openDatabase } from "./opening.ts"
import { columnsNotReplayed, isNotReplayed, sealedTables } from "./not-replayed.ts"

// Compares the tables, indexes, views and triggers of a file with those of new data.

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
  using made = openDatabase(":memory:")
  const [here, due] = [partsOf(db), partsOf(made)]
  for (const [name, sql] of due) {
    if (!here.has(name)) add(`The ${name} is missing.`)
    else if (here.get(name) !== sql) add(`The ${name} differs from the one that this version makes.`)
  }
  for (const name of here.keys()) if (!due.has(name)) add(`The ${name} does not belong to this version.`)
}

export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns that identify a row. */
  readonly key: readonly string[]
}

/** Returns every ordinary table by name, without the internal tables of the word indexes. */
export function tablesOf(db: Db): Table[] {
  const names = db.prepare<{ name: string }>(
    `SELECT name
      FROM pragma_table_list
      WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY name`,
  )
  const columns = db.prepare<{ name: string; pk: number }>("SELECT name, pk FROM pragma_table_info(+?) ORDER BY cid")
  const unique = db.prepare<{ name: string }>(
    `SELECT c.name FROM pragma_index_info((SELECT name
      FROM pragma_index_list(+?)
      WHERE "unique" = 1 AND origin = 'u'
      ORDER BY seq DESC
      LIMIT 1)) c ORDER BY c.seqno`,
  )
  return names.all().map(({ name }) => {
    const all = columns.all(name)
    const primary = all.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
    return {
      name,
      columns: all.map((column) => column.name),
      key: (primary.length > 0 ? primary : unique.all(name)).map((column) => column.name),
    }
  })
}

/** Rows in memory at once. */
const PAGE = 1_000

export type Row = Readonly<Record<string, Value>>

/** Iterates over the rows of a table in the order of its key. The key must be among the columns. */
export function* rowsOf(db: Db, { name, key }: Table, columns: readonly string[]): Generator<Row, undefined> {
  const keys = key.join(", ")
  const select = (where: string) =>
    db.prepare<Row>(`SELECT ${columns.join(", ")} FROM ${name} ${where} ORDER BY ${keys} LIMIT ${PAGE}`)
  const after = select(`WHERE (${keys}) > (${key.map(() => "+?").join(", ")})`)
  for (let rows = select("").all(); ; ) {
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return undefined
    rows = after.all(...key.map((column) => last[column] ?? null))
  }
}

/** SQLite's sort order: null, numbers, then text by its bytes. */
function order(one: Value = null, other: Value = null): number {
  if (typeof one === "string" && typeof other === "string") {
    if (one === other) return 0
    // Text sorts alike by bytes and by UTF-16 units, except beyond the basic plane.
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  }
  if (typeof one === "number" && typeof other === "number") return one - other
  const rank = (value: Value) =>
    value === null ? 0 : typeof value === "number" ? 1 : typeof value === "string" ? 2 : 3
  return rank(one) - rank(other)
}

const same = (one: Value = null, other: Value = null): boolean =>
  one === other || (Buffer.isBuffer(one) && Buffer.isBuffer(other) && one.equals(other))

/** Which of two rows of a table sorts first by its key. */
function sorted({ key }: Table, one: Row, other: Row): number {
  for (const column of key) {
    const found = order(one[column], other[column])
    if (found !== 0) return found
  }
  return 0
}

/** The columns of a table that are derived from the journal. */
export const compared = ({ name, columns }: Table): string[] => {
  const left = columnsNotReplayed(name)
  return columns.filter((column) => !left.includes(column))
}

/** The tables that a replay fills, with the journal itself. */
export const replayedTables = (db: Db): Table[] => tablesOf(db).filter(({ name }) => !isNotReplayed(name))

/** A row in which the two databases differ. */
type Difference =
  /** Only the data has it. */
  | { readonly which: "only_here"; readonly here: Row }
  /** Only the other database has it. */
  | { readonly which: "only_due"; readonly due: Row }
  /** They differ in some columns. */
  | { readonly which: "unlike"; readonly here: Row; readonly due: Row; readonly columns: readonly string[] }

/** Iterates over the rows in which two databases differ, in the order of the table's key. */
export function* differing(data: Db, made: Db, table: Table): Generator<Difference> {
  const columns = compared(table)
  const [ours, theirs] = [rowsOf(data, table, columns), rowsOf(made, table, columns)]
  let [here, due] = [ours.next().value, theirs.next().value]
  while (here !== undefined || due !== undefined) {
    const which = here === undefined ? 1 : due === undefined ? -1 : sorted(table, here, due)
    if (which < 0 && here !== undefined) yield { which: "only_here", here }
    else if (which > 0 && due !== undefined) yield { which: "only_due", due }
    else if (here !== undefined && due !== undefined) {
      const [one, other] = [here, due]
      const unlike = columns.filter((column) => !same(one[column], other[column]))
      if (unlike.length > 0) yield { which: "unlike", here: one, due: other, columns: unlike }
    }
    if (which <= 0) here = ours.next().value
    if (which >= 0) due = theirs.next().value
  }
}

/**
 * Changes the tables of one database to match another one, after part of the journal that they are derived from was
 * withheld. Within an open transaction, without the triggers.
 * @param made the result of a replay of the same journal
 */
export function correct(data: Db, made: Db): void {
  const sealed = new Map(
    sealedTables((name) => tablesOf(data).find((each) => each.name === name)?.columns ?? []).map((each) => [
      each.table,
      each,
    ]),
  )
  for (const table of replayedTables(made)) {
    const { name, key } = table
    const columns = compared(table)
    const left = columnsNotReplayed(name)
    const all = [...columns, ...left]
    const where = `WHERE ${key.map((column) => `${column} = +?`).join(" AND ")}`
    const valuesOf = (row: Row, names: readonly string[]): Value[] => names.map((column) => row[column] ?? null)
    const remove = data.prepare(`DELETE FROM ${name} ${where}`)
    const insert = data.prepare(`INSERT INTO ${name} (${all.join(", ")}) VALUES (${all.map(() => "+?").join(", ")})`)
    const beside = left.length === 0 ? null : data.prepare<Row>(`SELECT ${left.join(", ")} FROM ${name} ${where}`)
    // All differences are read before any row changes, and deletes come before inserts because of unique columns.
    const found = [...differing(data, made, table)].map((each) => ({
      ...each,
      kept: each.which === "unlike" ? (beside?.get(...valuesOf(each.here, key)) ?? {}) : {},
    }))
    for (const each of found) if (each.which !== "only_due") remove.run(...valuesOf(each.here, key))
    for (const each of found)
      if (each.which !== "only_here") insert.run(...valuesOf({ ...each.kept, ...each.due }, all))
    const { due } = sealed.get(name) ?? {}
    if (due !== undefined && found.length > 0) data.exec(`UPDATE ${name} SET seal = ${due} WHERE seal IS NULL`)
  }
}
