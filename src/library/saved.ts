/** Saved papers: what a person keeps in their Library, whether or not a Collection holds it. */
import { JsonText, type Writable } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import type { Db } from "../ledger/database.ts"
import { LibraryPage } from "../ledger/paging.ts"
import { holders, shownPaper } from "./papers/papers.ts"
import { mustFit, REACHED, type Scope, values } from "./reach/scope.ts"

interface Row {
  arxiv_id: string
  saved_at: string
  record: string | null
  collections: string
}

export type Saved = ReturnType<typeof saved>

/** The pages of a Library's lists are all of one size. */
export const pageItems = limits.pageItems

/** A page from rows of which one more than a page holds was asked for. */
export function offsetPage<Row>(rows: readonly Row[], offset: number, item: (row: Row) => Writable): LibraryPage {
  const nextOffset = rows.length > pageItems ? offset + pageItems : null
  return new LibraryPage(rows.slice(0, pageItems).map(item), nextOffset)
}

export function saved(db: Db) {
  const count = db.prepare<{ saved: number }>("SELECT saved FROM library_counts WHERE user_id = ?")
  const among = db.prepare<{ arxiv_id: string }>(
    "SELECT arxiv_id FROM saved_papers WHERE user_id = ? AND arxiv_id IN (SELECT value FROM json_each(?))",
  )
  const insert = db.prepare(
    `INSERT INTO saved_papers (user_id, saved_at, arxiv_id, known)
     SELECT ?, ?, value, EXISTS (SELECT 1 FROM papers WHERE arxiv_id = value AND origin = 'import') FROM json_each(?)`,
  )
  const remove = db.prepare("DELETE FROM saved_papers WHERE user_id = ? AND arxiv_id = ?")
  const page = db.prepare<Row>(
    `WITH ${REACHED}
     SELECT s.arxiv_id, s.saved_at, ${holders("s.arxiv_id")} AS collections,
       CASE WHEN s.known = 1 OR p.origin = 'import'
         OR EXISTS (SELECT 1 FROM collection_papers h JOIN reached r ON r.collection_id = h.collection_id WHERE h.arxiv_id = s.arxiv_id AND h.known = 1)
         THEN p.record END AS record
     FROM (SELECT entry, arxiv_id, saved_at, known FROM saved_papers WHERE user_id = ? ORDER BY entry DESC LIMIT ${pageItems + 1} OFFSET ?) s
     LEFT JOIN papers p ON p.arxiv_id = s.arxiv_id
     ORDER BY s.entry DESC`,
  )

  return {
    /** Saves what is not saved yet. @throws Refusal `limit_reached`, with nothing saved */
    save(userId: string, arxivIds: readonly string[], at: string): { saved: string[]; alreadySaved: string[] } {
      const there = new Set(among.all(userId, JSON.stringify(arxivIds)).map((row) => row.arxiv_id))
      const fresh = arxivIds.filter((arxivId) => !there.has(arxivId))
      mustFit("savedPapers", count.get(userId)?.saved ?? 0, fresh.length)
      insert.run(userId, at, JSON.stringify(fresh))
      return { saved: fresh, alreadySaved: arxivIds.filter((arxivId) => there.has(arxivId)) }
    },
    /** Whether the paper was saved. */
    unsave: (userId: string, arxivId: string): boolean => remove.run(userId, arxivId) === 1,

    /** A page of the saved papers of a reader whose reach includes them, newest first. */
    page(scope: Scope, offset: number): LibraryPage {
      const rows = page.all(...values(scope), scope.userId, offset)
      return offsetPage(rows, offset, (row) =>
        shownPaper(row.arxiv_id, row.record, { savedAt: row.saved_at, collections: new JsonText(row.collections) }),
      )
    },
  }
}
