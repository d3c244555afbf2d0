/** The journal changed where something was withheld: all that is made from it is made again, beside it, and put in its place. */
import { readdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Ledger } from "../write/admit.ts"
import { correct } from "./correct.ts"
import { type Db, isStorageFault } from "../storage/database.ts"
import { openScratch } from "../storage/opening.ts"
import { type Entry, journal } from "../journal/journal.ts"
import { replay } from "./replay.ts"
import { dropTriggers } from "../storage/without-triggers.ts"
import { isLogEmptied, isUnclean } from "../storage/residue.ts"

/** The file of a database; empty for one in memory. */
export const fileOf = (db: Db): string =>
  db.prepare<{ file: string }>("SELECT file FROM pragma_database_list WHERE name = 'main'").get()?.file ?? ""

const AFTER = "-withheld"
/** Removes what processes that were killed left beside a file. Whoever makes data anew has it alone. */
function removeLeft(file: string): void {
  const [folder, beginning] = [dirname(file), `${basename(file)}.remade-`]
  for (const name of readdirSync(folder))
    if (name.startsWith(beginning) && name.endsWith(AFTER)) rmSync(join(folder, name), { force: true })
}

/** Milliseconds between two looks whether those who read the log have gone, and how many are taken. */
const PAUSE = 100
const LOOKS = 50

export interface RemakingParts {
  readonly db: Db
  /** The ledger of an instance on a fresh database. */
  readonly ledgerOf: (made: Db) => Ledger
  /** Makes the indexes of words anew, of the tables as they are. */
  readonly index: () => void
}

const notCleansed = () =>
  new Refusal(
    "temporarily_unavailable",
    "The words are withheld and no longer shown, but the disk did not let the files be rewritten, so they may still hold the words. Free some space and send the same request again.",
    { retryAfter: 60, committed: null },
  )

/** Entries whose own digests in the journal are worked out anew. */
function* unsealed(entries: Iterable<Entry>): Generator<Entry> {
  for (const { sealed, ...entry } of entries)
    yield sealed === undefined ? entry : { ...entry, sealed: { contentDigest: sealed.contentDigest, requestDigest: sealed.requestDigest } }
}

/** Brings the data in line with a journal of which something was withheld. */
export class Remaking {
  readonly #parts: RemakingParts
  /** Something was taken out of the history, in a transaction that may have been undone since. */
  #isDue = false
  /** The tables tell nothing of it any more, as far as this process knows. */
  #isMade = false
  /** How often the history was changed. */
  #changes = 0
  #cleansing: Promise<void> | undefined

  constructor(parts: RemakingParts) {
    this.#parts = parts
  }

  /** Changes what was accepted, within an open transaction. All that follows from it is made anew as its last step, or later. */
  change(change: () => void): void {
    const { db } = this.#parts
    const restoreTriggers = dropTriggers(db)
    try {
      change()
      db.exec("UPDATE instance SET unclean = 1")
      this.#isDue = true
      this.#isMade = false
      this.#changes += 1
    } finally {
      if (db.inTransaction) restoreTriggers()
    }
  }

  /**
   * The last step of a transaction: all that follows from a change in it, with it or not at all.
   * @param isLeft whether another thread does it, once this is committed: until then the tables still tell what was withheld
   */
  settle(isLeft: boolean): void {
    if (!this.#isDue) return
    this.#isDue = false
    if (!isLeft && isUnclean(this.#parts.db)) this.#remake()
  }

  /** @param isRenumbered whether writes left: those that stay have other places then, and other digests of the journal */
  #remake(isRenumbered = false): void {
    const { db, ledgerOf, index } = this.#parts
    const file = fileOf(db)
    const partial = file === "" ? ":memory:" : `${file}.remade-${process.pid}${AFTER}`
    if (file !== "") removeLeft(file)
    const restoreTriggers = dropTriggers(db)
    try {
      const made = openScratch(partial)
      try {
        const entries = journal(db).entries()
        replay(isRenumbered ? unsealed(entries) : entries, { db: made, ledger: ledgerOf(made) })
        correct(db, made)
      } finally {
        made.close()
      }
    } finally {
      if (partial !== ":memory:") rmSync(partial, { force: true })
      if (db.inTransaction) restoreTriggers()
    }
    index()
    this.#isMade = true
  }

  /**
   * Takes writes out of the history, and makes all that follows from the others anew, in a transaction of its own: with it or not at all.
   * @param take takes them out of the journal
   */
  leave(take: () => void): void {
    const { db } = this.#parts
    db.exec("BEGIN IMMEDIATE")
    try {
      this.change(take)
      this.#isDue = false
      this.#remake(true)
      db.exec("COMMIT")
    } finally {
      this.#isDue = false
      if (db.inTransaction) db.exec("ROLLBACK")
    }
  }

  /** The same in a transaction of its own, for what another thread, or a process that was cut off, has left. */
  #remakeAlone(): void {
    const { db } = this.#parts
    db.exec("BEGIN IMMEDIATE")
    try {
      this.#remake()
      db.exec("COMMIT")
    } finally {
      if (db.inTransaction) db.exec("ROLLBACK")
    }
  }

  /**
   * Leaves nothing in the files but what the journal tells: neither in the tables, nor in pages that nothing uses any more, nor
   * in the log. Outside of any transaction; cut off, it is done by the next start. What others read just now is waited for a while.
   * @throws Refusal 503 where the disk does not let it: what was withheld stays withheld, and the files may still hold the words
   */
  cleanse(): Promise<void> {
    this.#cleansing ??= this.#cleansed()
      .catch((error: unknown) => {
        throw isStorageFault(error) ? notCleansed() : error
      })
      .finally(() => {
        this.#cleansing = undefined
      })
    return this.#cleansing
  }

  async #cleansed(): Promise<void> {
    const { db } = this.#parts
    // Whoever withholds something meanwhile waits for this too.
    while (isUnclean(db)) {
      if (!this.#isMade) this.#remakeAlone()
      const changes = this.#changes
      const { temp_store: kept = 0 } = db.prepare<{ temp_store: number }>("PRAGMA temp_store").get() ?? {}
      try {
        // The whole is written once beside itself: not in memory.
        db.exec("PRAGMA temp_store = 0; VACUUM")
      } finally {
        db.exec(`PRAGMA temp_store = ${kept}`)
      }
      // Before it is noted as done: a disk that does not take the log leaves the words in it.
      for (let look = 0; look < LOOKS && !isLogEmptied(db); look += 1) await new Promise((resolve) => setTimeout(resolve, PAUSE))
      if (changes !== this.#changes) continue
      db.exec("UPDATE instance SET unclean = 0")
      this.#isMade = false
    }
  }
}
