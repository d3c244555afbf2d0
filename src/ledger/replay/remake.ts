/**
 * After part of the journal was withheld or dropped: derives all tables again in another database, and corrects this
 * one by it.
 */
import { readdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Ledger } from "../write/admit.ts"
import { correct } from "../storage/tables.ts"
import { type Db, isStorageFault } from "../storage/database.ts"
import { openScratch } from "../storage/opening.ts"
import { type Entry, journal } from "../journal/journal.ts"
import { replay } from "./replay.ts"
import { isCounting } from "../storage/triggers.ts"
import { isLogEmptied, isUnclean } from "../storage/residue.ts"

/** Returns the file of a database; empty for one in memory. */
export const fileOf = (db: Db): string =>
  db.prepare<{ file: string }>("SELECT file FROM pragma_database_list WHERE name = 'main'").get()?.file ?? ""

const AFTER = "-withheld"
/** Deletes scratch files that killed processes left. The caller has the data for itself. */
function removeLeft(file: string): void {
  const [folder, beginning] = [dirname(file), `${basename(file)}.remade-`]
  for (const name of readdirSync(folder))
    if (name.startsWith(beginning) && name.endsWith(AFTER)) rmSync(join(folder, name), { force: true })
}

/** Milliseconds between checks whether other connections still read the log, and the number of checks. */
const PAUSE = 100
const LOOKS = 50

export interface RemakingParts {
  readonly db: Db
  /** Makes the ledger of an instance on a fresh database. */
  readonly ledgerOf: (made: Db) => Ledger
  /** Rebuilds the word indexes from the tables. */
  readonly index: () => void
}

const notCleansed = () =>
  new Refusal(
    "temporarily_unavailable",
    "The words are withheld and no longer shown, but the disk did not let the files be rewritten, so they may still hold the words. Free some space and send the same request again.",
    { retryAfter: 60, committed: null },
  )

/** Removes the journal's own digests from sealed entries, so that they are computed again. */
function* unsealed(entries: Iterable<Entry>): Generator<Entry> {
  for (const { sealed, ...entry } of entries)
    yield sealed === undefined
      ? entry
      : { ...entry, sealed: { contentDigest: sealed.contentDigest, requestDigest: sealed.requestDigest } }
}

/**
 * Drops the triggers, except those that count rows, and defers foreign keys, within an open transaction. @returns a function that restores the
 * triggers
 */
function dropTriggers(db: Db): () => void {
  const found = db
    .prepare<{ name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
    .filter(({ name }) => !isCounting(name))
  for (const { name } of found) db.exec(`DROP TRIGGER ${name}`)
  db.exec("PRAGMA defer_foreign_keys = ON")
  return () => {
    for (const { sql } of found) db.exec(sql)
  }
}

/** Brings the data in line with a changed journal. */
export class Remaking {
  readonly #parts: RemakingParts
  /** Whether the journal was changed, in a transaction that may since have been rolled back. */
  #isDue = false
  /** Whether the tables no longer contain what was withheld, as far as this process knows. */
  #isMade = false
  /** How often the journal was changed. */
  #changes = 0
  #cleansing: Promise<void> | undefined

  constructor(parts: RemakingParts) {
    this.#parts = parts
  }

  /**
   * Changes accepted writes within an open transaction. The derived tables are corrected by its last step, or later.
   */
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
   * The last step of a transaction: corrects the derived tables in the same transaction.
   */
  settle(): void {
    if (!this.#isDue) return
    this.#isDue = false
    if (isUnclean(this.#parts.db)) this.#remake()
  }

  /** @param isRenumbered whether writes were dropped: the others then get new positions and digests */
  #remake(isRenumbered = false): void {
    const { db, ledgerOf, index } = this.#parts
    const file = fileOf(db)
    const partial = file === "" ? ":memory:" : `${file}.remade-${process.pid}${AFTER}`
    if (file !== "") removeLeft(file)
    const restoreTriggers = dropTriggers(db)
    try {
      using made = openScratch(partial)
      const entries = journal(db).entries()
      replay(isRenumbered ? unsealed(entries) : entries, { db: made, ledger: ledgerOf(made) })
      correct(db, made)
    } finally {
      if (partial !== ":memory:") rmSync(partial, { force: true })
      if (db.inTransaction) restoreTriggers()
    }
    index()
    this.#isMade = true
  }

  /**
   * Drops writes from the journal and corrects the derived tables, in one transaction of its own.
   * @param take deletes the writes from the journal
   */
  leave(take: () => void): void {
    try {
      this.#inTransaction(() => {
        this.change(take)
        this.#remake(true)
      })
    } finally {
      this.#isDue = false
    }
  }

  #inTransaction(work: () => void): void {
    const { db } = this.#parts
    db.exec("BEGIN IMMEDIATE")
    try {
      work()
      db.exec("COMMIT")
    } finally {
      if (db.inTransaction) db.exec("ROLLBACK")
    }
  }

  /**
   * Removes withheld content from the files: from the tables, from unused pages and from the log. Runs outside of any
   * transaction. If it is interrupted, the next start completes it. Waits a few seconds for readers of the log.
   * @throws Refusal 503 if the disk does not allow it: the content stays withheld, but the files may still hold it
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
    // Content that is withheld meanwhile is removed by another round.
    while (isUnclean(db)) {
      // An interrupted process may have left the tables uncorrected.
      if (!this.#isMade) this.#inTransaction(() => this.#remake())
      const changes = this.#changes
      const { temp_store: kept = 0 } = db.prepare<{ temp_store: number }>("PRAGMA temp_store").get() ?? {}
      try {
        // VACUUM writes a whole copy of the data: to disk, not to memory.
        db.exec("PRAGMA temp_store = 0; VACUUM")
      } finally {
        db.exec(`PRAGMA temp_store = ${kept}`)
      }
      // The log is emptied before this is recorded as done: until then it may hold the words.
      for (let look = 0; look < LOOKS && !isLogEmptied(db); look += 1)
        await new Promise((resolve) => setTimeout(resolve, PAUSE))
      if (changes !== this.#changes) continue
      db.exec("UPDATE instance SET unclean = 0")
      this.#isMade = false
    }
  }
}
