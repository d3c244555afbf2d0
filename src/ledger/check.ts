/** Proves a database whole: the file itself, the digest chain of every Room, and that no number is missing. */
import type { ActivityEntry } from "../contract/answers.ts"
import { entryDigest, firstPreviousDigest } from "../contract/chain.ts"
import { digestOf } from "../contract/json.ts"
import type { Db } from "./database.ts"

export interface CheckReport {
  readonly rooms: number
  readonly activityEntries: number
  readonly records: number
  /** One sentence for each thing that is wrong; empty for a whole database. */
  readonly problems: readonly string[]
}

/** How many rows are held in memory at once. */
const STEP = 1_000

/** The file, its foreign keys, and the sequences that must have no gap. */
function structure(db: Db): string[] {
  const integrity = db.prepare<{ integrity_check: string }>("PRAGMA integrity_check").all().map((row) => row.integrity_check)
  const foreign = db.prepare<{ table: string }>("PRAGMA foreign_key_check").all()
  const gap = (what: string, sql: string) =>
    db.prepare<{ id: string; last: number; held: number }>(sql).all().map(({ id, last, held }) => `${what} ${id} should hold ${last} entries and holds ${held}.`)
  return [
    ...integrity.filter((line) => line !== "ok").map((line) => `SQLite finds: ${line}.`),
    ...foreign.map(({ table }) => `A row of ${table} refers to something that is not there.`),
    ...gap("The timeline of Thread", `SELECT h.thread_id AS id, h.timeline_sequence AS last, count(e.sequence) AS held FROM thread_heads h
      LEFT JOIN timeline_entries e USING (thread_id) GROUP BY h.thread_id HAVING held <> last OR max(e.sequence) <> last`),
    ...gap("The Threads of Room", `SELECT c.room_id AS id, c.last, count(t.sequence) AS held FROM counters c
      LEFT JOIN threads t USING (room_id) WHERE c.kind = 'thread' GROUP BY c.room_id HAVING held <> c.last`),
    ...gap("The labels of a kind in Room", `SELECT c.room_id AS id, c.last, count(r.label) AS held FROM counters c
      LEFT JOIN records r ON r.room_id = c.room_id AND r.kind = c.kind WHERE c.kind IN (SELECT kind FROM records) GROUP BY c.room_id, c.kind HAVING held <> c.last`),
    ...gap("The papers of Collection", `SELECT c.collection_id AS id, c.papers AS last, (SELECT count(*) FROM collection_papers p WHERE p.collection_id = c.collection_id) AS held
      FROM collections c WHERE held <> last`),
    ...gap("The notes of Collection", `SELECT c.collection_id AS id, c.notes AS last, (SELECT count(*) FROM notes n WHERE n.collection_id = c.collection_id) AS held
      FROM collections c WHERE held <> last`),
    ...gap("The saved papers of person", `SELECT l.user_id AS id, l.saved AS last, (SELECT count(*) FROM saved_papers s WHERE s.user_id = l.user_id) AS held
      FROM library_counts l WHERE held <> last`),
    ...gap("The unread notes of person", `SELECT m.user_id AS id, m.unread AS last, (SELECT count(*) FROM unread_notes u WHERE u.user_id = m.user_id AND u.collection_id = m.collection_id) AS held
      FROM collection_members m WHERE held <> last`),
  ]
}

/** Verifies one Room's chain from its first entry to its head. */
function chain(db: Db, roomId: string, head: { sequence: number; digest: string }): { entries: number; problems: string[] } {
  const page = db.prepare<{ sequence: number; body: string }>(
    `SELECT sequence, body FROM activity_entries WHERE room_id = ? AND sequence > ? ORDER BY sequence LIMIT ${STEP}`,
  )
  let previous = firstPreviousDigest
  let entries = 0
  for (let rows = page.all(roomId, 0); rows.length > 0; rows = page.all(roomId, entries)) {
    for (const { sequence, body } of rows) {
      const entry = JSON.parse(body) as ActivityEntry
      entries += 1
      if (sequence !== entries || entry.sequence !== entries || entry.previousDigest !== previous || entryDigest(entry) !== entry.digest) {
        return { entries, problems: [`The activity of Room ${roomId} does not hold together at entry ${entries}.`] }
      }
      previous = entry.digest
    }
  }
  const whole = entries === head.sequence && previous === head.digest
  return { entries, problems: whole ? [] : [`The activity of Room ${roomId} ends at entry ${entries}; its head says ${head.sequence}.`] }
}

/** Verifies that every record's content has the digest it was accepted with. */
function contents(db: Db): { records: number; problems: string[] } {
  const page = db.prepare<{ version_id: string; label: string; content: string; content_digest: string }>(
    `SELECT version_id, label, content, content_digest FROM records WHERE version_id > ? ORDER BY version_id LIMIT ${STEP}`,
  )
  const problems: string[] = []
  let records = 0
  for (let rows = page.all(""); rows.length > 0; rows = page.all(rows.at(-1)?.version_id ?? "")) {
    records += rows.length
    for (const row of rows) if (digestOf(row.content) !== row.content_digest) problems.push(`The content of record ${row.label} (${row.version_id}) is not what was accepted.`)
  }
  return { records, problems }
}

/** Reads the whole database and reports what does not hold together. */
export function checkData(db: Db): CheckReport {
  return db.snapshot(() => {
    const heads = db.prepare<{ room_id: string; activity_sequence: number; activity_digest: string }>("SELECT * FROM room_heads ORDER BY room_id").all()
    const chains = heads.map((head) => chain(db, head.room_id, { sequence: head.activity_sequence, digest: head.activity_digest }))
    const { records, problems } = contents(db)
    return {
      rooms: heads.length,
      activityEntries: chains.reduce((sum, { entries }) => sum + entries, 0),
      records,
      problems: [...structure(db), ...chains.flatMap((checked) => checked.problems), ...problems],
    }
  })
}
