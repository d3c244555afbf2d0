/** Saved papers: what a person keeps in their Library, whether or not a Collection holds it. */
import { JsonText, type Stored } from "../contract/json.ts"
import type { Holding, SavedPaper } from "../contract/library/answers.ts"
import { limits } from "../contract/limits.ts"
import type { Db } from "../ledger/database.ts"
import { type Filed, type Given, GIVEN, holders, type PaperRecord, shownPaper } from "./papers/papers.ts"
import { mustFit, REACHED, type Scope, values } from "./reach/scope.ts"

interface Row {
  readonly arxivId: string
  readonly savedAt: string
  readonly record: Stored<PaperRecord> | null
  /** What a file or an agent said of it that saved it, or that added it to a Collection in reach. */
  readonly given: Stored<Given> | null
  readonly collections: Stored<Holding>
}

export type Saved = ReturnType<typeof saved>

/** The pages of a Library's lists are all of one size. */
export const pageItems = limits.pageItems

/** A page from items of which one more than a page holds was asked for. */
export function offsetPage<Item>(found: readonly Item[], offset: number) {
  const hasMore = found.length > pageItems
  return { items: found.slice(0, pageItems), hasMore, nextOffset: hasMore ? offset + pageItems : null }
}

export function saved(db: Db) {
  const count = db.prepare<{ saved: number }>("SELECT saved FROM library_counts WHERE user_id = ?")
  const among = db.prepare<{ arxivId: string }>(
    "SELECT arxiv_id AS arxivId FROM saved_papers WHERE user_id = ? AND arxiv_id IN (SELECT value FROM json_each(?))",
  )
  const insert = db.prepare(
    `INSERT INTO saved_papers (user_id, saved_at, arxiv_id, known, given)
     SELECT ?, ?, w.value ->> 'arxivId', EXISTS (SELECT 1 FROM papers WHERE arxiv_id = w.value ->> 'arxivId' AND origin = 'import'), w.value ->> 'given' FROM json_each(?) w`,
  )
  const remove = db.prepare("DELETE FROM saved_papers WHERE user_id = ? AND arxiv_id = ?")
  const page = db.prepare<Row>(
    `WITH ${REACHED}
     SELECT s.arxiv_id AS arxivId, s.saved_at AS savedAt, ${holders("s.arxiv_id")} AS collections,
       CASE WHEN s.known = 1 OR p.origin = 'import'
         OR EXISTS (SELECT 1 FROM collection_papers h JOIN reached r ON r.collection_id = h.collection_id WHERE h.arxiv_id = s.arxiv_id AND h.known = 1)
         THEN p.record END AS record,
       coalesce(s.given, ${GIVEN("s.arxiv_id")}) AS given
     FROM (SELECT entry, arxiv_id, saved_at, known, given FROM saved_papers WHERE user_id = ? ORDER BY entry DESC LIMIT ${pageItems + 1} OFFSET ?) s
     LEFT JOIN papers p ON p.arxiv_id = s.arxiv_id
     ORDER BY s.entry DESC`,
  )

  return {
    /** Saves what is not saved yet. @throws Refusal `limit_reached`, with nothing saved */
    save(userId: string, filed: readonly Filed[], at: string): { saved: string[]; alreadySaved: string[] } {
      const there = new Set(among.all(userId, JSON.stringify(filed.map(({ arxivId }) => arxivId))).map(({ arxivId }) => arxivId))
      const fresh = filed.filter(({ arxivId }) => !there.has(arxivId))
      mustFit("savedPapers", count.get(userId)?.saved ?? 0, fresh.length)
      insert.run(userId, at, JSON.stringify(fresh))
      return {
        saved: fresh.map(({ arxivId }) => arxivId),
        alreadySaved: filed.flatMap(({ arxivId }) => (there.has(arxivId) ? [arxivId] : [])),
      }
    },
    /** Whether the paper was saved. */
    unsave: (userId: string, arxivId: string): boolean => remove.run(userId, arxivId) === 1,

    /** A page of the saved papers of a reader whose reach includes them, newest first. */
    page: (scope: Scope, offset: number) =>
      offsetPage(
        page
          .all(...values(scope), scope.userId, offset)
          .map(({ arxivId, savedAt, record, given, collections }) =>
            shownPaper<SavedPaper>(arxivId, record, { savedAt, collections: new JsonText(collections) }, given),
          ),
        offset,
      ),
  }
}
