/** Copies of an instance: made beside a serving process, verified before they are called one, and put back. */
import { closeSync, copyFileSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { type CheckReport, checkData } from "./check.ts"
import { DataError, type Db, openDatabase } from "./database.ts"
import { own } from "./ownership.ts"

/** The database's file within a data folder. */
export const databaseFile = (folder: string): string => join(folder, "research-room.db")

/** What SQLite keeps beside a database; stale ones must not be taken for a restored file's own. */
const companions = ["-wal", "-shm"]

/** Makes sure that a file, or a name in a folder, is on the disk. */
function settle(path: string): void {
  const handle = openSync(path, "r")
  fsyncSync(handle)
  closeSync(handle)
}

/** Opens a copy, proves it whole and closes it again. @throws DataError when it is not */
function verify(file: string): CheckReport {
  const db = openDatabase(file)
  try {
    const report = checkData(db)
    if (report.problems.length > 0) throw new DataError(`The copy is not whole: ${report.problems.join(" ")}`)
    return report
  } finally {
    db.close()
  }
}

const remove = (file: string) => ["", ...companions].forEach((suffix) => rmSync(`${file}${suffix}`, { force: true }))

/**
 * Writes a consistent, compact copy of the data to `file`, also while a service writes to it.
 * @throws DataError when the file exists, cannot be written, or is not whole
 */
export function backUp(db: Db, file: string): CheckReport {
  const target = resolve(file)
  if (existsSync(target)) throw new DataError(`${file} exists already; nothing was written. Name a new file.`)
  const partial = `${target}.partial-${process.pid}`
  try {
    // The service keeps writing: this reads one snapshot, on a connection of its own.
    db.prepare("VACUUM INTO ?").run(partial)
    const report = verify(partial)
    settle(partial)
    renameSync(partial, target)
    settle(dirname(target))
    return report
  } catch (error) {
    if (error instanceof DataError) throw error
    throw new DataError(`The backup could not be written to ${file} (${(error as Error).message}).`)
  } finally {
    remove(partial)
  }
}

/**
 * Puts a backup into a data folder that nobody serves. Data that is there already is only replaced with `force`, and kept under another name.
 * @returns what was put back, and where the data before it went
 * @throws DataError when the backup is not whole, the folder is served, or holds data
 */
export function restore(file: string, folder: string, { force }: { force: boolean }): { report: CheckReport; kept: string | null } {
  if (!existsSync(file)) throw new DataError(`There is no file ${file}.`)
  const target = databaseFile(folder)
  mkdirSync(folder, { recursive: true })
  const release = own(folder)
  const partial = `${target}.partial-${process.pid}`
  try {
    const occupied = existsSync(target)
    if (occupied && !force)
      throw new DataError(`${folder} holds data already; nothing was changed. Restore into another folder, or replace it with --force.`)
    copyFileSync(file, partial)
    const report = verify(partial)
    settle(partial)
    const kept = occupied ? setAside(target) : null
    renameSync(partial, target)
    settle(folder)
    return { report, kept }
  } finally {
    remove(partial)
    release()
  }
}

/** Moves a database out of the way, with what its log still holds, and says where it is now. */
function setAside(file: string): string {
  openDatabase(file).close()
  const kept = `${file}.before-${new Date().toISOString().replaceAll(":", "-")}`
  renameSync(file, kept)
  companions.forEach((suffix) => rmSync(`${file}${suffix}`, { force: true }))
  return kept
}
