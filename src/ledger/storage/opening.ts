/** Opens data files, each way one is opened: as the data of an instance, beside another connection, to read, or as a scratch file. */
import { codeOf } from "../../contract/faults.ts"
import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from "node:fs"
import { dirname } from "node:path"
import Database from "better-sqlite3"
import { isFollowed, isReplicated, notOwn } from "./litestream-files.ts"
import { DataError } from "./data-error.ts"
import { migrate, mustBeOwn, number, versionOf } from "./migrate.ts"
import { mustOwnLog } from "./overwritten.ts"
import { isBusy, type Db, SqliteDb } from "./database.ts"
import { latestSchema } from "./schema.ts"

export { DataError, EarlierData } from "./data-error.ts"

/** Files up to this many bytes are read through at start; `check` reads larger ones on demand. */
const QUICK_CHECK_BYTES = 256 * 1024 * 1024
/** Milliseconds to wait for another process's short write, such as `user add` beside `serve`. */
const BUSY_TIMEOUT = 2_000

/** What an SQLite error says of the file, in our words; undefined for an error of another kind. */
function damage(error: unknown, file: string): DataError | undefined {
  // The executable carries the engine itself, and may find no place to load it from.
  if (error instanceof Error && "code" in error && error.code === "ERR_NO_ENGINE") return new DataError(error.message)
  const code = error instanceof Database.SqliteError ? error.code : ""
  if (code === "SQLITE_NOTADB")
    return new DataError(
      `${file} is not a research-room database, or its beginning is damaged. Nothing was changed. Restore a backup, or choose another --data folder.`,
    )
  if (code.startsWith("SQLITE_CORRUPT"))
    return new DataError(`${file} is damaged. Nothing was changed. Restore a backup, or choose another --data folder.`)
  if (code === "SQLITE_CANTOPEN" || code.startsWith("SQLITE_READONLY"))
    return new DataError(`${file} cannot be opened for writing: check that the folder exists and belongs to this user.`)
  // The index of the log finds no space.
  if (code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE")
    return new DataError(`The disk that holds ${file} is full. Nothing was changed.`)
  if (code === "SQLITE_BUSY") return new DataError(`${file} is locked by another program that is writing to it.`)
  if (code.startsWith("SQLITE_IOERR")) return new DataError(`${file} cannot be read or written (${code}).`)
  return undefined
}

/** A file that exists and is no SQLite file must not be touched, not even by the journal-mode switch. */
function refuseForeignFile(file: string): void {
  mustOwnLog(file)
  if (!existsSync(file) || statSync(file).size === 0) return
  const head = Buffer.alloc(16)
  const handle = openSync(file, "r")
  readSync(handle, head, 0, 16, 0)
  closeSync(handle)
  if (head.toString("latin1") !== "SQLite format 3\0") {
    throw new DataError(
      `${file} is not a research-room database, or its beginning is damaged. Nothing was changed. Restore a backup, or choose another --data folder.`,
    )
  }
}

/** How every connection that writes is used. @throws DataError when it would be less durable */
function setUp(database: Database.Database, file: string): void {
  database.pragma("journal_mode = WAL")
  // The driver's build opens WAL files at NORMAL, where an acknowledged write can be lost with the power.
  database.pragma("synchronous = FULL")
  database.pragma("foreign_keys = ON")
  // Else an INSERT OR REPLACE would take rows away past the triggers that keep them.
  database.pragma("recursive_triggers = ON")
  // Gives the space of a large log back to the disk after it has been worked off.
  database.pragma("journal_size_limit = 67108864")
  // Each time the log is worked off, pages are copied and synced that the next writes change again: 16 MiB of it are one
  // block of its index, so that no read takes longer for it.
  // Where Litestream copies the log, it works it off itself once it has it.
  database.pragma(`wal_autocheckpoint = ${isReplicated(file) ? 0 : 4000}`)
  if (number(database, "synchronous") !== 2 || number(database, "foreign_keys") !== 1) {
    throw new DataError(`${file} could not be opened with full durability.`)
  }
}

/** Reads every table through. The indexes of words are made from the tables and take twice as long: `check` reads those. */
function isWhole(database: Database.Database): boolean {
  const cache = number(database, "cache_size")
  // No page is read twice, so none is kept: the default cache would hold 16 MB of them from here on.
  database.pragma("cache_size = -1000")
  const tables = database.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0").pluck().all()
  const areWhole = tables.every((table) => database.pragma(`quick_check("${table}")`, { simple: true }) === "ok")
  database.pragma(`cache_size = ${cache}`)
  return areWhole
}

/**
 * Opens (or makes) the database at `file`.
 * @param target the schema version that it should have
 * @throws DataError when the file is damaged, newer than this program, foreign, or cannot be written
 */
export function openDatabase(file: string, target = latestSchema): Db {
  if (isFollowed(file)) throw new DataError(notOwn(file))
  try {
    if (file !== ":memory:") mkdirSync(dirname(file), { recursive: true })
    refuseForeignFile(file)
    const database = new Database(file, { timeout: BUSY_TIMEOUT })
    try {
      mustBeOwn(database, file, target)
      const size = file === ":memory:" ? 0 : statSync(file).size
      if (size > 0 && size <= QUICK_CHECK_BYTES && !isWhole(database)) {
        throw new DataError(`${file} is damaged. Nothing was changed. Restore a backup, or choose another --data folder.`)
      }
      setUp(database, file)
      return new SqliteDb(database, migrate(database, target))
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    if (error instanceof DataError) throw error
    const code = codeOf(error)
    if (["EACCES", "ENOTDIR", "EROFS", "EEXIST"].includes(code)) throw new DataError(`${file} cannot be opened for writing (${code}).`)
    throw damage(error, file) ?? error
  }
}

/** Loads the database's engine, for the threads of this process, without any data. */
export function loadEngine(): void {
  new Database(":memory:").close()
}

/** A fresh database to be thrown away or put in place once it is whole: nothing is kept safe while it is written. */
export function openScratch(file: string): Db {
  const database = new Database(file, { timeout: BUSY_TIMEOUT })
  try {
    database.pragma("journal_mode = OFF")
    database.pragma("synchronous = OFF")
    database.pragma("foreign_keys = ON")
    database.pragma("recursive_triggers = ON")
    database.pragma("cache_size = -65536")
    migrate(database, latestSchema)
    return new SqliteDb(database)
  } catch (error) {
    database.close()
    throw error
  }
}

/** A new file without a schema, to be thrown away, of so many bytes at the most. */
export function openPlain(file: string, bytes: number): Db {
  const database = new Database(file, { timeout: BUSY_TIMEOUT })
  database.pragma("journal_mode = MEMORY")
  database.pragma("synchronous = OFF")
  database.pragma(`max_page_count = ${Math.floor(bytes / number(database, "page_size"))}`)
  return new SqliteDb(database)
}

/** Lets `work` fill data that nobody relies on yet, without waiting for the disk at each write; all of it is safe once this returns. */
export async function fill(db: Db, work: () => Promise<void>): Promise<void> {
  db.exec("PRAGMA synchronous = OFF")
  try {
    await work()
  } finally {
    db.exec("PRAGMA synchronous = FULL")
    // Syncs the log, then the file.
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}

/** From now on another connection of this process commits. What this one tries and takes back never reaches the disk. */
export const leaveWriting = (db: Db): void => db.exec("PRAGMA cache_spill = OFF")

/** A second connection to a file that this process has opened, checked and brought to its schema already; it writes too. */
export function openBeside(file: string): Db {
  const database = new Database(file, { fileMustExist: true, timeout: BUSY_TIMEOUT })
  setUp(database, file)
  // What a statement with triggers changes is kept until it has ended, so that it can be taken back alone: a few pages of a
  // write, for which a file would be made and written otherwise. Nothing is sorted here that could be large.
  database.pragma("temp_store = MEMORY")
  return new SqliteDb(database)
}

/** A further connection to a file that is open already: it only reads, and sees the data as it is now until it is closed. */
export function openReadConnection(file: string): Db {
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT })
  database.exec("BEGIN")
  // A snapshot begins with the first read.
  database.prepare("SELECT 1 FROM instance").get()
  return new SqliteDb(database)
}

/** A file that this process only reads: one that was made and is changed by nobody any more, or by somebody else under the file's lock. */
export function openMade(file: string, patience = BUSY_TIMEOUT): Db {
  return new SqliteDb(new Database(file, { readonly: true, fileMustExist: true, timeout: patience }))
}

/** Whether a file says that it has a log beside it. @throws DataError when it is no SQLite file */
export function saysLog(file: string): boolean {
  refuseForeignFile(file)
  const head = Buffer.alloc(1)
  const handle = openSync(file, "r")
  readSync(handle, head, 0, 1, 18)
  closeSync(handle)
  return head[0] === 2
}

/** Has a file do without a log beside it. @throws DataError when it cannot be written */
export function leaveLog(file: string): void {
  try {
    const database = new Database(file, { fileMustExist: true, timeout: BUSY_TIMEOUT })
    try {
      database.pragma("journal_mode = DELETE")
    } finally {
      database.close()
    }
  } catch (error) {
    throw damage(error, file) ?? error
  }
}

/** The schema version of this program's data in a file; null where there is no such data, or it cannot be read. Nothing is changed. */
export function storedSchema(file: string): number | null {
  // To look into it in the usual way would make files beside it that its follower does not expect.
  if (isFollowed(file)) return null
  try {
    const database = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT })
    try {
      return versionOf(database)
    } finally {
      database.close()
    }
  } catch {
    return null
  }
}

/**
 * Takes the exclusive lock of a file, for as long as the process lives or until the returned function is called.
 * @returns null when another process holds it
 * @throws DataError when the file cannot be made
 */
export function openLock(file: string): (() => void) | null {
  let database: Database.Database | undefined
  try {
    database = new Database(file, { timeout: 0 })
    database.exec("BEGIN EXCLUSIVE")
    const held = database
    return () => held.close()
  } catch (error) {
    database?.close()
    if (isBusy(error)) return null
    throw damage(error, file) ?? error
  }
}
