/** Work that is done on one connection, rolled back, and repeated on another one by its recorded statements. */
import { type Changed, type Db, isStorageFault } from "../storage/database.ts"
import { notStored } from "./not-stored.ts"

export interface TriedOut<T> {
  readonly value: T
  readonly changes: readonly Changed[]
  /** Notifies the listeners; to be called after the changes are committed. */
  readonly notify: () => void
}

/** Runs work in a transaction and rolls it back. @returns its result and its changes @throws Refusal 503 if the storage fails */
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
