/**
 * Opens data files in each way: as an instance's data with its identity and world, as a further connection, for reading
 * only, or as a scratch file.
 */
import Database from "better-sqlite3"
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  accessSync,
  constants,
  copyFileSync,
  mkdtempSync,
  rmSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { tmpdir } from "node:os"
import { codeOf } from "../../contract/refusals.ts"
import { isFollowed, isReplicated, notOwn } from "./litestream-files.ts"
import { DataError, migrate, mustBeOwn, number, versionOf, latestSchema } from "./schema.ts"
import { isBusy, type Db, SqliteDb } from "./database.ts"
import { inserting } from "./inserting.ts"
import { isoTime, momentOf, realWorld, type World } from "../world.ts"

export { DataError, EarlierData } from "./schema.ts"

/** Files up to this size are verified at start; larger ones only by `check`. */
const QUICK_CHECK_BYTES = 256 * 1024 * 1024
/**
 * The frames of a log after which it is copied into the data file. Each checkpoint copies and syncs pages that the next
 * writes change again, and the service waits meanwhile: some 10 ms for 2000 pages. With 4000 it waits twice as long,
 * and the time for each write is the same. 4000 fit one block of the log's index; beyond that, reads become slower.
 */
export const CHECKPOINT_FRAMES = 2_000
/** Milliseconds to wait for another process's short write, such as `user add` beside `serve`. */
const BUSY_TIMEOUT = 2_000

