/**
 * Copies the write-ahead log of a service into its data file: after each group of writes, as soon as it is worth it.
 * Whoever clears the data file must know what is copied into it, so that is done here too.
 * A long read (an export, a backup, the search for withheld words) keeps the log from being copied. Once it has ended,
 * the next copy would hold the serving thread for seconds, so another process makes it.
 */
import { setTimeout as pause } from "node:timers/promises"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Job } from "../../jobs/job.ts"
import { Pool } from "../../jobs/pool.ts"
import { type Clearing, isLogEmptiedNow, writeUnclean } from "../../ledger/storage/clearing.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { copyLog, truncateWal, type OpenedFiles } from "../../ledger/storage/file-watch.ts"
import { CHECKPOINT_FRAMES, openWatching } from "../../ledger/storage/opening.ts"

/** The most frames that the serving thread copies at once, for some tens of milliseconds. */
const MOST_FRAMES = 2 * CHECKPOINT_FRAMES
/** Milliseconds between two copies by another process: the long read may go on. */
const PAUSE = 1_000
/** Milliseconds for which pages are cleared at once, and between two looks whether the log can be emptied. */
const [CLEARING, LOOK] = [20, 100]
/** Looks in a row that find a reader of the log, after which the cleaning is left for later. */
const LOOKS = 300

/** Copies what no reader still needs in the log, inside the process. */
export function copyLogOf(file: string): null {
  using db = openWatching(file)
  copyLog(db)
  return null
}

const job: Job<string, null> = {
  name: "copying",
  bounds: { seconds: 600, megabytes: limits.parsingMegabytes },
  output: 10,
  tooCostly: () => new Refusal("temporarily_unavailable", "The log could not be copied.", { retryAfter: 60 }),
}

export class LogCopying {
  readonly #file: string
  readonly #db: Db
  readonly #files: OpenedFiles
  readonly #pool = new Pool({ processes: 1, waiting: 0 })
  readonly #ending = new AbortController()
  /** The copy by another process, with the pause after it. */
  #elsewhere: Promise<unknown> | undefined
  #clearing: Clearing | undefined

  /** @param db the connection of the service, which makes no checkpoint by itself */
  constructor(file: string, db: Db, files: OpenedFiles) {
    this.#file = file
    this.#db = db
    this.#files = files
  }

  /** Whether another process copies the log, or did within the last second. */
  get isBehind(): boolean {
    return this.#elsewhere !== undefined
  }

  /** Copies the log if the files are whole. Called after a group of writes that made the log long enough. */
  copy(): void {
    if (this.#elsewhere !== undefined || this.#files.lost() !== null) return
    if (this.#isShort()) copyLog(this.#db)
  }

  /** Empties a log that has stopped growing. */
  empty(): void {
    if (this.#isShort()) truncateWal(this.#db)
  }

  /** The same for a log that may hold withheld words. @returns whether it is empty */
  isEmptied(): boolean {
    return this.#files.lost() === null && this.#isShort() && isLogEmptiedNow(this.#db)
  }

  /**
   * Clears the data file, in pieces between which everybody reads and writes. After the last piece no page holds copies
   * of what was changed before the first one, and nobody has such a page in memory or in the log.
   * @param between runs work in a transaction of its own @param milliseconds for a piece
   * @returns whether that is done; false if others read the log for long
   */
  async isCleared(between: (work: () => void) => boolean, milliseconds = CLEARING): Promise<boolean> {
    const clearing = this.#files.clearing()
    this.#clearing = clearing
    const versions = this.#db.prepare<{ data_version: number }>("PRAGMA data_version")
    let version = versions.one().data_version
    let looks = 0
    const piece = () => {
      const { data_version: now } = versions.one()
      // Another process wrote, and may have had pages in memory that were cleared since.
      if (now !== version) clearing.startAgain()
      version = now
      if (this.#files.logged().length > 0) return
      this.#db.exec("PRAGMA shrink_memory")
      clearing.piece(milliseconds)
      // Once something was written, others forget the pages that they have in memory.
      if (clearing.isDone) writeUnclean(this.#db)
      looks = 0
    }
    try {
      while (!clearing.isDone && looks < LOOKS && !this.#ending.signal.aborted) {
        const startedAt = performance.now()
        looks += 1
        if (this.isEmptied() && !between(piece)) clearing.startAgain()
        await pause(looks === 0 ? performance.now() - startedAt : LOOK)
      }
      if (clearing.isDone) await clearing.synced()
      return clearing.isDone
    } finally {
      this.#clearing = undefined
    }
  }

  /** Whether little enough is left to copy for this thread; if not, another process begins to copy it. */
  #isShort(): boolean {
    if (this.#elsewhere !== undefined) return false
    if (this.#files.uncopied <= MOST_FRAMES) {
      this.#clearing?.note(() => this.#files.logged())
      return true
    }
    this.#clearing?.startAgain()
    const retryLater = () => void setTimeout(() => (this.#elsewhere = undefined), PAUSE).unref()
    // If it fails, the log stays as it is until the next attempt, and an alarm reports a lasting problem.
    this.#elsewhere = this.#pool.run(job, this.#file, null, this.#ending.signal).then(retryLater, retryLater)
    return false
  }

  /** Ends the other process. Once the promise is settled, only the service has the data open. */
  async end(): Promise<void> {
    this.#ending.abort()
    this.#pool.close()
    await this.#elsewhere
  }
}
