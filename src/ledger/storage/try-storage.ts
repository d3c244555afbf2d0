/** Tests whether the storage accepts a write of a realistic size, with a write that changes nothing. */
import type { Db } from "./database.ts"

/** More than the largest content with everything derived from it. */
const BYTES = 512 * 1024

/**
 * Part of an open transaction. Writes some pages into the log and rolls them back: with hardly any page cache, SQLite
 * has to write them out before the rollback. Then leaves one page changed, so that the commit writes too.
 * @throws whatever a write throws if there is no space for it
 */
export function tryStorage(db: Db): void {
  const kept = db.prepare<{ cache_size: number }>("PRAGMA cache_size").get()?.cache_size ?? 0
  db.exec("SAVEPOINT try_storage")
  try {
    db.exec("PRAGMA cache_size = 10")
    db.prepare(
      "INSERT INTO papers (paper_id, origin, recorded_at, record) VALUES ('', 'import', '', hex(zeroblob(+?)))",
    ).run(BYTES / 2)
  } finally {
    db.exec(`PRAGMA cache_size = ${kept}`)
    if (db.inTransaction) db.exec("ROLLBACK TO try_storage; RELEASE try_storage")
  }
  db.prepare("UPDATE instance SET created_at = created_at").run()
}
