/** Whether the files may still hold withheld content. */
import type { Db } from "./database.ts"

/** Whether the tables, unused pages or the log may still hold withheld content. */
export const isUnclean = (db: Db): boolean =>
  db.prepare("SELECT 1 FROM instance WHERE unclean <> 0").get() !== undefined

/** Checkpoints the log and empties it. @returns false if another connection reads from it */
export const isLogEmptied = (db: Db): boolean =>
  db.prepare<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0
