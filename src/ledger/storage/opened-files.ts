/**
 * Detects that the files of served data were replaced, emptied or cut short by another program. A process keeps using
 * a file that it has open after the file was deleted or replaced, and whatever it then writes is lost when it ends.
 * And SQLite would copy what is left of a log that was cut short into the data file: if a write follows the cut
 * before the next look, the log has its size again with a hole in it, which SQLite does not notice. So each look finds
 * the newest frame of the look before again, and the service makes its checkpoints itself, each after a look.
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
const [LOG_SUM, FRAME_SUM, SUM_SIZE] = [24, 16, 8]

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
  readonly #frame: Buffer
  /** The newest frame at the last look, and the salt of its log. */
  #newest = { frame: 0, salt: "" }
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
    this.#frame = Buffer.alloc(FRAME_HEADER + this.#pageSize)
    this.#data = openedNow(file, "r+")
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
    return this.#lacks((frames) => this.#holdsFrames(frames, frames) && this.#holdsNewest(frames))
  }

  /** Whether a frame of the log is a hole: the log was cut short and then written on. */
  #isLogTorn(): boolean {
    return this.#lacks((frames) => this.#holdsFrames(frames, 1))
  }

  /** Whether the log lacks something, given the count of its frames. */
  #lacks(holds: (frames: number) => boolean): boolean {
    const frames = this.#frames.one().log
    if (frames <= 0 || holds(frames)) return false
    // Another process may have emptied it by SQLite since the frames were counted.
    return this.#frames.one().log === frames && !holds(frames)
  }

  /** Whether the log has a header and this many frames, of which each from the given one on belongs to it. */
  #holdsFrames(count: number, from: number): boolean {
    if (this.#log === undefined) return true
    if (fstatSync(this.#log.handle).size < this.#placeOf(count + 1)) return false
    const salt = this.#salt()
    if (salt === null) return false
    for (let frame = from; frame <= count; frame += 1)
      if (!this.#isRead(this.#head, FRAME_HEADER, this.#placeOf(frame))) return false
      else if (this.#head.toString("latin1", FRAME_SALT, FRAME_SALT + SALT_SIZE) !== salt) return false
    return true
  }

  /** Whether the frame that was the newest at the last look is whole, if it is still a part of the log. */
  #holdsNewest(frames: number): boolean {
    const salt = this.#salt()
    const { frame, salt: itsSalt } = this.#newest
    const isStillThere = salt === itsSalt && frame > 0 && frame <= frames
    if (isStillThere && !(this.#holdsFrames(frame, frame) && this.#isWhole(frame))) return false
    this.#newest = { frame: frames, salt: salt ?? "" }
    return true
  }

  /** Whether a frame has the checksum that it says: each goes on from the checksum of the frame before it. */
  #isWhole(frame: number): boolean {
    const [head, page] = [this.#head, this.#frame]
    const before = frame > 1 ? this.#placeOf(frame - 1) + FRAME_SUM : LOG_SUM
    if (!this.#isRead(head, SUM_SIZE, before) || !this.#isRead(page, page.length, this.#placeOf(frame))) return false
    const seed = [head.readUInt32BE(0), head.readUInt32BE(4)] as const
    if (!this.#isRead(head, LOG_HEADER, 0)) return false
    const isBigEndian = head.readUInt32BE(0) === LOG_BEGINNINGS[1]
    const sum = checksum([page.subarray(0, FRAME_SALT), page.subarray(FRAME_HEADER)], seed, isBigEndian)
    return sum[0] === page.readUInt32BE(FRAME_SUM) && sum[1] === page.readUInt32BE(FRAME_SUM + 4)
  }

  /** The salt of the log, which a log that begins anew changes; null if it has no header. */
  #salt(): string | null {
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
  #isIndexShort(): boolean {
    const found = statOf(`${this.#file}-shm`)
    if (found === undefined) return false
    const name = nameOf(found)
    const isShort = this.#index?.name === name && found.size < this.#index.size
    if (!isShort && (this.#index === undefined || this.#index.name === name)) this.#index = { name, size: found.size }
    return isShort
  }
}

/** The checksum of SQLite's log, over pairs of words. */
function checksum(parts: readonly Buffer[], [first, second]: readonly [number, number], isBigEndian: boolean) {
  for (const part of parts)
    for (let at = 0; at < part.length; at += 8) {
      first = (first + (isBigEndian ? part.readUInt32BE(at) : part.readUInt32LE(at)) + second) >>> 0
      second = (second + (isBigEndian ? part.readUInt32BE(at + 4) : part.readUInt32LE(at + 4)) + first) >>> 0
    }
  return [first, second] as const
}

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
