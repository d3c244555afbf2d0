/**
 * The ids that people know papers by. A paper is filed under its arXiv id, else its DOI, else its ISBN, else an id
 * derived from its description. If two ids turn out to belong to one paper, what a person has under one moves to the
 * other, and the first becomes an alias.
 */
import { canonicalJson, type JsonObject } from "../../contract/json.ts"
import { isArxivId, isDoi } from "../../contract/schema/fields.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"

/** A subquery of every id under which a person knows a paper. */
export const NAMES = (user: string, paper: string): string =>
  `(SELECT ${paper} UNION ALL SELECT m.paper_id FROM same_papers m WHERE m.user_id = ${user} AND m.same_as = ${paper})`

/**
 * Rebuilds the search index entry of one person's paper: the update changes nothing, but fires the trigger that does
 * so.
 */
export const REINDEX = `UPDATE saved_papers
  SET known = known
  WHERE (user_id, paper_id) IN (SELECT w.user_id, coalesce(m.same_as, w.paper_id)
  FROM (SELECT +? AS user_id, +? AS paper_id) w
  LEFT JOIN same_papers m ON m.user_id = w.user_id AND m.paper_id = w.paper_id)`

/** Two ids of one paper: `paperId` is an alias of `sameAs`. */
export interface SamePaper {
  readonly paperId: string
  readonly sameAs: string
}

/** Makes the DOI an alias of the arXiv id; undefined unless the two are one of each. */
export function pairOf(one: string, other: string): SamePaper | undefined {
  if (isArxivId(one) && isDoi(other)) return { paperId: other, sameAs: one }
  return isArxivId(other) && isDoi(one) ? { paperId: one, sameAs: other } : undefined
}

/** SQL for the people who saved or annotated a paper, or whose Collections hold it. */
const REACHING = (paper: string) => `
  SELECT user_id
  FROM saved_papers
  WHERE paper_id = ${paper}
  UNION SELECT user_id
  FROM annotations
  WHERE paper_id = ${paper}
  UNION SELECT user_id FROM reading_positions WHERE paper_id = ${paper}
  UNION SELECT m.user_id
  FROM collection_papers c
  JOIN collection_members m USING (collection_id)
  WHERE c.paper_id = ${paper}`

export type Names = ReturnType<typeof names>

export function names(db: Db) {
  const canonical = db.prepare<{ sameAs: string }>(
    "SELECT same_as AS sameAs FROM same_papers WHERE user_id = +? AND paper_id = +?",
  )
  const aliases = db.prepare<{ paperId: string }>(
    "SELECT paper_id AS paperId FROM same_papers WHERE user_id = +? AND same_as = +?",
  )
  const insertAlias = inserting(db, "same_papers", { onConflict: "DO UPDATE SET same_as = excluded.same_as" })
  const repointAliases = db.prepare("UPDATE same_papers SET same_as = +? WHERE user_id = +? AND same_as = +?")
  const reaches = db.prepare<{ has: number }>(
    `WITH w (paper, user) AS (VALUES (+?, +?))
      SELECT EXISTS (SELECT 1 FROM (${REACHING("(SELECT paper FROM w)")}) WHERE user_id = (SELECT user FROM w)) AS has`,
  )
  const peopleWithBoth = db.prepare<{ userId: string }>(
    `WITH w (one, other) AS (VALUES (+?, +?))
     SELECT user_id AS userId FROM (SELECT *
       FROM (${REACHING("(SELECT one FROM w)")})
       INTERSECT SELECT *
       FROM (${REACHING("(SELECT other FROM w)")}))
     ORDER BY user_id`,
  )
  const collectionsWithBoth = db.prepare<{ collectionId: string }>(
    `SELECT c.collection_id AS collectionId FROM collection_papers c JOIN collection_papers d USING (collection_id)
     WHERE c.paper_id = +? AND d.paper_id = +? ORDER BY c.collection_id`,
  )
  const reportedPairs = db.prepare<SamePaper & { record: string }>(
    `WITH w (paper_id, user_id) AS (SELECT value, +? FROM json_each(+?))
     SELECT w.paper_id AS paperId, p.same_as AS sameAs, p.record
      FROM w
      JOIN papers p USING (paper_id)
      WHERE p.same_as IS NOT NULL AND p.origin = 'import'
     UNION ALL
     SELECT w.paper_id, p.paper_id, p.record FROM w JOIN papers p ON p.same_as = w.paper_id
     WHERE p.origin = 'import' OR EXISTS (SELECT 1
       FROM saved_papers s
       WHERE s.user_id = w.user_id AND s.paper_id = p.paper_id AND s.known = 1)
       OR EXISTS (SELECT 1
         FROM collection_papers c
         JOIN collection_members m USING (collection_id)
         WHERE c.paper_id = p.paper_id AND c.known = 1 AND m.user_id = w.user_id)`,
  )
  const { move, moveInCollection } = joins(db)

  const names = {
    /** Returns the id that a person's paper is filed under. */
    of: (userId: string, paperId: string): string => canonical.get(userId, paperId)?.sameAs ?? paperId,
    /** Returns the id that a paper is filed under, followed by its aliases. */
    all: (userId: string, paperId: string): string[] => [
      paperId,
      ...aliases.all(userId, paperId).map((alias) => alias.paperId),
    ],
    /** Whether a person saved or annotated a paper, or one of their Collections holds it. */
    reaches: (userId: string, paperId: string): boolean => reaches.one(paperId, userId).has === 1,

    /**
     * Merges everything a person has under two ids of one paper. @param given a description used if the person has none
     */
    join(userId: string, { paperId, sameAs }: SamePaper, given: JsonObject | null): void {
      if (paperId === sameAs || names.of(userId, sameAs) === paperId) return
      repointAliases.run(sameAs, userId, paperId)
      insertAlias({ userId, paperId, sameAs })
      move(userId, paperId, sameAs, given)
    },
    /** Does the same for every person who has both ids, and in every Collection that holds both. */
    joinEverywhere(pair: SamePaper, given: JsonObject | null): void {
      for (const { collectionId } of collectionsWithBoth.all(pair.paperId, pair.sameAs))
        moveInCollection(collectionId, pair.paperId, pair.sameAs, given)
      for (const { userId } of peopleWithBoth.all(pair.paperId, pair.sameAs)) names.join(userId, pair, given)
    },
    /** Whether `joinEverywhere` would change anything. */
    isDue: ({ paperId, sameAs }: SamePaper): boolean =>
      collectionsWithBoth.get(paperId, sameAs) !== undefined ||
      peopleWithBoth.all(paperId, sameAs).some(({ userId }) => names.of(userId, paperId) === paperId),

    /**
     * Returns the pairs of ids, and the records, that sources report for the given papers, as far as the person may see
     * those records.
     */
    reportedPairs: (userId: string, paperIds: readonly string[]) => reportedPairs.all(userId, JSON.stringify(paperIds)),
  }
  return names
}

