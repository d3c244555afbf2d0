/**
 * After part of the journal was withheld or dropped: derives all tables again in another database, and corrects this
 * one by it.
 */
import { readdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Refusal } from "../../contract/refusals.ts"
import type { Ledger } from "../write/ledger.ts"
import { correct } from "../storage/tables.ts"
import { type Db, fileOf, isForeignKey, isStorageFault } from "../storage/database.ts"
import { openScratch } from "../storage/opening.ts"
import { headsOf, type Entry, journal } from "../journal/journal.ts"
import type { Freely } from "../journal/withheld.ts"
import { replay, correctFound, type Differences, type Found } from "./replay.ts"
import { isCounting, isProtecting } from "../storage/schema.ts"
import { dropWiping, isLogEmptied, isUnclean, writeClean, writeUnclean } from "../storage/clearing.ts"

const AFTER = "-withheld"
/** Deletes scratch files that killed processes left. The caller has the data for itself. */
function removeLeft(file: string): void {
  const [folder, beginning] = [dirname(file), `${basename(file)}.remade-`]
  for (const name of readdirSync(folder))
    if (name.startsWith(beginning) && name.endsWith(AFTER)) rmSync(join(folder, name), { force: true })
}

/** Names the file of a replay beside the data, and deletes those that killed processes left. */
export function scratchFor(file: string): string {
  removeLeft(file)
  return `${file}.remade-${process.pid}${AFTER}`
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
  /** Indexes again what has these ids, within a transaction. */
  readonly indexAgain: (ids: readonly string[]) => void
  /** Merges a part of the word indexes, so that removed words go. @returns whether there is more to merge */
  readonly merge: (isFirst: boolean) => boolean
  /** Removes quotations of withheld words from some entries. @returns whether there are more */
  readonly unquote: (freely: Freely) => boolean
  /** Runs work in a transaction among those of the writes. */
  readonly run: <T>(work: () => T) => Promise<T>
}

/** What another process found in a snapshot, and the file of the replay by which it did. */
export interface FoundElsewhere extends Differences {
  readonly made: Db
  /** Closes and deletes the file. */
  readonly discard: () => Promise<void>
}

/** How a service cleans its files: in pieces, while it answers. */
export interface InPieces {
  readonly differences: () => Promise<FoundElsewhere>
  /** Overwrites what the data holds beside its rows, and empties the log. @returns whether that is done */
  readonly isCleared: () => Promise<boolean>
  /** Whether much of the log is not copied yet: with more pieces it would grow by the size of the data. */
  readonly isBehind: () => boolean
  /** Called when there is something to clean. */
  readonly onUnclean: () => void
}

/** Rows corrected in one transaction. */
const CORRECTED = 200

const notCleansed = () =>
  new Refusal(
    "temporarily_unavailable",
    "The words are withheld and no longer shown, but the disk did not let the files be rewritten, " +
      "so they may still hold the words. Free some space and send the same request again.",
    { retryAfter: 60, committed: null },
  )

/** Removes the journal's own digests from entries of which parts were withheld, so that they are computed again. */
function* withoutOwnDigests(entries: Iterable<Entry>): Generator<Entry> {
  for (const { keptDigests, ...entry } of entries)
    yield keptDigests === undefined
      ? entry
      : {
          ...entry,
          keptDigests: { contentDigest: keptDigests.contentDigest, requestDigest: keptDigests.requestDigest },
        }
}

/**
 * Drops the triggers that protect rows, or all except those that count rows, and defers foreign keys, within an open
 * transaction. @returns a function that restores the triggers
 */
