/**
 * Detects that the files of served data were replaced, emptied or cut short by another program. A process keeps using
 * a file that it has open after the file was deleted or replaced, and whatever it then writes is lost when it ends.
 * And SQLite would copy what is left of a log that was cut short into the data file: if a write follows the cut
 * before the next look, the log has its size again with a hole in it, which SQLite does not notice. So each look finds
 * the newest frame of the look before as it was, and the service makes its checkpoints itself, each after a look.
 *
 * An index that was cut short is found by its size. If another statement reads the index first, the operating system
 * ends the process (SIGBUS): nothing is copied either, and the next start makes the index anew from the log.
 *
 * Opening and closing the data file again would release the database's own locks, so it is opened once more and kept
 * open for as long as the database.
 */
import { type BigIntStats, closeSync, fstatSync, openSync, readSync, statSync } from "node:fs"
import { Clearing } from "./clearing.ts"
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
