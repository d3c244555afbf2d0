/** Tracks which filed papers still need metadata from a source. */
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { isoTime } from "../../ledger/world.ts"
import type { PaperRecord } from "./papers.ts"

/**
 * How long to wait before requesting a paper again that its source did not have. It may have been announced by then.
 */
const RETRY_AFTER_MS = 7 * 86_400_000

export type Metadata = ReturnType<typeof metadata>

export function metadata(db: Db) {
  const missing = (isFromSource: string) =>
    db.prepare<{ paper_id: string; here: number }>(
      `SELECT w.paper_id, EXISTS (SELECT 1 FROM papers p WHERE p.paper_id = w.paper_id) AS here
       FROM (SELECT paper_id
         FROM saved_papers
         WHERE known = 0 AND ${isFromSource}
         UNION SELECT paper_id
         FROM collection_papers
         WHERE known = 0 AND ${isFromSource}) w
       WHERE NOT EXISTS (SELECT 1 FROM paper_misses m WHERE m.paper_id = w.paper_id AND m.asked_at BETWEEN +? AND +?)
        LIMIT +?`,
    )
  const missingFrom = {
    arxiv: missing("paper_id NOT GLOB '10.*/*' AND instr(paper_id, ':') = 0"),
    crossref: missing("paper_id GLOB '10.*/*'"),
  }
  const reveal = ["saved_papers", "collection_papers"].map((table) =>
    db.prepare(`UPDATE ${table} SET known = 1 WHERE known = 0 AND paper_id = +?`),
  )
  const insertMiss = inserting(db, "paper_misses", { onConflict: "DO UPDATE SET asked_at = excluded.asked_at" })

  return {
    /**
     * Returns filed papers whose metadata is not shown yet: `here` if this instance has it for someone else, `absent`
     * if it must be requested.
     */
    missing(source: PaperRecord["source"], now: number, count: number): { here: string[]; absent: string[] } {
      const rows = missingFrom[source].all(isoTime(now - RETRY_AFTER_MS), isoTime(now), count)
      const ids = (here: boolean) => rows.filter((row) => (row.here === 1) === here).map((row) => row.paper_id)
      return { here: ids(true), absent: ids(false) }
    },
    /** Makes the metadata of papers visible to everyone who filed them. */
    reveal: (paperIds: readonly string[]) =>
      paperIds.forEach((paperId) => reveal.forEach((statement) => statement.run(paperId))),
    /** Records that a source does not have these papers. */
    recordMisses: (paperIds: readonly string[], at: string) =>
      paperIds.forEach((paperId) => insertMiss({ paperId, askedAt: at })),
  }
}
