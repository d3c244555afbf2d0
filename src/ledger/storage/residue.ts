/** Whether the files may still hold withheld content. */
import { type Db, isBusy } from "./database.ts"

/** Whether the tables, unused pages or the log may still hold withheld content. */
export const isUnclean = (db: Db): boolean =>
  db.prepare("SELECT 1 FROM instance WHERE unclean <> 0").get() !== undefined

/**
 * Notes, within a transaction, that the files may hold withheld content. As a write, it also makes every other
 * connection forget the pages that it has in memory.
 */
export const writeUnclean = (db: Db): void => db.exec("UPDATE instance SET unclean = 1")

/** Notes that the files no longer hold withheld content. */
export const writeClean = (db: Db): void => db.exec("UPDATE instance SET unclean = 0")

/** Checkpoints the log and empties it. @returns false if another connection reads from it */
export const isLogEmptied = (db: Db): boolean =>
  db.prepare<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0

/** The same without waiting for the other connection. */
export function isLogEmptiedNow(db: Db): boolean {
  const patience = db.prepare<{ timeout: number }>("PRAGMA busy_timeout").get()?.timeout ?? 0
  try {
    db.exec("PRAGMA busy_timeout = 0")
    return isLogEmptied(db)
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  } finally {
    db.exec(`PRAGMA busy_timeout = ${patience}`)
  }
}

/**
 * Drops one of the rows with which an earlier version overwrote free pages, if its cleaning was interrupted.
 * @returns whether there was one
 */
export const dropWiping = (db: Db): boolean =>
  db.prepare("DELETE FROM wiping WHERE row = (SELECT max(row) FROM wiping)").run() > 0
