/** Which filed papers still want a source's word on them, and what happens when it comes. */
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { isoTime } from "../../ledger/world.ts"
import type { PaperRecord } from "./papers.ts"

/** A paper that a source did not have is asked for again after this many milliseconds: it may be announced by then. */
const ASK_AGAIN = 7 * 86_400_000

export type Metadata = ReturnType<typeof metadata>

export function metadata(db: Db) {
  const wanting = (isTheirs: string) =>
    db.prepare<{ paper_id: string; here: number }>(
      `SELECT w.paper_id, EXISTS (SELECT 1 FROM papers p WHERE p.paper_id = w.paper_id) AS here
       FROM (SELECT paper_id FROM saved_papers WHERE known = 0 AND ${isTheirs} UNION SELECT paper_id FROM collection_papers WHERE known = 0 AND ${isTheirs}) w
       WHERE NOT EXISTS (SELECT 1 FROM paper_misses m WHERE m.paper_id = w.paper_id AND m.asked_at BETWEEN +? AND +?) LIMIT +?`,
    )
  /** The papers that each source may know. */
  const wanted = { arxiv: wanting("paper_id NOT GLOB '10.*/*' AND instr(paper_id, ':') = 0"), crossref: wanting("paper_id GLOB '10.*/*'") }
  const reveal = ["saved_papers", "collection_papers"].map((table) =>
    db.prepare(`UPDATE ${table} SET known = 1 WHERE known = 0 AND paper_id = +?`),
  )
  const miss = inserting(db, "paper_misses", { onConflict: "DO UPDATE SET asked_at = excluded.asked_at" })

  return {
    /** Papers that a source may know, were filed and are not told of yet: those that are here for somebody else, and those to be asked for. */
    wanting(source: PaperRecord["source"], now: number, count: number): { here: string[]; absent: string[] } {
      const rows = wanted[source].all(isoTime(now - ASK_AGAIN), isoTime(now), count)
      const ids = (here: boolean) => rows.filter((row) => (row.here === 1) === here).map((row) => row.paper_id)
      return { here: ids(true), absent: ids(false) }
    },
    /** Shows what is known of some papers to everybody who filed them. */
    reveal: (paperIds: readonly string[]) => paperIds.forEach((paperId) => reveal.forEach((statement) => statement.run(paperId))),
    /** Notes that their source does not have some papers. */
    missed: (paperIds: readonly string[], at: string) => paperIds.forEach((paperId) => miss({ paperId, askedAt: at })),
  }
}