/** Describes an SQLite error about a file for users; undefined for other errors. */
function damage(error: unknown, file: string): DataError | undefined {
  // The executable contains the engine, and may have no folder to unpack it into.
  if (error instanceof Error && "code" in error && error.code === "ERR_NO_ENGINE") return new DataError(error.message)
  const code = error instanceof Database.SqliteError ? error.code : ""
  if (code === "SQLITE_NOTADB") return notADatabase(file)
  if (code.startsWith("SQLITE_CORRUPT")) return damaged(file)
  if (code === "SQLITE_CANTOPEN" || code.startsWith("SQLITE_READONLY"))
    return new DataError(`${file} cannot be opened for writing. Check that the folder exists and belongs to this user.`)
  // SQLite found no space for the shared-memory index of the log.
  if (code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE")
    return new DataError(`The disk that holds ${file} is full. Nothing was changed.`)
  if (code === "SQLITE_BUSY") return new DataError(`${file} is locked by another program that is writing to it.`)
  if (code.startsWith("SQLITE_IOERR")) return new DataError(`${file} cannot be read or written (${code}).`)
  return undefined
}

const notADatabase = (file: string) =>
  new DataError(
    `${file} is not a research-room database, or its beginning is damaged. Nothing was changed. Restore a backup, ` +
      "or choose another --data folder.",
  )
const damaged = (file: string) =>
  new DataError(`${file} is damaged. Nothing was changed. Restore a backup, or choose another --data folder.`)

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** What follows the name of a data file in the name under which `restore --force` keeps it. */
export const KEPT = ".before-"

/**
 * Refuses a missing data file that a killed `restore --force` left, and an empty or missing one with a log beside it:
 * SQLite would delete the log.
 * @throws DataError that says what to do
 */
function mustOwnLog(file: string): void {
  const log = `${file}-wal`
  const earlier = existsSync(file) || !existsSync(dirname(file)) ? [] : readdirSync(dirname(file)).sort()
  const kept = earlier.findLast(
    (name) => name.startsWith(`${basename(file)}${KEPT}`) && !/-(?:wal|shm|journal)$/.test(name),
  )
  if (kept !== undefined)
    throw new DataError(
      `${file} is missing, and earlier data is beside it in ${kept}. Nothing was changed. Restore a backup with ` +
        `research-room restore BACKUP, or rename ${kept} (and its -wal, if it has one) back. To start with empty ` +
        "data, move it to another folder.",
    )
  if (sizeOf(file) > 0 || sizeOf(log) === 0) return
  throw new DataError(
    `${file} is ${existsSync(file) ? "empty" : "missing"}, and the log of earlier data is beside it (${log}). ` +
      "Nothing was changed. Put back the file that belongs to the log, or restore a backup with research-room " +
      "restore " +
      `BACKUP --force, which keeps the present files under another name. To start with empty data, delete ${log}.`,
  )
}

function headOf(file: string): Buffer {
  const head = Buffer.alloc(19)
  const handle = openSync(file, "r")
  readSync(handle, head)
  closeSync(handle)
  return head
}

/** Refuses an existing file that is not an SQLite database: even setting the journal mode would change it. */
function refuseForeignFile(file: string): void {
  mustOwnLog(file)
  if (!existsSync(file) || statSync(file).size === 0) return
  if (headOf(file).toString("latin1", 0, 16) !== "SQLite format 3\0") throw notADatabase(file)
}

/** Sets the pragmas of every connection that writes. @throws DataError if durability cannot be ensured */
function setUp(database: Database.Database, file: string): void {
  database.pragma("journal_mode = WAL")
  // The driver's build opens WAL files with NORMAL, by which a power failure can lose an acknowledged write.
  database.pragma("synchronous = FULL")
  database.pragma("foreign_keys = ON")
  // Otherwise INSERT OR REPLACE would delete rows without firing the triggers that protect them.
  database.pragma("recursive_triggers = ON")
  // Overwrites deleted content in the pages that it was in; free pages are overwritten when something was withheld.
  database.pragma("secure_delete = FAST")
  // Truncates a large log after a checkpoint.
  database.pragma("journal_size_limit = 67108864")
  // Litestream checkpoints the log itself, after copying it.
  database.pragma(`wal_autocheckpoint = ${isReplicated(file) ? 0 : CHECKPOINT_FRAMES}`)
  if (number(database, "synchronous") !== 2 || number(database, "foreign_keys") !== 1) {
    throw new DataError(`${file} could not be opened with full durability.`)
  }
}

/** Verifies every table. The word indexes, which are derived and take twice as long, are verified by `check`. */
function isWhole(database: Database.Database): boolean {
  const cache = number(database, "cache_size")
  // No page is read twice: a small cache avoids keeping 16 MB of them.
  database.pragma("cache_size = -1000")
  const tables = database
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
    .pluck()
    .all()
  const areWhole = tables.every((table) => database.pragma(`quick_check("${table}")`, { simple: true }) === "ok")
  database.pragma(`cache_size = ${cache}`)
  return areWhole
}

/**
 * Opens or creates the database at `file`.
 * @param target the schema version that it should have
 * @throws DataError if the file is damaged, newer than this program, foreign, or cannot be written
 */
export function openDatabase(file: string, target = latestSchema): SqliteDb {
  if (isFollowed(file)) throw new DataError(notOwn(file))
  try {
    if (file !== ":memory:") mkdirSync(dirname(file), { recursive: true })
    refuseForeignFile(file)
    const database = new Database(file, { timeout: BUSY_TIMEOUT })
    try {
      mustBeOwn(database, file, target)
      const size = file === ":memory:" ? 0 : statSync(file).size
      if (size > 0 && size <= QUICK_CHECK_BYTES && !isWhole(database)) throw damaged(file)
      setUp(database, file)
      return new SqliteDb(database, migrate(database, target))
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    if (error instanceof DataError) throw error
    const code = codeOf(error)
    if (["EACCES", "ENOTDIR", "EROFS", "EEXIST"].includes(code))
      throw new DataError(`${file} cannot be opened for writing (${code}).`)
    throw damage(error, file) ?? error
  }
}

/** Loads SQLite for the threads of this process, without any data. */
export function loadEngine(): void {
  new Database(":memory:").close()
}

/** Opens a fresh database that is deleted or renamed when complete: it need not survive a crash. */
export function openScratch(file: string): SqliteDb {
  const database = new Database(file, { timeout: BUSY_TIMEOUT })
  try {
    database.pragma("journal_mode = OFF")
    database.pragma("synchronous = OFF")
    database.pragma("foreign_keys = ON")
    database.pragma("recursive_triggers = ON")
    database.pragma("secure_delete = FAST")
    database.pragma("cache_size = -65536")
    migrate(database, latestSchema)
    return new SqliteDb(database)
  } catch (error) {
    database.close()
    throw error
  }
}

/** Creates a temporary file without a schema, limited to a number of bytes. */
export function openPlain(file: string, bytes: number): SqliteDb {
  const database = new Database(file, { timeout: BUSY_TIMEOUT })
  database.pragma("journal_mode = MEMORY")
  database.pragma("synchronous = OFF")
  database.pragma(`max_page_count = ${Math.floor(bytes / number(database, "page_size"))}`)
  return new SqliteDb(database)
}

/** Lets `work` fill new data without syncing each write. The data is synced before this returns. */
export async function fill(db: Db, work: () => Promise<void>): Promise<void> {
  db.exec("PRAGMA synchronous = OFF")
  try {
    await work()
  } finally {
    db.exec("PRAGMA synchronous = FULL")
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}

/** Opens a connection that only looks at the state of the log. */
export function openWatching(file: string): SqliteDb {
  const database = new Database(file, { fileMustExist: true, timeout: 0 })
  database.pragma("cache_size = -64")
  return new SqliteDb(database)
}

/** Opens a further connection that only reads. It sees the data of this moment until it is closed. */
export function openReadConnection(file: string): SqliteDb {
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT })
  database.exec("BEGIN")
  // A snapshot begins at the first read.
  database.prepare("SELECT 1 FROM instance").get()
  return new SqliteDb(database)
}

/**
 * Opens a file for reading only: one that does not change any more, or that another process changes under SQLite's
 * lock.
 */
export function openMade(file: string, timeout = BUSY_TIMEOUT): SqliteDb {
  return new SqliteDb(new Database(file, { readonly: true, fileMustExist: true, timeout }))
}

/**
 * Whether the header of a file says that it uses a write-ahead log. @throws DataError if it is not an SQLite database
 */
export function saysLog(file: string): boolean {
  refuseForeignFile(file)
  return headOf(file)[18] === 2
}

/** Switches a file to work without a write-ahead log. @throws DataError if it cannot be written */
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

/**
 * Returns the schema version of this program's data in a file; null if the file is missing, unreadable or not this
 * program's. Changes nothing, but undoes what an interrupted upgrade left undone.
 */
export function storedSchema(file: string): number | null {
  // A regular connection would create files that its follower does not expect.
  if (isFollowed(file)) return null
  // SQLite would delete the log beside an empty file, even of a connection that only reads.
  if (sizeOf(file) === 0) return null
  try {
    // A connection that only reads cannot roll back the journal of an interrupted transaction.
    const readonly = !existsSync(`${file}-journal`)
    const database = new Database(file, { readonly, fileMustExist: true, timeout: BUSY_TIMEOUT })
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
 * Takes the exclusive lock of a file, until the returned function is called or the process ends.
 * @returns null if another process holds it
 * @throws DataError if the file cannot be created
 */
export function openLock(file: string): (() => void) | null {
  let database: Database.Database | undefined
  try {
    database = new Database(file, { timeout: 0 })
    database.exec("BEGIN EXCLUSIVE")
    const locked = database
    return () => locked.close()
  } catch (error) {
    database?.close()
    if (isBusy(error)) return null
    throw damage(error, file) ?? error
  }
}

// Opens data that must not be changed for a check: on read-only media, or in a folder of another user.

const may = (path: string, what: number): boolean => {
  try {
    accessSync(path, what)
    return true
  } catch {
    return false
  }
}

/** Whether a database cannot be opened as usual, which creates files beside it. */
export const isReadOnly = (file: string): boolean => !may(dirname(file), constants.W_OK) || !may(file, constants.W_OK)

/**
 * Opens data without changing it. If another process has it open, it is read as of this moment. Otherwise SQLite would
 * create files beside it and apply a remaining log: that happens in a copy in the system's temporary folder, which is
 * deleted on closing.
 * @param bringForward upgrades a copy of earlier data to this version
 * @throws DataError if the data cannot be read, or there is no space for the copy
 */
export function openReadOnly(file: string, bringForward: (copy: string) => void): { readonly db: Db; close(): void } {
  for (const path of [file, `${file}-wal`, `${file}-journal`])
    if (existsSync(path) && !may(path, constants.R_OK)) throw new DataError(`This user may not read ${path}.`)
  const isCurrent = storedSchema(file) === latestSchema
  if (isCurrent && existsSync(`${file}-shm`)) {
    try {
      const db = openReadConnection(file)
      return { db, close: () => db.close() }
    } catch {
      // No process has it open; its log is a leftover.
    }
  }
  const folder = mkdtempSync(join(tmpdir(), "research-room-check-"))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, "copy.db")
    for (const suffix of ["", "-wal", "-journal"])
      if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix)
    bringForward(copy)
    const db = openDatabase(copy)
    return {
      db,
      close() {
        db.close()
        remove()
      },
    }
  } catch (error) {
    remove()
    if (error instanceof DataError) throw new DataError(error.message.replaceAll(join(folder, "copy.db"), file))
    const variable = process.platform === "win32" ? "TEMP" : "TMPDIR"
    throw new DataError(
      `${file} cannot be written here, so a copy of it is checked in ${tmpdir()}. ` +
        `Making that copy failed (${codeOf(error)}). Set ${variable} to a folder with enough space.`,
    )
  }
}

