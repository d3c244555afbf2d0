/**
 * Replay: runs the journal through the same behaviours in a fresh database, with the recorded ids and chance. Each
 * entry must request exactly what was recorded; the caller compares the tables, or finds the rows that differ.
 */
import type { Ledger } from "../write/ledger.ts"
import { type Db, isStorageFault, type Value } from "../storage/database.ts"
import { headsOf, type Entry } from "../journal/journal.ts"
import type { Recorded } from "../write/writing.ts"
import { messageOf } from "../../contract/refusals.ts"
import { sealOf } from "../storage/not-replayed.ts"
import { compared, differing, replayedTables, type Row, type Table, tablesOf } from "../storage/tables.ts"

/** The target of a replay: a fresh database, and the ledger of an instance on it. */
export interface Scratch {
  readonly db: Db
  readonly ledger: Ledger
}

/** An entry cannot be replayed, or its result differs from what was recorded. */
export class Divergence extends Error {
  readonly position: number
  constructor({ position, operation }: Pick<Entry, "position" | "operation">, why: string, cause?: unknown) {
    super(`Entry ${position} of the journal (${operation}): ${why}`, { cause })
    this.position = position
  }
}

/** Entries that share a transaction; their texts are indexed together. */
const GROUP = 1_000

/** Called with the steps done, the total, and the current step. */
export type OnProgress = (done: number, total: number, what: string) => void

export interface Watching {
  /** Called after each entry with its result; null for an act. */
  readonly onEntry?: ((entry: Entry, recorded: Recorded | null) => void) | undefined
  /** Called regularly with the number of entries replayed. */
  readonly onProgress?: ((done: number) => void) | undefined
}

/**
 * Replays entries, in order.
 * @returns how many
 * @throws Divergence at the first entry whose result differs
 */
export function replay(
  entries: Iterable<Entry>,
  { db, ledger }: Scratch,
  { onEntry, onProgress }: Watching = {},
): number {
  let done = 0
  const heads = headsOf(db)
  db.exec("BEGIN")
  // Nobody else writes the file.
  heads.open()
  for (const entry of entries) {
    try {
      const recorded = ledger.replaying.entry(entry)
      onEntry?.(entry, recorded)
    } catch (error) {
      // A disk failure is not the entry's fault.
      throw error instanceof Divergence || isStorageFault(error)
        ? error
        : new Divergence(entry, messageOf(error), error)
    }
    done += 1
    if (done % GROUP !== 0) continue
    ledger.replaying.settle()
    heads.forget()
    db.exec("COMMIT; BEGIN")
    onProgress?.(done)
  }
  ledger.replaying.settle()
  db.exec("COMMIT")
  heads.close()
  heads.forget()
  onProgress?.(done)
  return done
}

// The rows in which the data differs from a replay of its journal, found on a snapshot, so that another process can
// find them and the service can correct them a few at a time, whatever was written meanwhile.

/** A row that differs: its table, its key, and a digest of its columns in the snapshot; null if it was not there. */
export interface Found {
  readonly table: string
  readonly key: readonly Value[]
  readonly which: "only_here" | "only_due" | "unlike"
  readonly here: string | null
}

/** The rows to correct, in an order in which each may be corrected alone. */
export interface Differences {
  readonly rows: readonly Found[]
  /** Whether there are no others. */
  readonly isAll: boolean
}

const digestOf = (row: Row, columns: readonly string[]): string =>
  sealOf(columns.map((column) => row[column] ?? null)).toString("hex")

/** Orders tables so that each comes after those that it refers to. */
function afterReferred(db: Db, tables: readonly Table[]): Table[] {
  const referred = db.prepare<{ name: string }>(`SELECT DISTINCT "table" AS name FROM pragma_foreign_key_list(+?)`)
  const byName = new Map(tables.map((table) => [table.name, table]))
  const ordered = new Set<Table>()
  const seen = new Set<string>()
  function add(table: Table): void {
    if (seen.has(table.name)) return
    seen.add(table.name)
    for (const { name } of referred.all(table.name)) {
      const other = byName.get(name)
      if (other !== undefined) add(other)
    }
    ordered.add(table)
  }
  tables.forEach(add)
  return [...ordered]
}

/**
 * Finds the rows to correct, at most so many of each kind. Rows go before those that they refer to, and come after
 * them. They go before others come, because of unique columns. A row whose key holds bytes never holds words.
 */
export function differences(data: Db, made: Db, most: number): Differences {
  const found: Record<Found["which"], Found[]> = { only_here: [], unlike: [], only_due: [] }
  let isAll = true
  for (const table of afterReferred(made, replayedTables(made))) {
    const columns = compared(table)
    for (const each of differing(data, made, table)) {
      const row = each.which === "only_due" ? each.due : each.here
      const key = table.key.map((column) => row[column] ?? null)
      const here = each.which === "only_due" ? null : digestOf(each.here, columns)
      const of = found[each.which]
      of.push({ table: table.name, key, which: each.which, here })
      if (of.length <= most) continue
      isAll = false
      if (each.which === "only_here") of.shift()
      else of.pop()
    }
  }
  return { rows: [...found.only_here.toReversed(), ...found.unlike, ...found.only_due], isAll }
}

/** The statements by which rows of a table are corrected. */
function correcting(data: Db, made: Db, table: Table) {
  const { name } = table
  const columns = compared(table)
  const at = `WHERE ${table.key.map((column) => `${column} = +?`).join(" AND ")}`
  const select = `SELECT ${columns.join(", ")} FROM ${name} ${at}`
  const values = (row: Row): Value[] => columns.map((column) => row[column] ?? null)
  // Columns that no write makes stay as they are.
  const update = data.prepare(`UPDATE ${name} SET ${columns.map((column) => `${column} = +?`).join(", ")} ${at}`)
  const remove = data.prepare(`DELETE FROM ${name} ${at}`)
  const insert = data.prepare(
    `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${columns.map(() => "+?").join(", ")})`,
  )
  return {
    columns,
    here: data.prepare<Row>(select),
    due: made.prepare<Row>(select),
    put(which: Found["which"], due: Row | undefined, key: readonly Value[]): void {
      if (which === "only_here") remove.run(...key)
      else if (due === undefined) return
      else if (which === "unlike") update.run(...values(due), ...key)
      else insert.run(...values(due))
    },
  }
}

/**
 * Corrects rows of the data, within a transaction and without the triggers, unless they changed since they were found.
 * @param made the replay by which they were found
 * @returns the ids in the corrected rows
 */
export function correctFound(data: Db, made: Db, rows: readonly Found[]): Set<string> {
  const tables = new Map(tablesOf(made).map((table) => [table.name, table]))
  const statements = new Map<string, ReturnType<typeof correcting>>()
  const ids = new Set<string>()
  for (const { table: name, key, which, here } of rows) {
    const table = tables.get(name)
    if (table === undefined) continue
    const of = statements.get(name) ?? correcting(data, made, table)
    statements.set(name, of)
    const [ours, due] = [of.here.get(...key), of.due.get(...key)]
    const isSame = (ours === undefined ? null : digestOf(ours, of.columns)) === here
    if (!isSame) continue
    for (const value of Object.values({ ...ours, ...due })) if (typeof value === "string") ids.add(value)
    of.put(which, due, key)
  }
  return ids
}
