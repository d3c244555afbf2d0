/**
 * The rows in which the data differs from a replay of its journal, found on a snapshot, so that another process can
 * find them and the service can correct them a few at a time, whatever was written meanwhile.
 */
import type { Db, Value } from "../storage/database.ts"
import { sealOf } from "../storage/not-replayed.ts"
import { compared, differing, replayedTables, type Row, type Table, tablesOf } from "../storage/tables.ts"

/** A row that differs: its table, its key, and a digest of its columns in the snapshot; null if it was not there. */
export interface Found {
  readonly table: string
  readonly key: readonly Value[]
  readonly which: "only_here" | "only_due" | "unlike"
  readonly here: string | null
}

/** Deletes come before inserts because of unique columns. */
const ORDER = ["only_here", "unlike", "only_due"] as const

const digestOf = (row: Row, columns: readonly string[]): string =>
  sealOf(columns.map((column) => row[column] ?? null)).toString("hex")

/** Finds the rows to correct, at most so many. A row whose key holds bytes never holds words. */
export function differences(data: Db, made: Db, most: number): Found[] {
  const found: Found[] = []
  for (const table of replayedTables(made)) {
    const columns = compared(table)
    for (const each of differing(data, made, table)) {
      const row = each.which === "only_due" ? each.due : each.here
      const key = table.key.map((column) => row[column] ?? null)
      const here = each.which === "only_due" ? null : digestOf(each.here, columns)
      found.push({ table: table.name, key, which: each.which, here })
      if (found.length >= most) return found
    }
  }
  return found.toSorted((one, other) => ORDER.indexOf(one.which) - ORDER.indexOf(other.which))
}

/**
 * Corrects rows of the data, within a transaction and without the triggers, unless they changed since they were found.
 * @param made the replay by which they were found
 * @returns the ids in the corrected rows
 */
export function correctFound(data: Db, made: Db, rows: readonly Found[]): Set<string> {
  const tables = new Map(tablesOf(made).map((table) => [table.name, table]))
  const ids = new Set<string>()
  for (const { table: name, key, which, here } of rows) {
    const table = tables.get(name)
    if (table === undefined) continue
    const columns = compared(table)
    const [ours, due] = [rowAt(data, table, columns, key), rowAt(made, table, columns, key)]
    const isSame = (ours === undefined ? null : digestOf(ours, columns)) === here
    if (!isSame) continue
    for (const value of Object.values({ ...ours, ...due })) if (typeof value === "string") ids.add(value)
    if (which === "only_here") data.prepare(`DELETE FROM ${name} ${at(table)}`).run(...key)
    else if (due !== undefined) put(data, table, which, due, key)
  }
  return ids
}

const at = ({ key }: Table): string => `WHERE ${key.map((column) => `${column} = +?`).join(" AND ")}`

const rowAt = (db: Db, table: Table, columns: readonly string[], key: readonly Value[]): Row | undefined =>
  db.prepare<Row>(`SELECT ${columns.join(", ")} FROM ${table.name} ${at(table)}`).get(...key)

/** Columns that no write makes stay as they are. */
function put(data: Db, table: Table, which: Found["which"], due: Row, key: readonly Value[]): void {
  const columns = compared(table)
  const values = columns.map((column) => due[column] ?? null)
  const sets = columns.map((column) => `${column} = +?`).join(", ")
  if (which === "unlike") data.prepare(`UPDATE ${table.name} SET ${sets} ${at(table)}`).run(...values, ...key)
  else
    data
      .prepare(`INSERT INTO ${table.name} (${columns.join(", ")}) VALUES (${columns.map(() => "+?").join(", ")})`)
      .run(...values)
}
