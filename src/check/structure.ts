/** The file, its foreign keys, and the numbers that must have no gap. */
import { objectList } from "../contract/objects.ts"
import type { Db } from "../ledger/database.ts"

/** No more faults of one sort are read. */
const MOST = 1_001

/** Everything that bears a label, by its Room and kind. */
const LABELLED = [...new Map(objectList.filter(({ label }) => label !== null).map((spec) => [spec.table, spec])).values()]
  .map(({ table, room, kindIn, kind }) => `SELECT ${room} AS room_id, ${kindIn ?? `'${kind}'`} AS kind, label FROM ${table}`)
  .join(" UNION ALL ")

/** What SQLite itself finds, and what refers to something that is not there. */
export function fileItself(db: Db, add: (problem: string) => void): void {
  // It ends after a hundred faults by itself.
  for (const { integrity_check: line } of db.prepare<{ integrity_check: string }>("PRAGMA integrity_check").all())
    if (line !== "ok") add(`SQLite finds: ${line}.`)
  const foreign = db.prepare<{ table: string; rows: number }>(
    'SELECT "table", count(*) AS rows FROM pragma_foreign_key_check GROUP BY "table"',
  )
  for (const { table, rows } of foreign.all())
    add(
      rows === 1
        ? `A row of ${table} refers to something that is not there.`
        : `${rows} rows of ${table} refer to something that is not there.`,
    )
}

/** Sequences and counts that are kept as things are written, beside what there is. */
export function sequences(db: Db, add: (problem: string) => void): void {
  const gap = (what: string, sql: string) => {
    for (const { id, last, held } of db.prepare<{ id: string; last: number; held: number }>(`${sql} LIMIT ${MOST}`).all())
      add(`${what} ${id} should hold ${last} entries and holds ${held}.`)
  }
  gap(
    "The timeline of Thread",
    `SELECT h.thread_id AS id, h.timeline_sequence AS last, count(e.sequence) AS held FROM thread_heads h
    LEFT JOIN timeline_entries e USING (thread_id) GROUP BY h.thread_id HAVING held <> last OR max(e.sequence) <> last`,
  )
  gap(
    "The Threads of Room",
    `SELECT c.room_id AS id, c.last, count(t.sequence) AS held FROM counters c
    LEFT JOIN threads t USING (room_id) WHERE c.kind = 'thread' GROUP BY c.room_id HAVING held <> c.last`,
  )
  gap(
    "The labels of a kind in Room",
    `SELECT c.room_id AS id, c.last, coalesce(r.held, 0) AS held FROM counters c
    LEFT JOIN (SELECT room_id, kind, count(*) AS held FROM (${LABELLED}) GROUP BY room_id, kind) r ON r.room_id = c.room_id AND r.kind = c.kind
    WHERE c.kind <> 'thread' AND coalesce(r.held, 0) <> c.last`,
  )
  gap(
    "The search",
    `SELECT 'index' AS id, (SELECT count(*) FROM threads) + (SELECT count(*) FROM experiments) + (SELECT count(*) FROM timeline_entries WHERE kind = 'message')
      + (SELECT count(*) FROM plans) + (SELECT count(*) FROM attempts) + (SELECT count(*) FROM materials) + (SELECT count(*) FROM finding_links)
      + (SELECT count(*) FROM research_links) + (SELECT count(*) FROM checkpoints) + (SELECT count(*) FROM search_items WHERE part IS NOT NULL)
      + (SELECT count(*) FROM records r JOIN timeline_entries e ON e.entry_id = r.entry_id) AS last, (SELECT count(*) FROM search_index_docsize) AS held WHERE held <> last`,
  )
  gap(
    "The papers of Collection",
    `SELECT c.collection_id AS id, c.papers AS last, (SELECT count(*) FROM collection_papers p WHERE p.collection_id = c.collection_id) AS held
    FROM collections c WHERE held <> last`,
  )
  gap(
    "The notes of Collection",
    `SELECT c.collection_id AS id, c.notes AS last, (SELECT count(*) FROM notes n WHERE n.collection_id = c.collection_id) AS held
    FROM collections c WHERE held <> last`,
  )
  gap(
    "The saved papers of person",
    `SELECT l.user_id AS id, l.saved AS last, (SELECT count(*) FROM saved_papers s WHERE s.user_id = l.user_id) AS held
    FROM library_counts l WHERE held <> last`,
  )
  gap(
    "The unread notes of person",
    `SELECT m.user_id AS id, m.unread AS last, (SELECT count(*) FROM unread_notes u WHERE u.user_id = m.user_id AND u.collection_id = m.collection_id) AS held
    FROM collection_members m WHERE held <> last`,
  )
  gap(
    "The attempts of experiment",
    `SELECT c.experiment_id || ' that are ' || c.status AS id, c.attempts AS last,
      (SELECT count(*) FROM attempts a WHERE a.experiment_id = c.experiment_id AND a.status = c.status) AS held FROM attempt_counts c WHERE held <> last`,
  )
  gap(
    "The replies to",
    `SELECT e.entry_id AS id, e.reply_count AS last, (SELECT count(*) FROM timeline_entries r WHERE r.reply_to_entry_id = e.entry_id) AS held
    FROM timeline_entries e WHERE held <> last`,
  )
}
