/**
 * Upgrades data of an earlier version: replays its history into a new file, compares the result, and only then replaces
 * the old file, which stays intact until that moment.
 */
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import {
  type Data,
  openData,
  DataError,
  openDatabase,
  openScratch,
  storedSchema,
} from "../../ledger/storage/opening.ts"
import { type Db, isBusy, isStorageFault, type SqliteDb } from "../../ledger/storage/database.ts"
import { type Entry, journal } from "../../ledger/journal/journal.ts"
import { notReplayed } from "../../ledger/storage/not-replayed.ts"
import { Divergence, type OnProgress, replay, type Watching } from "../../ledger/replay/replay.ts"
import { latestSchema } from "../../ledger/storage/schema.ts"
import { rowsOf, tablesOf } from "../../ledger/storage/tables.ts"
import { realWorld, type World } from "../../ledger/world.ts"
import { createInstance } from "./instance.ts"
import { codeOf, isFull } from "../../contract/refusals.ts"

/**
 * Replays a history into a new file.
 * @param indexed the last item in the search index; all by default
 * @throws Divergence if a replay gives another result
 */
export function remake(entries: Iterable<Entry>, file: string, watching: Watching = {}, indexed?: number): SqliteDb {
  const db = openScratch(file)
  try {
    const { ledger, tables } = createInstance({ db, world: realWorld(), instanceId: "", indexesLater: true })
    replay(entries, { db, ledger }, watching)
    tables.search.index(indexed)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Copies the rows and columns that no write makes, if both files have them. */
function carryOver(from: Db, to: Db): void {
  const before = new Map(tablesOf(from).map((table) => [table.name, table]))
  const now = new Map(tablesOf(to).map((table) => [table.name, table]))
  to.exec("BEGIN")
  for (const { table: name, formerly = name, columns } of notReplayed) {
    const [old, table] = [before.get(name) ?? before.get(formerly), now.get(name)]
    if (old === undefined || table === undefined) continue
    const both = (columns ?? table.columns).filter((column) => old.columns.includes(column))
    const read = [...both, ...(columns === null ? [] : table.key)]
    const put = to.prepare(
      columns === null
        ? `INSERT INTO ${name} (${both.join(", ")}) VALUES (${both.map(() => "+?").join(", ")})`
        : `UPDATE ${name}
          SET ${both.map((column) => `${column} = +?`).join(", ")}
          WHERE ${table.key.map((column) => `${column} = +?`).join(" AND ")}`,
    )
    for (const row of rowsOf(from, old, read)) put.run(...read.map((column) => row[column] ?? null))
  }
  to.exec("COMMIT")
}

/** @throws DataError if the digest at the end of the history or of a Room's chain differs */
function mustEndAlike(from: Db, to: Db): void {
  if (journal(from).head() !== journal(to).head())
    throw new DataError("A replay of the history gives another result. Nothing was changed.")
  const headsOf = (db: Db) =>
    db
      .prepare<{ room_id: string }>(
        "SELECT room_id, activity_sequence, activity_digest FROM room_heads ORDER BY room_id",
      )
      .all()
  const [before, now] = [headsOf(from), headsOf(to)]
  const differing = before.find((head, index) => JSON.stringify(head) !== JSON.stringify(now[index]))
  if (differing !== undefined || before.length !== now.length)
    throw new DataError(
      `The activity of Room ${differing?.room_id ?? now.at(-1)?.room_id} is different after a ` +
        "replay. Nothing was changed.",
    )
}

const openElsewhere = (file: string) =>
  new DataError(`${file} is open in another program. Nothing was changed. End it first.`)

/** Flushes a file or a folder to the disk. */
export const settle = (path: string): void => {
  const handle = openSync(path, "r")
  fsyncSync(handle)
  closeSync(handle)
}

/**
 * Rebuilds every table of a file from its history in a second file, and replaces the first with it.
 * @param db the old data; closed before it is replaced
 * @throws DataError if a replay gives another result, or there is not enough space
 */
export function rebuild(file: string, db: Db, watching: Watching = {}): void {
  const folder = dirname(file)
  const isPartial = (name: string) => name.startsWith(`${basename(file)}.remade-`)
  // Remove the files of a killed process. Only one process upgrades the data at a time.
  for (const name of readdirSync(folder)) if (isPartial(name)) rmSync(join(folder, name), { force: true })
  const partial = `${file}.remade-${process.pid}`
  try {
    // No other process may have the old file open until the new one is in its place: its writes would be lost. Without
    // a log SQLite can ensure that, and no old log remains that could be taken for the new file's.
    db.prepare("PRAGMA journal_mode = DELETE").get()
    db.exec("BEGIN EXCLUSIVE")
    {
      using made = remake(journal(db).entries(), partial, watching)
      carryOver(db, made)
      mustEndAlike(db, made)
    }
    settle(partial)
    // Windows renames nothing over a file that is open.
    if (process.platform === "win32") db.close()
    renameSync(partial, file)
    settle(folder)
  } catch (error) {
    if (error instanceof Divergence)
      throw new DataError(
        `${file} cannot be upgraded: ${error.message}. Nothing was changed. Use the program that wrote it.`,
      )
    if (isBusy(error)) throw openElsewhere(file)
    if (isFull(error))
      throw new DataError(
        `There is not enough space beside ${file} to upgrade it: a second file of the same size is ` +
          "needed. Nothing was changed.",
      )
    if (isStorageFault(error))
      throw new DataError(
        `${file} could not be upgraded, since its disk failed (${codeOf(error)}). Nothing was changed. ` +
          "Check the disk, and start again.",
      )
    throw error
  } finally {
    if (db.inTransaction) db.exec("ROLLBACK")
    db.close()
    rmSync(partial, { force: true })
  }
}

/** Whether a file holds data of an earlier version. */
export const isEarlier = (file: string): boolean => (storedSchema(file) ?? latestSchema) < latestSchema

/**
 * Upgrades the file if it is of an earlier version.
 * @throws DataError if that fails; the file is then unchanged
 */
export function bringForward(file: string, onProgress: OnProgress = () => {}): void {
  if (!isEarlier(file)) return
  using db = openDatabase(file, storedSchema(file) ?? latestSchema)
  const total = journal(db).count()
  const report = (done: number) => onProgress(Math.min(done, total), total, "upgrading the data")
  report(0)
  rebuild(file, db, { onProgress: report })
}

/** Upgrades and opens the data of an instance. @throws DataError if it cannot be opened */
export function openForward(file: string, world?: World, onProgress?: OnProgress): Data {
  bringForward(file, onProgress)
  return openData(file, world)
}