// The data of an instance: its database, its identity and its world.

/** The database's file within a data folder. */
export const databaseFile = (folder: string): string => join(folder, "research-room.db")

/**
 * The time in the newest id that this instance gave to a write, in milliseconds; 0 for new data. Writes of other
 * instances bring their own ids: their sender is their Room, or their first id.
 */
export function newestId(db: Db): number {
  const row = db
    .prepare<{ id: string }>(
      `SELECT coalesce(j.given ->> '$.ids[#-1]', e.entry_id) AS id
       FROM journal j
        JOIN writers w ON w.writer = j.writer
        LEFT JOIN timeline_entries e ON e.thread = j.thread AND e.sequence = j.entry_sequence
       WHERE NOT EXISTS (SELECT 1 FROM room_heads WHERE room_id = w.sender)
         AND w.sender IS NOT coalesce(j.given ->> '$.ids[0]', e.entry_id)
          AND coalesce(j.given ->> '$.ids[#-1]', e.entry_id) IS NOT NULL
       ORDER BY j.position DESC LIMIT 1`,
    )
    .get()
  return row === undefined ? 0 : momentOf(row.id)
}

/**
 * Returns the time of the newest write if it was made while the clock was ahead, and lies in the future; otherwise
 * null. It is read on the first call: later writes are dated by the clock.
 */
