/** Whether the files may still hold what was withheld. */
import type { Db } from "./database.ts"

/** Whether something was withheld of which the tables, pages that nothing uses, or the log may still tell. */
export const isUnclean = (db: Db): boolean => db.prepare("SELECT 1 FROM instance WHERE unclean <> 0").get() !== undefined

/** Writes the log into the file and empties it. @returns whether it could: nobody else reads it */
export const isLogEmptied = (db: Db): boolean => db.prepare<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0
