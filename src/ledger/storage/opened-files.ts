/**
 * Whether the data's files are still those that were opened, and hold only what SQLite wrote. A program that has a file open
 * goes on with it after it was deleted or replaced: what it writes then is lost with the program. And a file that another
 * program writes over would be served as if it were the data.
 *
 * The files are looked up by name. To open one of them once more and close it would drop the database's own locks, so the
 * index of the log is opened once and kept open for as long as the database.
 */
import { type BigIntStats, closeSync, openSync, readSync, statSync } from "node:fs"

const nameOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`

const identity = (file: string): string | null => {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : nameOf(found)
}

/** Places in the index of the log (SQLite's wal.c): the log's salt, and how much of it was copied and is being copied into the data file. */
const SALT = [32, 40] as const
const COPIED = 96
const BEING_COPIED = 128

/** What the index of the log says of copying the log into the data file. */
interface Copying {
  /** Another one whenever something was copied. */
  readonly state: string
  readonly isUnderWay: boolean
}

export class OpenedFiles {
  /** The index of the log, for another thread of this process; null where it cannot be read, and nobody can tell who writes to the data file. */
  readonly index: number | null
  readonly #file: string
  readonly #opened: { readonly data: string | null; log: string | null }
  readonly #read = Buffer.alloc(BEING_COPIED + 4)
  /** How the data file looked when nothing was being copied into it. */
  #settled: { readonly state: string; readonly data: string } | null = null
  #isOverwritten = false
  #isClosed = false

  /** @param file the database's, open already @param index what another thread has open; left out, it is opened */
  constructor(file: string, index: number | null = openIndex(file)) {
    this.#file = file
    this.index = index
    this.#opened = { data: identity(file), log: identity(`${file}-wal`) }
    this.isOverwritten()
  }

  /** The sentence that says what is wrong with the files, or null while all is well. Costs three looks at the folder. */
  lost(): string | null {
    if (identity(this.#file) !== this.#opened.data) return replaced(this.#file)
    if (this.isOverwritten()) return overwritten(this.#file)
    // The log may have come after the file was opened, and stays for as long as it is open.
    const log = identity(`${this.#file}-wal`)
    this.#opened.log ??= log
    return log === this.#opened.log ? null : replaced(`${this.#file}-wal`)
  }

  /** Whether the file that was opened is no longer the one of its name. */
  isReplaced(): boolean {
    return identity(this.#file) !== this.#opened.data
  }

  /** Whether another program wrote into the data file: it changed, and SQLite copied nothing into it. Once it is so it stays so. */
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

  /** Closes the index of the log, for which the database must be closed already. */
  close(): void {
    if (this.index !== null && !this.#isClosed) closeSync(this.index)
    this.#isClosed = true
  }

  #copying(): Copying | null {
    const read = this.#read
    if (this.index === null || this.#isClosed || readSync(this.index, read, 0, read.length, 0) < read.length) return null
    const [copied, asked] = [read.readUInt32LE(COPIED), read.readUInt32LE(BEING_COPIED)]
    return { state: `${read.toString("latin1", ...SALT)} ${copied} ${asked}`, isUnderWay: copied < asked }
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
  `${file} is not the file any more that this service opened: it was deleted, moved or replaced. The service ends, since nothing it wrote now would be found again. End the service before its data is changed, and start it again after.`

const overwritten = (file: string): string =>
  `Another program wrote into ${file} while it was served. The service ends, and neither reads nor writes the file any more. The next start says what to do. End the service before its data is changed.`
