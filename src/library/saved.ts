/** The papers that a person saved in their Library, whether or not a Collection holds them. */
import type { PaperOrder } from "../contract/schema/enumerations.ts"
import { JsonText, type Stored } from "../contract/json.ts"
import type { Holding, SavedPaper } from "../contract/library/reads.ts"
import { limits } from "../contract/limits.ts"
import type { Db } from "../ledger/storage/database.ts"
import type { Cited } from "./bibliography/file.ts"
import { NAMES } from "./papers/names.ts"
import { type FiledPaper, GIVEN, holders, type ShownPaper, shownPaper, TAGS } from "./papers/papers.ts"
import { mustFit, REACHED, type Scope, values } from "./papers/scope.ts"
import { inserting } from "../ledger/storage/inserting.ts"

/** `given` is the description sent when the paper was saved or added to a Collection in reach. */
interface Row extends ShownPaper {
  readonly savedAt: string
  readonly collections: Stored<Holding>
  readonly tags: Stored<string[]>
}

/** Selects saved papers and their order. */
export interface SavedFilter {
  readonly sort?: PaperOrder
  readonly tag?: string
  /** A full-text match expression (see `matchQuery`). */
  readonly match?: string
}

export const pageItems = limits.pageItems

/**
 * Makes a page. @param found the items from `offset` on, read with a limit of `pageItems + 1` to know whether more
 * follow
 */
export function offsetPage<Item>(found: readonly Item[], offset: number) {
  const hasMore = found.length > pageItems
  return { items: found.slice(0, pageItems), hasMore, nextOffset: hasMore ? offset + pageItems : null }
}

const orders: Readonly<Record<PaperOrder, string>> = {
  saved: "s.entry DESC",
  title: "s.title, s.entry",
  published: "s.published_at DESC, s.entry DESC",
}

/** SQL condition: the person may see the metadata that a source has for a paper they saved. */
const SHOWN = `(s.known = 1 OR p.origin = 'import'
  OR EXISTS (SELECT 1
    FROM collection_papers h
    JOIN reached r ON r.collection_id = h.collection_id
    WHERE h.paper_id IN ${NAMES("s.user_id", "s.paper_id")} AND h.known = 1))`

