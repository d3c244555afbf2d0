/**
 * Watches the files of a served instance: whether another program replaced or cut them, how long the write-ahead log
 * is, which grows for as long as an old snapshot is being read, and how much space of the disk is free.
 */
import { type StatsFs, statfsSync, statSync, type BigIntStats, closeSync, fstatSync, openSync, readSync } from "node:fs"
import { dirname } from "node:path"
import type { Logger } from "pino"
import type { Db } from "./database.ts"
import { repeat } from "../world.ts"
import { Clearing } from "./clearing.ts"

// Detects that the files of served data were replaced, emptied or cut short by another program. A process keeps using
// a file that it has open after the file was deleted or replaced, and whatever it then writes is lost when it ends.
// And SQLite would copy what is left of a log that was cut short into the data file: if a write follows the cut
// before the next look, the log has its size again with a hole in it, which SQLite does not notice. So each look
// finds the newest frame of the look before as it was, and the service makes its checkpoints itself, each after a
// look.
//
// An index that was cut short is found by its size. If another statement reads the index first, the operating system
// ends the process (SIGBUS): nothing is copied either, and the next start makes the index anew from the log.
//
// Opening and closing the data file again would release the database's own locks, so it is opened once more and kept
// open for as long as the database.

const nameOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`
const statOf = (file: string): BigIntStats | undefined => statSync(file, { bigint: true, throwIfNoEntry: false })

/**
 * SQLite's file formats, as https://www.sqlite.org/fileformat2.html describes them: how a data file and a log begin,
 * the sizes of a log's header and of a frame's, and the places of the salt, which is the same in all of them.
 */
const BEGINNING = "SQLite format 3\0"
const LOG_BEGINNINGS: readonly number[] = [0x377f0682, 0x377f0683]
const [LOG_HEADER, FRAME_HEADER] = [32, 24]
const [LOG_SALT, FRAME_SALT, SALT_SIZE] = [16, 8, 8]

/** A file beside the data, from when it first appeared. */
interface Opened {
  readonly name: string
  readonly handle: number
}

export class OpenedFiles {
  readonly #file: string
  readonly #db: Db
  readonly #data: Opened
  #log: Opened | undefined
  #index: { readonly name: string; readonly size: bigint } | undefined
  readonly #frames
  readonly #pageSize: number
  readonly #head = Buffer.alloc(LOG_HEADER)
  /** The newest frame at the last look, its number, and the salt of its log. */
  #newest: { frame: number; salt: string; bytes: Buffer } = { frame: 0, salt: "", bytes: Buffer.alloc(0) }
  /** Memory for the next one. */
  #frame: Buffer
  /** What was found wrong: it stays wrong, whatever is written afterwards. */
  #wrong: string | null = null
  #isClosed = false

  /**
   * @param file the database's file, already open @param db a connection of its own, which looks at the log's state and
   * reads and changes nothing
   */
  constructor(file: string, db: Db) {
    this.#file = file
    this.#db = db
    this.#frames = db.prepare<{ log: number; checkpointed: number }>("PRAGMA wal_checkpoint(NOOP)")
    this.#pageSize = db.prepare<{ page_size: number }>("PRAGMA page_size").one().page_size
    const size = FRAME_HEADER + this.#pageSize
    this.#newest.bytes = Buffer.alloc(size)
    this.#frame = Buffer.alloc(size)
    this.#data = openedNow(file, "r+")
    this.lost()
  }

  /** Returns a sentence that says what is wrong with the files, or null. */
  lost(): string | null {
    if (this.#wrong !== null || this.#isClosed) return this.#wrong
    this.#log ??= openedIfThere(`${this.#file}-wal`)
    if (this.isReplaced()) return replaced(this.#file)
    const [log, index] = [`${this.#file}-wal`, `${this.#file}-shm`]
    const found = statOf(index)
    if (this.#isOverwritten()) this.#wrong = overwritten(this.#file)
    else if (this.#isIndexShort(found)) this.#wrong = shortened(index)
    else if (this.#isLogShort()) this.#wrong = shortened(log)
    if (this.#wrong !== null) return this.#wrong
    if (this.#log !== undefined && nameAt(log) !== this.#log.name) return replaced(log)
    const isThere = this.#index === undefined || (found !== undefined && nameOf(found) === this.#index.name)
    return isThere ? null : replaced(index)
  }

  /** How many frames the log had at the last look. */
  get frames(): number {
    return this.#newest.frame
  }

  /** How many frames of the log are not in the data file yet. */
  get uncopied(): number {
    const { log, checkpointed } = this.#frames.one()
    return log - checkpointed
  }

  /** Returns the numbers of the pages in the log. @throws Error if the log does not have them */
  logged(): number[] {
    this.#log ??= openedIfThere(`${this.#file}-wal`)
    return Array.from({ length: Math.max(0, this.#frames.one().log) }, (_, index) => {
      if (!this.#isRead(this.#head, 4, this.#placeOf(index + 1))) throw new Error(shortened(`${this.#file}-wal`))
      return this.#head.readUInt32BE(0)
    })
  }

  /** Begins to clear the data file. */
  clearing(): Clearing {
    return new Clearing(this.#data.handle, this.#pageSize)
  }

  /** Whether another file now has the name of the opened one. */
  isReplaced(): boolean {
    return nameAt(this.#file) !== this.#data.name
  }

  /**
   * Whether nothing may be copied from the log into the data file, and so neither a checkpoint be made nor the database
   * be closed: another program wrote into the data file, or cut the log or its index short. Reads a part of every frame
   * of the log.
   */
  isSpoilt(): boolean {
    this.lost()
    if (this.#wrong === null && !this.#isClosed && !this.isReplaced() && this.#isLogTorn())
      this.#wrong = shortened(`${this.#file}-wal`)
    return this.#wrong !== null
  }

  /** Closes the files. The database must be closed before, or never. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#db.close()
    for (const opened of [this.#data, this.#log]) if (opened !== undefined) closeSync(opened.handle)
  }

  /** Whether the data file no longer begins as a database does. */
  #isOverwritten(): boolean {
    const read = readSync(this.#data.handle, this.#head, 0, BEGINNING.length, 0)
    return read < BEGINNING.length || this.#head.toString("latin1", 0, BEGINNING.length) !== BEGINNING
  }

  /**
   * Whether the log is shorter than SQLite's count of its frames says, lost its header, or lost the frame that was
   * its newest at the last look. A log that is emptied by SQLite has no frames, and then another salt.
   */
  #isLogShort(): boolean {
    return this.#lacks((frames) => this.#holdsNewest(frames))
  }

  /** Whether a frame of the log is a hole: the log was cut short and then written on. */
  #isLogTorn(): boolean {
    return this.#lacks((frames) => this.#holdsFrames(frames))
  }

  /** Whether the log lacks something, given the count of its frames. */
  #lacks(holds: (frames: number) => boolean): boolean {
    const frames = this.#frames.one().log
    if (frames <= 0 || this.#log === undefined || holds(frames)) return false
    // Another process may have emptied it by SQLite since the frames were counted.
    return this.#frames.one().log === frames && !holds(frames)
  }

  /** Whether the log has a header and this many frames, of which each belongs to it. */
  #holdsFrames(count: number): boolean {
    const salt = this.#saltOf(count)
    if (salt === null) return false
    for (let frame = 1; frame <= count; frame += 1)
      if (!this.#isRead(this.#head, FRAME_HEADER, this.#placeOf(frame)) || saltIn(this.#head) !== salt) return false
    return true
  }

  /**
   * Whether the log has this many frames, of which the last belongs to it, and whether the frame that was the newest at
   * the last look is as it was, if it is still a part of the log. The last one is kept for the next look.
   */
  #holdsNewest(frames: number): boolean {
    const salt = this.#saltOf(frames)
    if (salt === null) return false
    const { frame, bytes, salt: itsSalt } = this.#newest
    const [now, size] = [this.#frame, bytes.length]
    const isStillThere = salt === itsSalt && frame > 0 && frame <= frames
    if (isStillThere && !(this.#isRead(now, size, this.#placeOf(frame)) && now.equals(bytes))) return false
    if (isStillThere && frame === frames) return true
    if (!this.#isRead(now, size, this.#placeOf(frames)) || saltIn(now) !== salt) return false
    this.#newest = { frame: frames, salt, bytes: now }
    this.#frame = bytes
    return true
  }

  /** The salt of a log that is large enough for so many frames, which a log that begins anew changes; null if not. */
  #saltOf(frames: number): string | null {
    if (this.#log === undefined || fstatSync(this.#log.handle).size < this.#placeOf(frames + 1)) return null
    if (!this.#isRead(this.#head, LOG_HEADER, 0) || !LOG_BEGINNINGS.includes(this.#head.readUInt32BE(0))) return null
    return this.#head.toString("latin1", LOG_SALT, LOG_SALT + SALT_SIZE)
  }

  #placeOf(frame: number): number {
    return LOG_HEADER + (frame - 1) * (FRAME_HEADER + this.#pageSize)
  }

  /** Reads from the log. @returns whether it has so many bytes there */
  #isRead(into: Buffer, bytes: number, at: number): boolean {
    return this.#log !== undefined && readSync(this.#log.handle, into, 0, bytes, at) === bytes
  }

  /** Whether the log's index, which only grows while it is open, became shorter: reading it would end the process. */
  #isIndexShort(found: BigIntStats | undefined): boolean {
    if (found === undefined) return false
    const name = nameOf(found)
    const isShort = this.#index?.name === name && found.size < this.#index.size
    if (!isShort && (this.#index === undefined || this.#index.name === name)) this.#index = { name, size: found.size }
    return isShort
  }
}

const saltIn = (frame: Buffer): string => frame.toString("latin1", FRAME_SALT, FRAME_SALT + SALT_SIZE)

function nameAt(file: string): string | null {
  const found = statOf(file)
  return found === undefined ? null : nameOf(found)
}

function openedNow(file: string, flags = "r"): Opened {
  const handle = openSync(file, flags)
  return { handle, name: nameOf(fstatSync(handle, { bigint: true })) }
}

const openedIfThere = (file: string): Opened | undefined => (statOf(file) === undefined ? undefined : openedNow(file))

const STOPS = "Stop the service before you change its data, and start it again afterwards."

const replaced = (file: string): string =>
  `${file} is no longer the file that this service opened: it was deleted, moved or replaced. ` +
  `The service stops, because further writes would be lost. ${STOPS}`

const overwritten = (file: string): string =>
  `Another program wrote into ${file} while it was served. The service stops, ` +
  "and no longer reads or writes the file. " +
  STOPS

const shortened = (file: string): string =>
  `Another program cut ${file} short while it was in use. The service stops and copies nothing more into the data, ` +
  `which stays as it is; the newest writes, which were only in that file, may be missing at the next start. ${STOPS}`

// The size of the log and the free space of the disk. Logs a message when one of them passes its limit and another when
// it recovers.

const MIB = 1024 * 1024

export interface WatchLimits {
  readonly intervalMs: number
  /** A log larger than this raises an alarm. */
  readonly walBytes: number
  /** A log larger than this that has stopped growing is checkpointed and truncated. */
  readonly idleWalBytes: number
  /** Free space is short below this number of bytes, or below this share of the disk, whichever is less. */
  readonly freeBytes: number
  readonly freeShare: number
}

export const watchLimits: WatchLimits = {
  intervalMs: 5_000,
  walBytes: 256 * MIB,
  // The size to which SQLite truncates a log after a checkpoint (journal_size_limit).
  idleWalBytes: 64 * MIB,
  freeBytes: 1024 * MIB,
  freeShare: 0.05,
}

/** The readings of the last check. */
export interface WatchReadings {
  readonly databaseBytes: number
  readonly walBytes: number
  /** Free space on the disk that holds the data; null if the system does not report it. */
  readonly freeDiskBytes: number | null
}

/** The members of `statfs` that are used. */
export type DiskSpace = Pick<StatsFs, "bsize" | "bavail" | "blocks">

export interface WatchParts {
  readonly file: string
  readonly files: OpenedFiles
  readonly emptyLog: () => void
  readonly log: Pick<Logger, "warn" | "info">
  readonly limits?: WatchLimits
  /** Called at each check that finds the opened files replaced or overwritten, with a sentence that says so. */
  readonly onLost?: (sentence: string) => void
  readonly statfs?: (folder: string) => DiskSpace
}

/**
 * A message when a reading passes its limit, and another only when it is well again, so that a value at the limit does
 * not cause one at each check.
 */
class Alarm {
  readonly #log: WatchParts["log"]
  readonly #alarm: string
  #raised = false

  constructor(log: WatchParts["log"], alarm: string) {
    this.#log = log
    this.#alarm = alarm
  }

  look(isBad: boolean, isWell: boolean, readings: object, bad: string, well: string): void {
    if (!this.#raised && isBad) this.#log.warn({ alarm: this.#alarm, ...readings }, bad)
    else if (this.#raised && isWell) this.#log.info({ alarm: this.#alarm, over: true, ...readings }, well)
    else return
    this.#raised = isBad
  }
}

/** In whole MiB; less than ten in KiB, since on a small disk the last MiB matter. */
const inMiB = (bytes: number) =>
  bytes < 10 * MIB ? `${Math.floor(bytes / 1024)} KiB` : `${Math.round(bytes / MIB)} MiB`
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Checkpoints the log and truncates it, unless another connection reads from it. Does not wait for one. */
export function truncateWal(db: Db): void {
  if (db.inTransaction) return
  const patience = db.prepare<{ timeout: number }>("PRAGMA busy_timeout").get()?.timeout ?? 0
  try {
    db.exec("PRAGMA busy_timeout = 0")
    db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()
  } catch {
    // Busy, or the disk is full: the next check tries again, and the alarms report a lasting problem.
  } finally {
    db.exec(`PRAGMA busy_timeout = ${patience}`)
  }
}

/** Copies from the log into the data file what no reader still needs there. Does not wait for one. */
export function copyLog(db: Db): void {
  try {
    db.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()
  } catch {
    // The disk is full: the log keeps the writes, and the alarms report a lasting problem.
  }
}

export class DiskWatch {
  readonly #parts: Required<WatchParts>
  readonly #wal: Alarm
  readonly #disk: Alarm
  readonly #timer: NodeJS.Timeout
  #readings: WatchReadings

  /** Checks at once and then every few seconds, without keeping the process alive. */
  constructor(parts: WatchParts) {
    this.#parts = { limits: watchLimits, statfs: statfsSync, onLost: () => {}, ...parts }
    this.#wal = new Alarm(parts.log, "wal_large")
    this.#disk = new Alarm(parts.log, "disk_short")
    this.#readings = { databaseBytes: 0, walBytes: 0, freeDiskBytes: null }
    this.look()
    this.#timer = repeat(
      () => this.look(),
      this.#parts.limits.intervalMs,
      (err) => parts.log.warn({ err }, "the data's files could not be checked"),
    )
  }

  get readings(): WatchReadings {
    return this.#readings
  }

  close(): void {
    clearInterval(this.#timer)
  }

  look(): void {
    const { file, files, emptyLog, limits, onLost } = this.#parts
    const lost = files.lost()
    if (lost !== null) {
      onLost(lost)
      return
    }
    const before = this.#readings.walBytes
    const space = this.#space()
    this.#readings = {
      databaseBytes: sizeOf(file),
      walBytes: sizeOf(`${file}-wal`),
      freeDiskBytes: space === null ? null : space.bavail * space.bsize,
    }
    this.#reportWal(this.#readings.walBytes)
    if (space !== null) this.#reportDisk(space.bavail * space.bsize, space.blocks * space.bsize)
    // While writes continue, SQLite checkpoints the log by itself; this would only delay them.
    if (before === this.#readings.walBytes && before > limits.idleWalBytes) emptyLog()
  }

  #space(): DiskSpace | null {
    try {
      return this.#parts.statfs(dirname(this.#parts.file))
    } catch {
      return null
    }
  }

  #reportWal(walBytes: number): void {
    const { file, limits } = this.#parts
    this.#wal.look(
      walBytes > limits.walBytes,
      walBytes <= limits.walBytes,
      { walBytes, limitBytes: limits.walBytes, file: `${file}-wal` },
      `The write-ahead log has grown past ${inMiB(limits.walBytes)}: a reader of an old snapshot keeps it from being ` +
        "truncated. An export, a backup or a check does so until it ends. If none is running, look for another " +
        `program that has the file open (lsof ${file}) and end it. Writes continue, but more slowly.`,
      "The write-ahead log has been truncated again.",
    )
  }

  #reportDisk(freeBytes: number, allBytes: number): void {
    const { file, limits } = this.#parts
    const least = Math.min(limits.freeBytes, allBytes * limits.freeShare)
    this.#disk.look(
      freeBytes < least,
      freeBytes >= least * 1.1,
      { freeBytes, limitBytes: Math.round(least), folder: dirname(file) },
      `The disk that holds the data has ${inMiB(freeBytes)} left, less than ${inMiB(least)}. ` +
        "Free some space, or move the data folder to a larger disk. Once the disk is full, every write is refused; " +
        "reads continue.",
      "The disk that holds the data has space again.",
    )
  }
}
