/** The history changed where something was withheld: all that is made from it is made again, beside it, and put in its place. */
import { existsSync, rmSync } from "node:fs"
import type { Ledger } from "./admit.ts"
import { correct } from "./corrected.ts"
import { type Db, isStorageFault, openScratch } from "./database.ts"
import { history } from "./history.ts"
import { replay } from "./replay.ts"
import { setAside } from "./set-aside.ts"

/** The file of a database; empty for one in memory. */
export const fileOf = (db: Db): string =>
  db.prepare<{ file: string }>("SELECT file FROM pragma_database_list WHERE name = 'main'").get()?.file ?? ""

/**
 * @param ledgerOf the ledger of an instance on a fresh database
 * @param index makes the indexes of words anew, of the tables as they are
 * @returns what does a change of the history and all that follows from it, within an open transaction: all of it or nothing
 */
export const remadeWith =
  (db: Db, ledgerOf: (made: Db) => Ledger, index: () => void) =>
  (change: () => boolean): void => {
    const putBack = setAside(db)
    try {
      if (!change()) return
      const file = fileOf(db)
      const partial = file === "" ? ":memory:" : `${file}.remade-${process.pid}-withheld`
      if (existsSync(partial)) rmSync(partial)
      const made = openScratch(partial)
      try {
        replay(history(db).entries(), { db: made, ledger: ledgerOf(made) })
        correct(db, made)
      } finally {
        made.close()
        if (partial !== ":memory:") rmSync(partial, { force: true })
      }
      index()
      db.exec("UPDATE instance SET unclean = 1")
    } finally {
      if (db.inTransaction) putBack()
    }
  }

/** Milliseconds between two looks whether those who read the log have gone, and how many are taken. */
const PAUSE = 100
const LOOKS = 50

/** Whether something was withheld and may still stand in pages that nothing uses, or in the log. */
export const isUnclean = (db: Db): boolean => db.prepare("SELECT 1 FROM instance WHERE unclean = 1").get() !== undefined

/**
 * Leaves nothing in the files but what the tables hold: neither in pages that nothing uses any more, nor in the log. Outside of
 * any transaction. What others read just now is waited for; where it takes them long, or there is no room, the next start does it.
 */
export async function cleanse(db: Db): Promise<void> {
  if (!isUnclean(db)) return
  const { temp_store: kept = 0 } = db.prepare<{ temp_store: number }>("PRAGMA temp_store").get() ?? {}
  try {
    // The whole is written once beside itself: not in memory.
    db.exec("PRAGMA temp_store = 0; VACUUM; UPDATE instance SET unclean = 0")
    for (let look = 0; look < LOOKS; look += 1) {
      const { busy = 0 } = db.prepare<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? {}
      if (busy === 0) return
      await new Promise((resolve) => setTimeout(resolve, PAUSE))
    }
    db.exec("UPDATE instance SET unclean = 1")
  } catch (error) {
    if (!isStorageFault(error)) throw error
    if (!isUnclean(db)) db.exec("UPDATE instance SET unclean = 1")
  } finally {
    db.exec(`PRAGMA temp_store = ${kept}`)
  }
}
