/** Finds out whether the storage takes a write of the size that people send, by sending one that changes nothing. */
import type { Db } from "./database.ts"

/** More than the largest content and what is made from it. */
const BYTES = 512 * 1024

/**
 * Part of an open transaction. Writes some pages into the log and takes them back: with hardly any memory for pages the
 * database has to write them out before it knows that they are not wanted. Then leaves one changed, so that the commit writes too.
 * @throws what a write throws for which there is no room
 */
export function tryStorage(db: Db): void {
  const kept = db.prepare<{ cache_size: number }>("PRAGMA cache_size").get()?.cache_size ?? 0
  db.exec("SAVEPOINT try_storage")
  try {
    db.exec("PRAGMA cache_size = 10")
    db.prepare("INSERT INTO papers (paper_id, origin, recorded_at, record) VALUES ('', 'import', '', hex(zeroblob(+?)))").run(BYTES / 2)
  } finally {
    db.exec(`PRAGMA cache_size = ${kept}`)
    if (db.inTransaction) db.exec("ROLLBACK TO try_storage; RELEASE try_storage")
  }
  db.prepare("UPDATE instance SET created_at = created_at").run()
}
