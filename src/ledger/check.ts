/** Proves a database whole: the file itself, the digest chain of every Room, and that no number is missing. */
import { accepted } from "./check-accepted.ts"
import type { Db } from "./database.ts"

export interface CheckReport {
  readonly rooms: number
  readonly activityEntries: number
  readonly records: number
  /** One sentence for each thing that is wrong; empty for a whole database. */
  readonly problems: readonly string[]
}

/** The file, its foreign keys, and the sequences that must have no gap. */
function structure(db: Db): string[] {
  const integrity = db
    .prepare<{ integrity_check: string }>("PRAGMA integrity_check")
    .all()
    .map((row) => row.integrity_check)
  const foreign = db.prepare<{ table: string }>("PRAGMA foreign_key_check").all()
  const gap = (what: string, sql: string) =>
    db
      .prepare<{ id: string; last: number; held: number }>(sql)
      .all()
      .map(({ id, last, held }) => `${what} ${id} should hold ${last} entries and holds ${held}.`)
  return [
    ...integrity.filter((line) => line !== "ok").map((line) => `SQLite finds: ${line}.`),
    ...foreign.map(({ table }) => `A row of ${table} refers to something that is not there.`),
    ...gap(
      "The timeline of Thread",
      `SELECT h.thread_id AS id, h.timeline_sequence AS last, count(e.sequence) AS held FROM thread_heads h
      LEFT JOIN timeline_entries e USING (thread_id) GROUP BY h.thread_id HAVING held <> last OR max(e.sequence) <> last`,
    ),
    ...gap(
      "The Threads of Room",
      `SELECT c.room_id AS id, c.last, count(t.sequence) AS held FROM counters c
      LEFT JOIN threads t USING (room_id) WHERE c.kind = 'thread' GROUP BY c.room_id HAVING held <> c.last`,
    ),
    ...gap(
      "The labels of a kind in Room",
      `SELECT c.room_id AS id, c.last, count(r.label) AS held FROM counters c
      LEFT JOIN records r ON r.room_id = c.room_id AND r.kind = c.kind WHERE c.kind IN (SELECT kind FROM records) GROUP BY c.room_id, c.kind HAVING held <> c.last`,
    ),
    ...gap(
      "The search",
      `SELECT 'index' AS id, (SELECT count(*) FROM threads) + (SELECT count(*) FROM experiments) + (SELECT count(*) FROM timeline_entries WHERE kind = 'message')
        + (SELECT count(*) FROM records r JOIN timeline_entries e ON e.entry_id = r.entry_id) AS last, (SELECT count(*) FROM search_index_docsize) AS held WHERE held <> last`,
    ),
    ...gap(
      "The papers of Collection",
      `SELECT c.collection_id AS id, c.papers AS last, (SELECT count(*) FROM collection_papers p WHERE p.collection_id = c.collection_id) AS held
      FROM collections c WHERE held <> last`,
    ),
    ...gap(
      "The notes of Collection",
      `SELECT c.collection_id AS id, c.notes AS last, (SELECT count(*) FROM notes n WHERE n.collection_id = c.collection_id) AS held
      FROM collections c WHERE held <> last`,
    ),
    ...gap(
      "The saved papers of person",
      `SELECT l.user_id AS id, l.saved AS last, (SELECT count(*) FROM saved_papers s WHERE s.user_id = l.user_id) AS held
      FROM library_counts l WHERE held <> last`,
    ),
    ...gap(
      "The unread notes of person",
      `SELECT m.user_id AS id, m.unread AS last, (SELECT count(*) FROM unread_notes u WHERE u.user_id = m.user_id AND u.collection_id = m.collection_id) AS held
      FROM collection_members m WHERE held <> last`,
    ),
  ]
}

/** Reads the whole database and reports what does not hold together. */
export function checkData(db: Db): CheckReport {
  return db.snapshot(() => {
    const { rooms, activityEntries, records, problems } = accepted(db)
    return { rooms, activityEntries, records, problems: [...structure(db), ...problems] }
  })
}