export function saved(db: Db) {
  const count = db.prepare<{ saved: number }>("SELECT saved FROM library_counts WHERE user_id = +?")
  const among = db.prepare<{ paperId: string }>(
    "SELECT paper_id AS paperId FROM saved_papers WHERE user_id = +? AND paper_id IN (SELECT value FROM json_each(+?))",
  )
  const insert = db.prepare(
    `INSERT INTO saved_papers (user_id, saved_at, paper_id, known, given)
     SELECT +?, +?, w.value ->> 'paperId', EXISTS (SELECT 1
       FROM papers
       WHERE paper_id = w.value ->> 'paperId' AND origin = 'import'), w.value ->> 'given' FROM json_each(+?) w`,
  )
  const remove = ["paper_tags", "saved_papers"].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE user_id = +? AND paper_id = +?`),
  )
  const prepareFind = (order: string, isTagged: boolean, isSearched: boolean) =>
    db.prepare<{ entry: number }>(
      `SELECT s.entry FROM saved_papers s WHERE s.user_id = +?
       ${isTagged ? "AND s.paper_id IN (SELECT paper_id FROM paper_tags WHERE user_id = +? AND tag = +?)" : ""}
       ${isSearched ? "AND s.entry IN (SELECT rowid FROM library_index WHERE library_index MATCH +?)" : ""}
       ORDER BY ${order} LIMIT +? OFFSET +?`,
    )
  const matches = db.prepare<{ papers: number }>(
    "SELECT count(*) AS papers FROM (SELECT 1 FROM library_index WHERE library_index MATCH +? LIMIT +?)",
  )
  const finders = new Map<string, ReturnType<typeof prepareFind>>()
  const page = db.prepare<Row>(
    `WITH ${REACHED}
     SELECT s.paper_id AS paperId, s.saved_at AS savedAt, ${holders("s.paper_id")} AS collections,
       CASE WHEN ${SHOWN} THEN p.record END AS record, CASE WHEN ${SHOWN} THEN p.same_as END AS sameAs,
       coalesce(s.given, ${GIVEN("s.paper_id")}) AS given, ${TAGS("s.user_id", "s.paper_id")} AS tags
     FROM json_each(+?) w CROSS JOIN saved_papers s ON s.entry = w.value
     LEFT JOIN papers p ON p.paper_id = s.paper_id
     ORDER BY w.key`,
  )

  /** Returns the `entry` numbers of the selected papers, in order. */
  function entries(
    userId: string,
    { sort = "saved", tag, match }: SavedFilter,
    limit: number,
    offset: number,
  ): number[] {
    const name = `${sort} ${tag !== undefined} ${match !== undefined}`
    return finders
      .getOrInsertComputed(name, () => prepareFind(orders[sort], tag !== undefined, match !== undefined))
      .all(userId, ...(tag === undefined ? [] : [userId, tag]), ...(match === undefined ? [] : [match]), limit, offset)
      .map(({ entry }) => entry)
  }
  const rows = (scope: Scope, entries: readonly number[]) => page.all(...values(scope), JSON.stringify(entries))

  return {
    /** Saves the papers that are not saved yet. @throws Refusal `limit_reached` before anything is saved */
    save(userId: string, filed: readonly FiledPaper[], at: string): { saved: string[]; alreadySaved: string[] } {
      const present = new Set(
        among.all(userId, JSON.stringify(filed.map(({ paperId }) => paperId))).map(({ paperId }) => paperId),
      )
      const added = filed.filter(({ paperId }) => !present.has(paperId))
      mustFit("savedPapers", count.get(userId)?.saved ?? 0, added.length)
      insert.run(userId, at, JSON.stringify(added))
      return {
        saved: added.map(({ paperId }) => paperId),
        alreadySaved: filed.flatMap(({ paperId }) => (present.has(paperId) ? [paperId] : [])),
      }
    },
    countMatches: (match: string, limit: number): number => matches.one(match, limit).papers,
    count: (userId: string): number => count.get(userId)?.saved ?? 0,
    /** Removes a paper and its tags from the Library. Returns whether it was saved. */
    unsave: (userId: string, paperId: string): boolean =>
      remove.map((statement) => statement.run(userId, paperId)).at(-1) === 1,

    /** Returns a page of saved papers, newest first by default. The caller has checked that the scope includes them. */
    page: (scope: Scope, filter: SavedFilter, offset: number) =>
      offsetPage(
        rows(scope, entries(scope.userId, filter, pageItems + 1, offset)).map(
          ({ savedAt, collections, tags, ...paper }) =>
            shownPaper<SavedPaper>(paper, {
              savedAt,
              collections: new JsonText(collections),
              tags: new JsonText(tags),
            }),
        ),
        offset,
      ),

    /**
     * Selects papers for a bibliography. @returns the entries of all of them, and a function that reads a batch of
     * those entries
     */
    bibliography(scope: Scope, filter: SavedFilter) {
      const all = entries(scope.userId, filter, limits.savedPapers, 0)
      return {
        all,
        read: (batch: readonly number[]): Cited[] => rows(scope, batch).map((row) => ({ ...row, citationKey: null })),
      }
    },
  }
}

// The tags that a person put on saved papers.

export function tags(db: Db) {
  const insert = inserting(db, "paper_tags", { onConflict: "DO NOTHING" })
  const remove = db.prepare("DELETE FROM paper_tags WHERE user_id = +? AND paper_id = +? AND tag = +?")
  const ofPaper = db.prepare<{ tag: string }>(
    "SELECT tag FROM paper_tags WHERE user_id = +? AND paper_id = +? ORDER BY tag",
  )
  const all = db.prepare<{ tag: string; papers: number }>(
    "SELECT tag, papers FROM tag_counts WHERE user_id = +? ORDER BY tag",
  )

  /**
   * Runs a step for each paper. @returns the papers that it changed, and those that needed no change, each in the order
   * they were sent
   */
  function forEachPaper(paperIds: readonly string[], isChanged: (paperId: string) => boolean) {
    const changed = paperIds.filter(isChanged)
    return { changed, before: paperIds.filter((paperId) => !changed.includes(paperId)) }
  }

  return {
    /** @throws Refusal `limit_reached` if the tags would exceed a limit */
    mustTake(userId: string, paperIds: readonly string[], given: readonly string[]): void {
      const known = new Set(all.all(userId).map(({ tag }) => tag))
      mustFit("tags", known.size, given.filter((tag) => !known.has(tag)).length)
      for (const paperId of paperIds) {
        const present = ofPaper.all(userId, paperId).map(({ tag }) => tag)
        mustFit("paperTags", present.length, given.filter((tag) => !present.includes(tag)).length)
      }
    },
    /** Tags papers, which must be saved already. */
    add: (userId: string, paperIds: readonly string[], given: readonly string[]) =>
      forEachPaper(paperIds, (paperId) => given.map((tag) => insert({ userId, paperId, tag })).includes(1)),
    remove: (userId: string, paperIds: readonly string[], given: readonly string[]) =>
      forEachPaper(paperIds, (paperId) => given.map((tag) => remove.run(userId, paperId, tag)).includes(1)),
    /** Returns all tags of a person by name, with the number of papers each is on. */
    all: (userId: string) => all.all(userId),
  }
}
