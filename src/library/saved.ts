/** Saved papers: what a person keeps in their Library, whether or not a Collection holds it. */
import type { PaperOrder } from "../contract/schema/enumerations.ts"
import { JsonText, type Stored } from "../contract/json.ts"
import type { Holding, SavedPaper } from "../contract/library/answers.ts"
import { limits } from "../contract/limits.ts"
import type { Db } from "../ledger/storage/database.ts"
import type { Cited } from "./bibtex/write.ts"
import { type FiledPaper, type Given, GIVEN, holders, type PaperRecord, shownPaper, TAGS } from "./papers/papers.ts"
import { mustFit, REACHED, type Scope, values } from "./reach/scope.ts"

interface Row {
  readonly arxivId: string
  readonly savedAt: string
  readonly record: Stored<PaperRecord> | null
  /** What a file or an agent said of it that saved it, or that added it to a Collection in reach. */
  readonly given: Stored<Given> | null
  readonly collections: Stored<Holding>
  readonly tags: Stored<string[]>
}

/** Which saved papers are wanted, and in which order. */
export interface Wanted {
  readonly sort?: PaperOrder
  readonly tag?: string
  /** What the index of words is asked for (see `wordsOf`). */
  readonly match?: string
}

/** The pages of a Library's lists are all of one size. */
export const pageItems = limits.pageItems

/** A page from items of which one more than a page holds was asked for. */
export function offsetPage<Item>(found: readonly Item[], offset: number) {
  const hasMore = found.length > pageItems
  return { items: found.slice(0, pageItems), hasMore, nextOffset: hasMore ? offset + pageItems : null }
}

const orders: Readonly<Record<PaperOrder, string>> = {
  saved: "s.entry DESC",
  title: "s.title, s.entry",
  published: "s.published_at DESC, s.entry DESC",
}

/** Has what a person finds a paper by looked up again. */
export const INDEXED_ANEW = "UPDATE saved_papers SET known = known WHERE user_id = +? AND arxiv_id = +?"

export function saved(db: Db) {
  const count = db.prepare<{ saved: number }>("SELECT saved FROM library_counts WHERE user_id = +?")
  const among = db.prepare<{ arxivId: string }>(
    "SELECT arxiv_id AS arxivId FROM saved_papers WHERE user_id = +? AND arxiv_id IN (SELECT value FROM json_each(+?))",
  )
  const insert = db.prepare(
    `INSERT INTO saved_papers (user_id, saved_at, arxiv_id, known, given)
     SELECT +?, +?, w.value ->> 'arxivId', EXISTS (SELECT 1 FROM papers WHERE arxiv_id = w.value ->> 'arxivId' AND origin = 'import'), w.value ->> 'given' FROM json_each(+?) w`,
  )
  const leaving = ["paper_tags", "saved_papers"].map((table) => db.prepare(`DELETE FROM ${table} WHERE user_id = +? AND arxiv_id = +?`))
  const finding = (order: string, isTagged: boolean, isSearched: boolean) =>
    db.prepare<{ entry: number }>(
      `SELECT s.entry FROM saved_papers s WHERE s.user_id = +?
       ${isTagged ? "AND s.arxiv_id IN (SELECT arxiv_id FROM paper_tags WHERE user_id = +? AND tag = +?)" : ""}
       ${isSearched ? "AND s.entry IN (SELECT rowid FROM library_index WHERE library_index MATCH +?)" : ""}
       ORDER BY ${order} LIMIT +? OFFSET +?`,
    )
  const finders = new Map<string, ReturnType<typeof finding>>()
  const page = db.prepare<Row>(
    `WITH ${REACHED}
     SELECT s.arxiv_id AS arxivId, s.saved_at AS savedAt, ${holders("s.arxiv_id")} AS collections,
       CASE WHEN s.known = 1 OR p.origin = 'import'
         OR EXISTS (SELECT 1 FROM collection_papers h JOIN reached r ON r.collection_id = h.collection_id WHERE h.arxiv_id = s.arxiv_id AND h.known = 1)
         THEN p.record END AS record,
       coalesce(s.given, ${GIVEN("s.arxiv_id")}) AS given, ${TAGS("s.user_id", "s.arxiv_id")} AS tags
     FROM json_each(+?) w CROSS JOIN saved_papers s ON s.entry = w.value
     LEFT JOIN papers p ON p.arxiv_id = s.arxiv_id
     ORDER BY w.key`,
  )

  /** The entries of the papers that are wanted, in their order. */
  function entries(userId: string, { sort = "saved", tag, match }: Wanted, most: number, offset: number): number[] {
    const name = `${sort} ${tag !== undefined} ${match !== undefined}`
    const find = finders.get(name) ?? finding(orders[sort], tag !== undefined, match !== undefined)
    finders.set(name, find)
    return find
      .all(userId, ...(tag === undefined ? [] : [userId, tag]), ...(match === undefined ? [] : [match]), most, offset)
      .map(({ entry }) => entry)
  }
  const rows = (scope: Scope, wanted: readonly number[]) => page.all(...values(scope), JSON.stringify(wanted))

  return {
    /** Saves what is not saved yet. @throws Refusal `limit_reached`, with nothing saved */
    save(userId: string, filed: readonly FiledPaper[], at: string): { saved: string[]; alreadySaved: string[] } {
      const there = new Set(among.all(userId, JSON.stringify(filed.map(({ arxivId }) => arxivId))).map(({ arxivId }) => arxivId))
      const fresh = filed.filter(({ arxivId }) => !there.has(arxivId))
      mustFit("savedPapers", count.get(userId)?.saved ?? 0, fresh.length)
      insert.run(userId, at, JSON.stringify(fresh))
      return {
        saved: fresh.map(({ arxivId }) => arxivId),
        alreadySaved: filed.flatMap(({ arxivId }) => (there.has(arxivId) ? [arxivId] : [])),
      }
    },
    /** How many papers a person has saved. */
    count: (userId: string): number => count.get(userId)?.saved ?? 0,
    /** Takes a paper and its tags out of the Library. Whether it was saved. */
    unsave: (userId: string, arxivId: string): boolean => leaving.map((statement) => statement.run(userId, arxivId)).at(-1) === 1,

    /** A page of the saved papers of a reader whose reach includes them: newest first, where nothing else is wanted. */
    page: (scope: Scope, wanted: Wanted, offset: number) =>
      offsetPage(
        rows(scope, entries(scope.userId, wanted, pageItems + 1, offset)).map(({ arxivId, savedAt, record, given, collections, tags }) =>
          shownPaper<SavedPaper>(arxivId, record, { savedAt, collections: new JsonText(collections), tags: new JsonText(tags) }, given),
        ),
        offset,
      ),

    /** All that are wanted, for a bibliography: which they are now, and what is said of some of them. */
    bibliography(scope: Scope, wanted: Wanted) {
      const all = entries(scope.userId, wanted, limits.savedPapers, 0)
      return {
        all,
        cited: (some: readonly number[]): Cited[] =>
          rows(scope, some).map(({ arxivId, record, given, tags }) => ({ arxivId, citationKey: null, record: record ?? given, tags })),
      }
    },
  }
}
