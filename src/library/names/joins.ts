/** Moves rows from one id of a paper to another. If both ids have rows, they are merged, so nothing is lost. */
import { canonicalJson, type JsonObject } from "../../contract/json.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { REINDEX } from "./named.ts"

/** The JSON as the journal stores it. */
const givenText = (given: JsonObject | null): string | null => (given === null ? null : canonicalJson(given))

export function joins(db: Db) {
  const savedAs = db.prepare<{ entry: number; savedAt: string; given: string | null }>(
    "SELECT entry, saved_at AS savedAt, given FROM saved_papers WHERE user_id = +? AND paper_id = +?",
  )
  const tagsOf = db.prepare<{ tag: string }>("SELECT tag FROM paper_tags WHERE user_id = +? AND paper_id = +?")
  const untag = db.prepare("DELETE FROM paper_tags WHERE user_id = +? AND paper_id = +?")
  const tag = db.prepare("INSERT INTO paper_tags (user_id, paper_id, tag) VALUES (+?, +?, +?) ON CONFLICT DO NOTHING")
  const rename = db.prepare("UPDATE saved_papers SET paper_id = +?, known = 0, given = coalesce(given, +?) WHERE entry = +?")
  const merge = db.prepare("UPDATE saved_papers SET saved_at = min(saved_at, +?), given = coalesce(given, +?) WHERE entry = +?")
  const unsave = db.prepare("DELETE FROM saved_papers WHERE entry = +?")
  const reindex = db.prepare(REINDEX)
  const moveAnnotations = [
    `INSERT INTO annotations (paper_id, user_id, revision, notes, updated_at)
     SELECT +?, user_id, revision, notes, updated_at FROM annotations WHERE user_id = +? AND paper_id = +?
     ON CONFLICT DO UPDATE SET revision = max(revision, excluded.revision) + 1, updated_at = max(updated_at, excluded.updated_at),
       notes = notes || iif(notes = '' OR excluded.notes = '', '', char(10, 10)) || excluded.notes`,
    "UPDATE highlights SET paper_id = +? WHERE user_id = +? AND paper_id = +?",
    `INSERT INTO reading_positions (paper_id, user_id, page, pages, thousandths, set_at)
     SELECT +?, user_id, page, pages, thousandths, set_at FROM reading_positions WHERE user_id = +? AND paper_id = +?
     ON CONFLICT DO UPDATE SET page = excluded.page, pages = coalesce(excluded.pages, pages), thousandths = excluded.thousandths, set_at = excluded.set_at
       WHERE excluded.set_at > set_at`,
  ].map((sql) => db.prepare(sql))
  const clear = ["annotations", "reading_positions"].map((table) => db.prepare(`DELETE FROM ${table} WHERE user_id = +? AND paper_id = +?`))
  const moveNotes = ["notes", "unread_notes"].map((table) =>
    db.prepare(`UPDATE ${table} SET paper_id = +? WHERE collection_id = +? AND paper_id = +?`),
  )
  const remove = db.prepare<{ given: string | null; key: string | null; notes: number }>(
    "DELETE FROM collection_papers WHERE collection_id = +? AND paper_id = +? RETURNING given, citation_key AS key, notes",
  )
  const keep = db.prepare(
    "UPDATE collection_papers SET given = coalesce(given, +?, +?), citation_key = coalesce(citation_key, +?), notes = notes + +? WHERE collection_id = +? AND paper_id = +?",
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
