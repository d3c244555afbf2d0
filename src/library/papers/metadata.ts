/** Which filed papers still want arXiv's word on them, and what happens when it comes. */
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { isoTime } from "../../ledger/world.ts"

/** A paper that arXiv did not have is asked for again after this many milliseconds: it may be announced by then. */
const ASK_AGAIN = 7 * 86_400_000

export type Metadata = ReturnType<typeof metadata>

export function metadata(db: Db) {
  const wanted = db.prepare<{ arxiv_id: string; here: number }>(
    `SELECT w.arxiv_id, EXISTS (SELECT 1 FROM papers p WHERE p.arxiv_id = w.arxiv_id) AS here
     FROM (SELECT arxiv_id FROM saved_papers WHERE known = 0 UNION SELECT arxiv_id FROM collection_papers WHERE known = 0) w
     WHERE NOT EXISTS (SELECT 1 FROM paper_misses m WHERE m.arxiv_id = w.arxiv_id AND m.asked_at BETWEEN +? AND +?) LIMIT +?`,
  )
  const tell = ["saved_papers", "collection_papers"].map((table) =>
    db.prepare(`UPDATE ${table} SET known = 1 WHERE known = 0 AND arxiv_id = +?`),
  )
  const miss = inserting(db, "paper_misses", { onConflict: "DO UPDATE SET asked_at = excluded.asked_at" })

  return {
    /** Papers that were filed and are not told of yet: those that are here for somebody else, and those to be asked for. */
    wanting(now: number, count: number): { here: string[]; absent: string[] } {
      const rows = wanted.all(isoTime(now - ASK_AGAIN), isoTime(now), count)
      const ids = (here: boolean) => rows.filter((row) => (row.here === 1) === here).map((row) => row.arxiv_id)
      return { here: ids(true), absent: ids(false) }
    },
    /** Shows what is known of some papers to everybody who filed them. */
    tell: (arxivIds: readonly string[]) => arxivIds.forEach((arxivId) => tell.forEach((statement) => statement.run(arxivId))),
    /** Notes that arXiv does not have some papers. */
    missed: (arxivIds: readonly string[], at: string) => arxivIds.forEach((arxivId) => miss({ arxivId, askedAt: at })),
  }
}