/** A description as the journal stores it. */
const givenText = (given: JsonObject | null): string | null => (given === null ? null : canonicalJson(given))

/** Moves rows from one id of a paper to another. If both ids have rows, they are merged, so nothing is lost. */
function joins(db: Db) {
  const savedAs = db.prepare<{ entry: number; savedAt: string; given: string | null }>(
    "SELECT entry, saved_at AS savedAt, given FROM saved_papers WHERE user_id = +? AND paper_id = +?",
  )
  const tagsOf = db.prepare<{ tag: string }>("SELECT tag FROM paper_tags WHERE user_id = +? AND paper_id = +?")
  const untag = db.prepare("DELETE FROM paper_tags WHERE user_id = +? AND paper_id = +?")
  const tag = db.prepare("INSERT INTO paper_tags (user_id, paper_id, tag) VALUES (+?, +?, +?) ON CONFLICT DO NOTHING")
  const rename = db.prepare(
    "UPDATE saved_papers SET paper_id = +?, known = 0, given = coalesce(given, +?) WHERE entry = +?",
  )
  const merge = db.prepare(
    "UPDATE saved_papers SET saved_at = min(saved_at, +?), given = coalesce(given, +?) WHERE entry = +?",
  )
  const unsave = db.prepare("DELETE FROM saved_papers WHERE entry = +?")
  const reindex = db.prepare(REINDEX)
  const moveAnnotations = [
    `INSERT INTO annotations (paper_id, user_id, revision, notes, updated_at)
     SELECT +?, user_id, revision, notes, updated_at FROM annotations WHERE user_id = +? AND paper_id = +?
     ON CONFLICT DO UPDATE SET revision = max(revision, excluded.revision) + 1,
        updated_at = max(updated_at, excluded.updated_at),
       notes = notes || iif(notes = '' OR excluded.notes = '', '', char(10, 10)) || excluded.notes`,
    "UPDATE highlights SET paper_id = +? WHERE user_id = +? AND paper_id = +?",
    `INSERT INTO reading_positions (paper_id, user_id, page, pages, thousandths, set_at)
     SELECT +?, user_id, page, pages, thousandths, set_at FROM reading_positions WHERE user_id = +? AND paper_id = +?
     ON CONFLICT DO UPDATE SET page = excluded.page, pages = coalesce(excluded.pages, pages),
        thousandths = excluded.thousandths, set_at = excluded.set_at
       WHERE excluded.set_at > set_at`,
  ].map((sql) => db.prepare(sql))
  const clear = ["annotations", "reading_positions"].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE user_id = +? AND paper_id = +?`),
  )
  const moveNotes = ["notes", "unread_notes"].map((table) =>
    db.prepare(`UPDATE ${table} SET paper_id = +? WHERE collection_id = +? AND paper_id = +?`),
  )
  const remove = db.prepare<{ given: string | null; key: string | null; notes: number }>(
    `DELETE FROM collection_papers
      WHERE collection_id = +? AND paper_id = +?
      RETURNING given, citation_key AS key, notes`,
  )
  const keep = db.prepare(
    `UPDATE collection_papers SET given = coalesce(given, +?, +?), citation_key = coalesce(citation_key, +?),
        notes = notes + +? WHERE collection_id = +? AND paper_id = +?`,
  )

  return {
    /** Moves everything private to a person: the saved paper, its tags and annotations, and the reading position. */
    move(userId: string, from: string, to: string, given: JsonObject | null): void {
      const text = givenText(given)
      const [moved, kept] = [savedAs.get(userId, from), savedAs.get(userId, to)]
      if (moved !== undefined) {
        const tags = tagsOf.all(userId, from)
        untag.run(userId, from)
        if (kept === undefined) rename.run(to, text, moved.entry)
        else {
          merge.run(moved.savedAt, moved.given ?? text, kept.entry)
          unsave.run(moved.entry)
        }
        for (const each of tags) tag.run(userId, to, each.tag)
      }
      for (const statement of moveAnnotations) statement.run(to, userId, from)
      for (const statement of clear) statement.run(userId, from)
      reindex.run(userId, to)
    },
    /** Merges the two ids in a Collection that holds both, with their notes, for all of its members. */
    moveInCollection(collectionId: string, from: string, to: string, given: JsonObject | null): void {
      for (const statement of moveNotes) statement.run(to, collectionId, from)
      const removed = remove.one(collectionId, from)
      keep.run(removed.given, givenText(given), removed.key, removed.notes, collectionId, to)
    },
  }
}