function dropTriggers(db: Db, which: "protecting" | "all"): () => void {
  const found = db
    .prepare<{ name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
    .filter(({ name }) => (which === "all" ? !isCounting(name) : isProtecting(name)))
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
  #inPieces: InPieces | undefined

  constructor(parts: RemakingParts) {
    this.#parts = parts
  }

  /**
   * Changes accepted writes within an open transaction. The derived tables are corrected by its last step, or later.
   */
  change(change: () => void, which: "protecting" | "all" = "protecting"): void {
    const { db } = this.#parts
    const restoreTriggers = dropTriggers(db, which)
    try {
      change()
      writeUnclean(db)
      this.#isDue = true
      this.#isMade = false
      this.#changes += 1
    } finally {
      if (db.inTransaction) restoreTriggers()
    }
  }

  /** Whether the files are cleaned after the answer to a withholding. */
  get isInPieces(): boolean {
    return this.#inPieces !== undefined
  }

  /** From now on the files are cleaned in pieces, by `clean`, while a service answers. */
  cleanInPieces(inPieces: InPieces): void {
    this.#inPieces = inPieces
  }

  /**
   * The last step of a transaction: corrects the derived tables in the same transaction. A service does that after the
   * commit; until then tables may hold what was cut or joined from the words.
   */
  settle(): void {
    if (!this.#isDue) return
    this.#isDue = false
    if (this.#inPieces === undefined && isUnclean(this.#parts.db)) this.#remake()
  }

  /** @param isRenumbered whether writes were dropped: the others then get new positions and digests */
  #remake(isRenumbered = false): void {
    const { db, ledgerOf, index, unquote } = this.#parts
    const file = fileOf(db)
    const partial = file === "" ? ":memory:" : scratchFor(file)
    const restoreTriggers = dropTriggers(db, "all")
    try {
      while (unquote((work) => work())) {}
      using made = openScratch(partial)
      const entries = journal(db).entries()
      replay(isRenumbered ? withoutOwnDigests(entries) : entries, { db: made, ledger: ledgerOf(made) })
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
        this.change(take, "all")
        this.#remake(true)
      })
    } finally {
      this.#isDue = false
    }
  }

  /** Corrects the derived tables at once, before a service begins. What the files hold beside their rows stays. */
  correctRows(): void {
    this.#inTransaction(() => this.#remake())
  }

  #inTransaction(work: () => void): void {
    const { db } = this.#parts
    db.exec("BEGIN IMMEDIATE")
    try {
      work()
      db.exec("COMMIT")
    } finally {
      headsOf(db).forget()
      if (db.inTransaction) db.exec("ROLLBACK")
    }
  }

  /**
   * Removes withheld content from the files: from the tables, from unused pages and from the log. Runs outside of any
   * transaction. If it is interrupted, the next start completes it. Waits a few seconds for readers of the log. If the
   * files are cleaned in pieces, it only notes that there is something to clean.
   * @throws Refusal 503 if the disk does not allow it: the content stays withheld, but the files may still hold it
   */
  cleanse(): Promise<void> {
    if (this.#inPieces !== undefined) {
      this.#inPieces.onUnclean()
      return Promise.resolve()
    }
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
      writeClean(db)
      this.#isMade = false
    }
  }

  /**
   * The same in pieces of some milliseconds, with other work between them. Several withholdings share one cleaning.
   * @returns whether the files are clean; false if something was withheld meanwhile, or others read the log for long
   */
  async clean(): Promise<boolean> {
    const { db, unquote, merge, run } = this.#parts
    if (this.#inPieces === undefined || !isUnclean(db)) return true
    const changes = this.#changes
    await this.#pieces(() => unquote((work) => this.#freely(work)))
    if (!(await this.#correct(this.#inPieces))) return false
    await this.#pieces((before) => merge(before === 0))
    await this.#pieces(() => dropWiping(db))
    if (changes !== this.#changes || !(await this.#inPieces.isCleared())) return false
    await run(() => changes === this.#changes && writeClean(db))
    return changes === this.#changes
  }

  /** Runs pieces of work in transactions of their own, and leaves as much time to others as each of them took. */
  async #pieces(piece: (before: number) => boolean): Promise<void> {
    let before = 0
    for (let isMore = true; isMore; before += 1) {
      const startedAt = performance.now()
      isMore = await this.#parts.run(() => piece(before))
      await new Promise((resolve) => setTimeout(resolve, performance.now() - startedAt))
      while (this.#inPieces?.isBehind() === true) await new Promise((resolve) => setTimeout(resolve, PAUSE))
    }
  }

  /** Runs work within a transaction in which accepted writes may change. */
  #freely<T>(work: () => T, which: "protecting" | "all" = "protecting"): T {
    const { db } = this.#parts
    const restoreTriggers = dropTriggers(db, which)
    try {
      return work()
    } finally {
      if (db.inTransaction) restoreTriggers()
    }
  }

  /**
   * Corrects the rows that differ from a replay. After each piece every row must find those that it refers to; if their
   * order does not allow that, new and lost rows are corrected at once.
   * @returns whether none differs any more
   */
  async #correct({ differences }: InPieces): Promise<boolean> {
    const { db, indexAgain, run } = this.#parts
    const { rows, isAll, made, discard } = await differences()
    const correct = (some: readonly Found[], isDeferred: boolean) => {
      // A row's triggers follow a change of its words; what they make of a new or a lost row is among the rows too.
      const which = some.some((row) => row.which !== "unlike") ? "all" : "protecting"
      const work = () => {
        if (!isDeferred) db.exec("PRAGMA defer_foreign_keys = OFF")
        return correctFound(db, made, some)
      }
      if (some.length > 0) indexAgain([...this.#freely(work, which)])
    }
    try {
      for (const which of ["only_here", "unlike", "only_due"]) {
        const of = rows.filter((row) => row.which === which)
        await this.#pieces((before) => {
          const done = (before + 1) * CORRECTED
          correct(of.slice(done - CORRECTED, done), false)
          return done < of.length
        }).catch((error: unknown) => {
          if (!isForeignKey(error)) throw error
          return run(() =>
            correct(
              rows.filter((row) => row.which !== "unlike"),
              true,
            ),
          )
        })
      }
      return isAll
    } finally {
      await discard()
    }
  }
}
