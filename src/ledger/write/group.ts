/**
 * A group of writes that share a transaction: its members, their outcomes, the hooks around it, and the refusals when
 * the storage fails.
 */
import { Refusal } from "../../contract/refusals/refusal.ts"
import { type Changed, type Db, isStorageFault } from "../storage/database.ts"

export interface Job {
  work: () => unknown
  /** A rehearsal is always rolled back, so it has a savepoint from the start. */
  rehearsal: boolean
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

export type Settled = { value: unknown } | { error: unknown }

export const isStorageFailure = (outcome: Settled): boolean =>
  "error" in outcome && outcome.error instanceof Refusal && outcome.error.code === "temporarily_unavailable"

export interface GroupHooks {
  /** Called before a group ends, to `run` the writes that have arrived meanwhile and may join it. */
  gather?(): void
  /** The last step of each group within its transaction. */
  beforeCommit?(): void
  /** Whether the data's files were replaced: then a commit would be lost, and no write may be reported as stored. */
  isLost?(): boolean
  /**
   * Called after each group with the number of its writes, its duration in milliseconds, and whether the storage
   * failed.
   */
  afterGroup?(writes: number, milliseconds: number, failed: boolean): void
}

/** The storage rejected the write. */
export const notStored = () =>
  new Refusal(
    "temporarily_unavailable",
    "The database could not take the write; nothing was stored. Send the same request again.",
    {
      retryAfter: 2,
    },
  )
/** The storage may have stored the write. */
export const uncertain = () =>
  new Refusal(
    "temporarily_unavailable",
    "The write could not be finished for certain. Keep its id and body and send it again.",
    {
      retryAfter: 2,
      committed: null,
    },
  )

/** Work that is done on one connection, rolled back, and repeated on another one by its recorded statements. */
export interface TriedOut<T> {
  readonly value: T
  readonly changes: readonly Changed[]
  /** Notifies the listeners; to be called after the changes are committed. */
  readonly notify: () => void
}

/**
 * Runs work in a transaction and rolls it back. @returns its result and its changes @throws Refusal 503 if the storage
 * fails
 */
export function tryOut<T>(db: Db, work: () => T): Pick<TriedOut<T>, "value" | "changes"> {
  if (db.noting === undefined) throw new Error("this connection cannot record changes")
  try {
    db.exec("BEGIN IMMEDIATE")
    return db.noting(work)
  } catch (error) {
    throw isStorageFault(error) ? notStored() : error
  } finally {
    // A full disk ends a transaction.
    if (db.inTransaction) db.exec("ROLLBACK")
  }
}

/** Makes changes that were tried out on another connection. @returns true */
export function redo(db: Db, changes: readonly Changed[]): true {
  for (const [sql, values] of changes)
    if (values === undefined) db.exec(sql)
    else db.prepare(sql).run(...values)
  return true
}
