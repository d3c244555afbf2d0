/** Whether the files may still hold withheld content. */
import { type Db, isBusy } from "./database.ts"

/** Whether the tables, unused pages or the log may still hold withheld content. */
export const isUnclean = (db: Db): boolean =>
  db.prepare("SELECT 1 FROM instance WHERE unclean <> 0").get() !== undefined

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

/** Bytes of a row that overwrites free pages, and of what a page holds of it. */
const [ROW, PAGE] = [512 * 1024, 4_000]

/**
 * Overwrites some of the free pages of the file, within a transaction, and frees them again once none is left.
 * @returns whether there is more to do
 */
export function wipe(db: Db): boolean {
  const { freelist_count: free } = db.prepare<{ freelist_count: number }>("PRAGMA freelist_count").one()
  const rows = db.prepare<{ rows: number }>("SELECT count(*) AS rows FROM wiping").one().rows
  const isFilling = db.prepare("SELECT 1 FROM wiping WHERE row = 0").get() === undefined
  if (isFilling && free > 0) {
    db.prepare("INSERT INTO wiping (row, zeros) VALUES (+?, zeroblob(+?))").run(rows + 1, Math.min(ROW, free * PAGE))
    return true
  }
  // The first row says that the others are to go, whatever becomes free meanwhile. It goes last.
  if (isFilling && rows > 0) return db.prepare("INSERT INTO wiping (row, zeros) VALUES (0, zeroblob(0))").run() > 0
  db.prepare("DELETE FROM wiping WHERE row = (SELECT max(row) FROM wiping)").run()
  return rows > 1
}
