/**
 * Detects that the files of served data were replaced, emptied or cut short by another program. A process keeps using
 * a file that it has open after the file was deleted or replaced, and whatever it then writes is lost when it ends.
 * And SQLite would copy what is left of a log that was cut short into the data file.
 *
 * Opening and closing the data file again would release the database's own locks, so it is opened once more and kept
 * open for as long as the database.
 */
import { type BigIntStats, closeSync, fstatSync, openSync, readSync, statSync } from "node:fs"
import type { Db } from "./database.ts"

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
  readonly #head = Buffer.alloc(FRAME_HEADER)
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
    this.#frames = db.prepare<{ log: number }>("PRAGMA wal_checkpoint(NOOP)")
    this.#pageSize = db.prepare<{ page_size: number }>("PRAGMA page_size").one().page_size
    this.#data = openedNow(file)
    this.lost()
  }

  /** Returns a sentence that says what is wrong with the files, or null. */
  lost(): string | null {
    if (this.#wrong !== null || this.#isClosed) return this.#wrong
    this.#log ??= openedIfThere(`${this.#file}-wal`)
    if (this.isReplaced()) return replaced(this.#file)
    if (this.#isOverwritten()) this.#wrong = overwritten(this.#file)
    else if (this.#isIndexShort()) this.#wrong = shortened(`${this.#file}-shm`)
    else if (this.#isLogShort()) this.#wrong = shortened(`${this.#file}-wal`)
    if (this.#wrong !== null) return this.#wrong
    const [log, index] = [`${this.#file}-wal`, `${this.#file}-shm`]
    if (this.#log !== undefined && nameAt(log) !== this.#log.name) return replaced(log)
    return this.#index !== undefined && nameAt(index) !== this.#index.name ? replaced(index) : null
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
   * Whether the log is shorter than SQLite's count of its frames says, or lost its header. Whoever empties it by SQLite
   * resets the count.
   */
  #isLogShort(): boolean {
    const frames = this.#frames.one().log
    if (frames <= 0 || this.#holdsFrames(frames, frames)) return false
    // Another process may have emptied it by SQLite since the frames were counted.
    return this.#frames.one().log === frames && !this.#holdsFrames(frames, frames)
  }

  /** Whether a frame of the log is a hole: the log was cut short and then written on. */
  #isLogTorn(): boolean {
    const frames = this.#frames.one().log
    if (frames <= 0 || this.#holdsFrames(frames, 1)) return false
    return this.#frames.one().log === frames && !this.#holdsFrames(frames, 1)
  }

  /** Whether the log has a header and this many frames, of which each from the given one on belongs to it. */
  #holdsFrames(count: number, from: number): boolean {
    if (this.#log === undefined) return true
    const { handle } = this.#log
    const size = FRAME_HEADER + this.#pageSize
    const head = this.#head
    const isRead = (at: number) => readSync(handle, head, 0, FRAME_HEADER, at) === FRAME_HEADER
    if (fstatSync(handle).size < LOG_HEADER + count * size) return false
    if (!isRead(0) || !LOG_BEGINNINGS.includes(head.readUInt32BE(0))) return false
    const salt = head.toString("latin1", LOG_SALT, LOG_SALT + SALT_SIZE)
    for (let frame = from; frame <= count; frame += 1)
      if (!isRead(LOG_HEADER + (frame - 1) * size)) return false
      else if (head.toString("latin1", FRAME_SALT, FRAME_SALT + SALT_SIZE) !== salt) return false
    return true
  }

  /** Whether the log's index, which only grows while it is open, became shorter: reading it would end the process. */
  #isIndexShort(): boolean {
    const found = statOf(`${this.#file}-shm`)
    if (found === undefined) return false
    const name = nameOf(found)
    const isShort = this.#index?.name === name && found.size < this.#index.size
    if (!isShort && (this.#index === undefined || this.#index.name === name)) this.#index = { name, size: found.size }
    return isShort
  }
}

function nameAt(file: string): string | null {
  const found = statOf(file)
  return found === undefined ? null : nameOf(found)
}

function openedNow(file: string): Opened {
  const handle = openSync(file, "r")
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
