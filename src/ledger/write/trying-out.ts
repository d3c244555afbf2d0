/** Work that is tried out on one connection, taken back, and done again by its changes on another one. */
import { type Changed, type Db, isStorageFault } from "../storage/database.ts"
import { notStored } from "./not-stored.ts"

export interface TriedOut<T> {
  readonly value: T
  readonly changes: readonly Changed[]
  /** Tells those who wait, once the changes are committed. */
  readonly notify: () => void
}

/** Does work in a transaction and takes it back. @returns what it returned, and what it changed @throws Refusal 503 where the storage fails it */
export function tryOut<T>(db: Db, work: () => T): Pick<TriedOut<T>, "value" | "changes"> {
  if (db.noting === undefined) throw new Error("this connection notes no changes")
  try {
    db.exec("BEGIN IMMEDIATE")
    return db.noting(work)
  } catch (error) {
    throw isStorageFault(error) ? notStored() : error
  } finally {
    // A full disk ends a transaction by itself.
    if (db.inTransaction) db.exec("ROLLBACK")
  }
}

/** Makes changes that were tried out on another connection. @returns that they were made */
export function redo(db: Db, changes: readonly Changed[]): true {
  for (const [sql, values] of changes)
    if (values === undefined) db.exec(sql)
    else db.prepare(sql).run(...values)
  return true
}
