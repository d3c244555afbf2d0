/**
 * Detects that the data's files were replaced, or overwritten by another program. A process keeps using a file that it
 * has open after the file was deleted or replaced, and whatever it then writes is lost when it ends. And if another
 * program overwrote the file, its content would be served as data.
 *
 * The files are looked up by name. Opening and closing one of them again would release the database's own locks, so the
 * shared-memory index of the log is opened once and kept open for as long as the database.
 */
import { type BigIntStats, closeSync, existsSync, openSync, readSync, statSync, writeFileSync } from "node:fs"
import { DataError } from "./schema.ts"

const nameOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`

const identity = (file: string): string | null => {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : nameOf(found)
}

/**
 * Offsets in the log's index (SQLite's wal.c): the log's salt, how much of the log was copied into the data file, and
 * how much is being copied.
 */
const SALT = [32, 40] as const
const COPIED = 96
const BEING_COPIED = 128

/** The progress of copying the log into the data file, from the log's index. */
interface Copying {
  /** Differs whenever something was copied. */
  readonly state: string
  readonly isUnderWay: boolean
}

export class OpenedFiles {
  /** The log's index; null if it cannot be read. Foreign writes are then not detected. */
  readonly #index: number | null
  readonly #file: string
  readonly #opened: { readonly data: string | null; log: string | null }
  readonly #read = Buffer.alloc(BEING_COPIED + 4)
  /** The state of the data file while nothing was being copied into it. */
  #settled: { readonly state: string; readonly data: string } | null = null
  #isOverwritten = false
  #isClosed = false

  /** @param file the database's file, already open */
  constructor(file: string) {
    this.#file = file
    this.#index = openIndex(file)
    this.#opened = { data: identity(file), log: identity(`${file}-wal`) }
    this.isOverwritten()
  }

  /** Returns a sentence that says what is wrong with the files, or null. Costs three system calls. */
  lost(): string | null {
    if (identity(this.#file) !== this.#opened.data) return replaced(this.#file)
    if (this.isOverwritten()) return overwritten(this.#file)
    // The log may appear after the file was opened; it stays until the file is closed.
    const log = identity(`${this.#file}-wal`)
    this.#opened.log ??= log
    return log === this.#opened.log ? null : replaced(`${this.#file}-wal`)
  }

  /** Whether another file now has the name of the opened one. */
  isReplaced(): boolean {
    return identity(this.#file) !== this.#opened.data
  }

  /**
   * Whether another program wrote into the data file: it changed without SQLite copying anything into it. Once true, it
   * stays true.
   */
  isOverwritten(): boolean {
    if (this.#isOverwritten) return true
    const before = this.#copying()
    const found = statSync(this.#file, { bigint: true, throwIfNoEntry: false })
    const after = this.#copying()
    if (found === undefined || nameOf(found) !== this.#opened.data || before === null || after === null) return false
    const data = `${found.mtimeNs} ${found.size}`
    if (before.state !== after.state || after.isUnderWay) this.#settled = null
    else {
      this.#isOverwritten = this.#settled?.state === after.state && this.#settled.data !== data
      this.#settled = { state: after.state, data }
    }
    return this.#isOverwritten
  }

  /** Closes the log's index. The database must be closed before. */
  close(): void {
    if (this.#index !== null && !this.#isClosed) closeSync(this.#index)
    this.#isClosed = true
  }

  #copying(): Copying | null {
    const read = this.#read
    if (this.#index === null || this.#isClosed || readSync(this.#index, read, 0, read.length, 0) < read.length)
      return null
    const [copied, wanted] = [read.readUInt32LE(COPIED), read.readUInt32LE(BEING_COPIED)]
    return { state: `${read.toString("latin1", ...SALT)} ${copied} ${wanted}`, isUnderWay: copied < wanted }
  }
}

function openIndex(file: string): number | null {
  try {
    return openSync(`${file}-shm`, "r")
  } catch {
    return null
  }
}

const replaced = (file: string): string =>
  `${file} is no longer the file that this service opened: it was deleted, moved or replaced. The service stops, because further writes would be lost. Stop the service before you change its data, and start it again afterwards.`

const overwritten = (file: string): string =>
  `Another program wrote into ${file} while it was served. The service stops, and no longer reads or writes the file. The next start says what to do. Stop the service before you change its data.`

/**
 * The suffix of a note beside a data file that another program overwrote. It keeps the next start from applying a log
 * that does not belong to the file.
 */
export const OVERWRITTEN = "-overwritten"

/** Writes the note. @throws Error if the folder cannot be written */
export const noteOverwritten = (file: string): void =>
  writeFileSync(`${file}${OVERWRITTEN}`, `${new Date().toISOString()}\n`)

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/**
 * Refuses a data file that does not belong to the log beside it: SQLite would apply the log to it, or delete the log.
 * @throws DataError that says what to do
 */
export function mustOwnLog(file: string): void {
  const [log, note] = [`${file}-wal`, `${file}${OVERWRITTEN}`]
  const otherwise =
    "restore a backup with research-room restore BACKUP --force, which keeps the present files under another name"
  if (existsSync(note))
    throw new DataError(
      `Another program wrote into ${file} while it was served. Nothing was changed. If its content is no longer the data, ${otherwise}. To use the file as it is now, delete ${log} and ${note}. If only its date was changed, delete ${note}.`,
    )
  if (sizeOf(file) === 0 && sizeOf(log) > 0)
    throw new DataError(
      `${file} is ${existsSync(file) ? "empty" : "missing"}, and the log of earlier data is beside it (${log}). Nothing was changed. Put back the file that belongs to the log, or ${otherwise}. To start with empty data, delete ${log}.`,
    )
}
