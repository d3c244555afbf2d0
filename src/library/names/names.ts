/**
 * Names of papers. A paper is known by its arXiv id, else by its DOI, else by what was given. Where two names turn out to be one
 * paper's, what a person has under the one is brought together under the other, and the first leads there from then on.
 */
import type { JsonObject } from "../../contract/json.ts"
import { isArxivId, isDoi } from "../../contract/schema/fields.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { joins } from "./joins.ts"

/** Two names of one paper: what is filed under `paperId` belongs under `sameAs`. */
export interface SamePaper {
  readonly paperId: string
  readonly sameAs: string
}

/** Which of two names of one paper it is filed under: its arXiv id before its DOI. Undefined where they can't be one paper's. */
export function pairOf(one: string, other: string): SamePaper | undefined {
  if (isArxivId(one) && isDoi(other)) return { paperId: other, sameAs: one }
  return isArxivId(other) && isDoi(one) ? { paperId: one, sameAs: other } : undefined
}

/** SQL for the people who have a paper within reach: saved, annotated, or in a Collection of theirs. */
const REACHING = (paper: string) => `
  SELECT user_id FROM saved_papers WHERE paper_id = ${paper} UNION SELECT user_id FROM annotations WHERE paper_id = ${paper}
  UNION SELECT user_id FROM reading_positions WHERE paper_id = ${paper}
  UNION SELECT m.user_id FROM collection_papers c JOIN collection_members m USING (collection_id) WHERE c.paper_id = ${paper}`

export type Names = ReturnType<typeof names>

export function names(db: Db) {
  const known = db.prepare<{ sameAs: string }>("SELECT same_as AS sameAs FROM same_papers WHERE user_id = +? AND paper_id = +?")
  const others = db.prepare<{ paperId: string }>("SELECT paper_id AS paperId FROM same_papers WHERE user_id = +? AND same_as = +?")
  const remember = inserting(db, "same_papers", { onConflict: "DO UPDATE SET same_as = excluded.same_as" })
  const lead = db.prepare("UPDATE same_papers SET same_as = +? WHERE user_id = +? AND same_as = +?")
  const reaches = db.prepare<{ has: number }>(
    `WITH w (paper, user) AS (VALUES (+?, +?)) SELECT EXISTS (SELECT 1 FROM (${REACHING("(SELECT paper FROM w)")}) WHERE user_id = (SELECT user FROM w)) AS has`,
  )
  const between = db.prepare<{ userId: string }>(
    `WITH w (one, other) AS (VALUES (+?, +?))
     SELECT user_id AS userId FROM (SELECT * FROM (${REACHING("(SELECT one FROM w)")}) INTERSECT SELECT * FROM (${REACHING("(SELECT other FROM w)")}))
     ORDER BY user_id`,
  )
  const held = db.prepare<{ collectionId: string }>(
    `SELECT c.collection_id AS collectionId FROM collection_papers c JOIN collection_papers d USING (collection_id)
     WHERE c.paper_id = +? AND d.paper_id = +? ORDER BY c.collection_id`,
  )
  const reportedPairs = db.prepare<SamePaper & { said: string }>(
    `WITH w (paper_id, user_id) AS (SELECT value, +? FROM json_each(+?))
     SELECT w.paper_id AS paperId, p.same_as AS sameAs, p.record AS said FROM w JOIN papers p USING (paper_id) WHERE p.same_as IS NOT NULL AND p.origin = 'import'
     UNION ALL
     SELECT w.paper_id, p.paper_id, p.record FROM w JOIN papers p ON p.same_as = w.paper_id
     WHERE p.origin = 'import' OR EXISTS (SELECT 1 FROM saved_papers s WHERE s.user_id = w.user_id AND s.paper_id = p.paper_id AND s.known = 1)
       OR EXISTS (SELECT 1 FROM collection_papers c JOIN collection_members m USING (collection_id) WHERE c.paper_id = p.paper_id AND c.known = 1 AND m.user_id = w.user_id)`,
  )
  const { move, moveInCollection } = joins(db)

  const names = {
    /** What a person knows a paper by, whichever of its names is given. */
    of: (userId: string, paperId: string): string => known.get(userId, paperId)?.sameAs ?? paperId,
    /** Every name under which a person knows a paper, the one it is filed under first. */
    all: (userId: string, paperId: string): string[] => [paperId, ...others.all(userId, paperId).map((other) => other.paperId)],
    /** Whether a person has a paper within reach: saved, annotated, or in a Collection of theirs. */
    reaches: (userId: string, paperId: string): boolean => reaches.one(paperId, userId).has === 1,

    /** Brings together what a person has under two names of one paper. */
    join(userId: string, { paperId, sameAs }: SamePaper, given: JsonObject | null): void {
      if (paperId === sameAs || names.of(userId, sameAs) === paperId) return
      lead.run(sameAs, userId, paperId)
      remember({ userId, paperId, sameAs })
      move(userId, paperId, sameAs, given)
    },
    /** The same for everybody who has the paper under both names within reach, and in the Collections that hold both. */
    joinEverywhere(pair: SamePaper, given: JsonObject | null): void {
      for (const { collectionId } of held.all(pair.paperId, pair.sameAs)) moveInCollection(collectionId, pair.paperId, pair.sameAs, given)
      for (const { userId } of between.all(pair.paperId, pair.sameAs)) names.join(userId, pair, given)
    },
    /** Whether `joinEverywhere` would find anything. */
    isDue: ({ paperId, sameAs }: SamePaper): boolean =>
      held.get(paperId, sameAs) !== undefined || between.all(paperId, sameAs).some(({ userId }) => names.of(userId, paperId) === paperId),

    /** What sources that a person may know say of the names of some papers. */
    reportedPairs: (userId: string, paperIds: readonly string[]) => reportedPairs.all(userId, JSON.stringify(paperIds)),
  }
  return names
}