export function datedAhead(db: Db, world: World): () => string | null {
  let newest: number | undefined
  return () => ((newest ??= newestId(db)) > world.now() ? isoTime(newest) : null)
}

/** Makes restored data a new instance: it lacks the writes since the backup. */
export function renewInstance(db: Db): void {
  const world = realWorld()
  world.idsAfter(newestId(db))
  const at = isoTime(world.now())
  db.prepare("INSERT INTO earlier_instances (instance_id, until) SELECT instance_id, +? FROM instance").run(at)
  db.prepare("UPDATE instance SET instance_id = +?, created_at = +?").run(world.id(), at)
}

/** Returns the identity of the instance that owns the data, and those it was restored from, oldest first. */
export function whoseData(db: Db) {
  const earlier = db
    .prepare<{ instance_id: string }>("SELECT instance_id FROM earlier_instances ORDER BY position")
    .all()
  return {
    instanceId: db.prepare<{ instance_id: string }>("SELECT instance_id FROM instance").one().instance_id,
    lineage: earlier.map((row) => row.instance_id),
  }
}

export type Data = ReturnType<typeof openData>

/** @throws DataError if the file cannot be opened as this program's data */
export function openData(file: string, chosenWorld?: World) {
  const db = openDatabase(file)
  try {
    const world = chosenWorld ?? realWorld()
    // After a clock was set back, new ids must still sort after old ones.
    world.idsAfter(newestId(db))
    const instance = db.prepare<{ instance_id: string }>("SELECT instance_id FROM instance")
    const isUsed = () => db.prepare("SELECT 1 FROM journal UNION ALL SELECT 1 FROM row_counts LIMIT 1").get()
    if (instance.get() === undefined && isUsed() !== undefined)
      throw new DataError(
        `The row of instance is missing from ${file}: the data does not say which instance it belongs to. ` +
          "Nothing was changed. Restore a backup.",
      )
    // If two processes open new data at once, the first one names the instance.
    if (instance.get() === undefined)
      inserting(db, "instance", { onConflict: "DO NOTHING" })({
        one: 1,
        instanceId: world.id(),
        createdAt: isoTime(world.now()),
      })
    return {
      db,
      world,
      ...whoseData(db),
      /** Opens another connection that reads the data as of that moment; the caller closes it. */
      openReader: () => openReadConnection(file),
    }
  } catch (error) {
    db.close()
    throw error
  }
}
