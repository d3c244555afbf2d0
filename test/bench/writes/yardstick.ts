/**
 * The baseline of writes: the statements of a post_message at commit c6f7581 and nothing else, whatever the service
 * runs today. Its receipt, timeline entry, activity entry, journal row, both heads and the word index are written in
 * one transaction at FULL. The schema and the few rows that the statements need are in c6f7581.sql.gz.
 */
import { createHash, randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import Database from "better-sqlite3"
import { v7 } from "uuid"
import { messageText } from "./recipes/discussion.ts"

type Value = string | number | null | Buffer
type Call = readonly [statement: Database.Statement<Value[]>, how: "get" | "all" | "run", ...values: Value[]]

const [roomId, threadId] = ["01a1cb61-55eb-74fa-aaf0-68dd8c437e7d", "01a1cb61-55eb-74fa-aaf0-6c87631eec8c"]
const [userId, sender] = ["01a1cb5a-ed4b-700f-87c4-d0584f61f97b", "01a1e15f-d42b-7638-a2d6-84e94c1e0838"]
const token = "4699761bfaee430fe11c52ce3a09eee192490e324a81f14a6b653ffd8bb99c2d"
const operation = "post_message"

/** `+?`: the service wrote each parameter this way then, which keeps SQLite from planning a statement again. */
const sql = {
  credential: `SELECT c.credential_id AS credentialId, c.room_id AS roomId, c.user_id AS userId, p.username, c.label,
      c.permissions, c.thread_ids AS threadIds, c.token_start AS tokenStart,
    c.created_at AS createdAt, c.expires_at AS expiresAt, c.revoked_at AS revokedAt, c.last_used_at AS lastUsedAt
    FROM credentials c JOIN people p USING (user_id) WHERE c.token_digest = +?`,
  begin: "BEGIN IMMEDIATE",
  changes: "SELECT total_changes() AS changes",
  confirm: "SELECT expires_at AS expiresAt, revoked_at AS revokedAt FROM credentials WHERE credential_id = +?",
  person: `SELECT p.user_id AS userId, p.username, p.is_operator AS isOperator, p.disabled_at AS disabledAt
    FROM people p
    WHERE user_id = +? AND instance_id IS NULL`,
  retry: `SELECT delivery_id, history_position, request_digest, body
    FROM receipts
    WHERE user_id = +? AND operation = +? AND delivery_id = +? AND sender = +?`,
  thread: "SELECT room_id AS roomId FROM threads WHERE thread_id = +?",
  room: `SELECT r.room_id AS roomId, r.title, r.state, r.archived_at AS archivedAt, r.archived_by AS archivedBy,
      a.username AS archiver, r.archive_reason AS reason,
      (SELECT json_object('instanceId', i.instance_id, 'baseUrl', i.base_url, 'throughSequence',
        coalesce(h.activity_sequence, 0), 'importedAt', i.imported_at,
      'mirror', json((SELECT json_object('originSequence', f.origin_sequence, 'behind',
        max(0, f.origin_sequence - coalesce(h.activity_sequence, 0)), 'heardAt', f.heard_at, 'stopped', f.stopped)
        FROM mirrors f WHERE f.room_id = i.room_id)))
    FROM imported_rooms i WHERE i.room_id = r.room_id AND i.adopted_at IS NULL) AS origin, m.role FROM rooms r
    LEFT JOIN room_heads h ON h.room_id = r.room_id
    LEFT JOIN people a ON a.user_id = r.archived_by
    LEFT JOIN members m ON m.room_id = r.room_id AND m.user_id = +?
    WHERE r.room_id = +?`,
  last: "SELECT position, digest FROM history ORDER BY position DESC LIMIT 1",
  threadHead: `INSERT INTO thread_heads (thread_id, timeline_sequence, last_activity_at) VALUES (+?, 1, +?)
    ON CONFLICT DO UPDATE SET timeline_sequence = timeline_sequence + 1, last_activity_at = excluded.last_activity_at
    RETURNING timeline_sequence`,
  timeline: `INSERT INTO timeline_entries (entry_id, thread_id, sequence, kind, author_id, reply_to_entry_id,
    version_id, history_position, body) VALUES (+?, +?, +?, +?, +?, +?, +?, +?, +?)`,
  head: "SELECT activity_sequence AS sequence, activity_digest AS digest FROM room_heads WHERE room_id = +?",
  activity:
    "INSERT INTO activity_entries (room_id, sequence, kind, history_position, body) VALUES (+?, +?, +?, +?, +?)",
  roomHead: `INSERT INTO room_heads (room_id, activity_sequence, activity_digest, last_activity_at, accepted_bytes)
    VALUES (+?, +?, +?, +?, +?)
    ON CONFLICT DO UPDATE SET activity_sequence = excluded.activity_sequence,
      activity_digest = excluded.activity_digest,
      last_activity_at = excluded.last_activity_at, accepted_bytes = accepted_bytes + excluded.accepted_bytes`,
  receipt: `INSERT INTO receipts (user_id, operation, delivery_id, sender, history_position, request_digest, body)
    VALUES (+?, +?, +?, +?, +?, +?, +?)`,
  history: `INSERT INTO history (position, operation, user_id, username, sender, at, params, content, client, given,
    digest)
    VALUES (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?)`,
  used: `UPDATE credentials
    SET last_used_at = +?
    WHERE credential_id = +? AND (last_used_at IS NULL OR last_used_at < +?)`,
  concepts: `INSERT INTO concept_trigrams (rowid, text)
    SELECT i.item, group_concat(concat_ws(char(10), d.key, d.label, d.definition), char(10))
    FROM search_items i
    CROSS JOIN concepts d ON d.version_id = i.id
    WHERE i.item > (SELECT coalesce(max(id), 0) FROM search_index_docsize) GROUP BY i.item`,
  texts: `SELECT item, label, title, body, tags
    FROM search_texts
    WHERE item > (SELECT coalesce(max(id), 0) FROM search_index_docsize)
    ORDER BY item
    LIMIT 500`,
  word: "INSERT INTO search_index (rowid, body, label, title, tags) VALUES (+?, +?, +?, +?, +?)",
  changed: "SELECT item, label, title, body, tags FROM search_texts WHERE item IN (SELECT item FROM search_changes)",
  flush: "INSERT INTO search_index (search_index) VALUES ('flush')",
  commit: "COMMIT",
}

/** A new file with the schema and the pragmas of that commit, with its durability: FULL. */
function opened(file: string): Database.Database {
  const db = new Database(file)
  db.exec(gunzipSync(readFileSync(join(import.meta.dirname, "c6f7581.sql.gz"))).toString("utf8"))
  for (const pragma of ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "recursive_triggers = ON"])
    db.pragma(pragma)
  for (const pragma of ["journal_size_limit = 67108864", "wal_autocheckpoint = 4000", "temp_store = MEMORY"])
    db.pragma(pragma)
  return db
}

/** Every call for this many messages, with its values: preparing them is not part of the measurement. */
function callsOf(db: Database.Database, groups: number, size: number): Call[][] {
  const made = Object.fromEntries(Object.entries(sql).map(([name, text]) => [name, db.prepare<Value[]>(text)]))
  const call = (name: keyof typeof sql, how: "get" | "all" | "run", ...values: Value[]): Call => {
    const statement = made[name]
    if (statement === undefined) throw new Error(name)
    return [statement, how, ...values]
  }
  const start =
    db.prepare<[], { position: number }>("SELECT max(position) AS position FROM history").get()?.position ?? 0
  const thread = db.prepare<[], { at: number }>("SELECT timeline_sequence AS at FROM thread_heads").get()?.at ?? 0
  const room = db
    .prepare<[], { at: number; digest: string }>(
      "SELECT activity_sequence AS at, activity_digest AS digest FROM room_heads",
    )
    .get()
  let before = room?.digest ?? ""
  const message = (index: number): { write: Call[]; word: Call } => {
    const [entryId, deliveryId, at] = [v7(), randomUUID(), new Date().toISOString()]
    const [position, sequence, entry] = [start + index, thread + index, (room?.at ?? 0) + index]
    const content = JSON.stringify({ clientMessageId: deliveryId, schemaVersion: 3, text: messageText })
    const digestOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`
    const author = { userId, username: "grace" }
    const target = { id: entryId, kind: "message", label: null }
    const told = {
      actor: author,
      at,
      contentDigest: digestOf(content),
      entryId,
      kind: operation,
      operation,
      previousDigest: before,
    }
    before = digestOf(JSON.stringify({ ...told, sequence: entry, target, threadId }))
    const activity = JSON.stringify({ ...told, sequence: entry, target, threadId, digest: before })
    const shown = {
      entryId,
      threadId,
      sequence,
      kind: "message",
      at,
      author,
      replyToEntryId: null,
      message: { clientMessageId: deliveryId },
    }
    const receipt = JSON.stringify({
      ...{
        roomId,
        threadId,
        target,
        targetId: entryId,
        result: { messageId: entryId, label: null },
        entry: { entryId, sequence },
      },
      activity: { sequence: entry, digest: before },
    })
    const write = [
      call("changes", "get"),
      call("confirm", "get", sender),
      call("person", "get", userId),
      call("retry", "get", userId, operation, deliveryId, sender),
      call("thread", "get", threadId),
      call("room", "get", userId, roomId),
      call("last", "get"),
      call("threadHead", "get", threadId, at),
      call(
        "timeline",
        "run",
        entryId,
        threadId,
        sequence,
        "message",
        userId,
        null,
        null,
        position,
        JSON.stringify(shown),
      ),
      call("head", "get", roomId),
      call("activity", "run", roomId, entry, operation, position, activity),
      call("roomHead", "run", roomId, entry, before, at, Buffer.byteLength(content)),
      call("receipt", "run", userId, operation, deliveryId, sender, position, null, receipt),
      call(
        ...([
          "history",
          "run",
          position,
          operation,
          userId,
          "grace",
          sender,
          at,
          JSON.stringify({ threadId }),
          content,
          null,
        ] as const),
        ...[JSON.stringify({ ids: [entryId] }), createHash("sha256").update(content).digest()],
      ),
      call("used", "run", at, sender, new Date(Date.now() - 60_000).toISOString()),
    ]
    const tags = `kmessage ${roomId.replaceAll("-", "")} ${userId.replaceAll("-", "")}`
    return { write, word: call("word", "run", index, messageText, null, null, tags) }
  }
  return Array.from({ length: groups }, (_, group) => {
    const messages = Array.from({ length: size }, (_, at) => message(group * size + at + 1))
    return [
      ...messages.map(() => call("credential", "get", token)),
      call("begin", "run"),
      ...messages.flatMap(({ write }) => write),
      call("concepts", "run"),
      call("texts", "all"),
      ...messages.map(({ word }) => word),
      // A service that found texts looked for more.
      call("changed", "all"),
      call("flush", "run"),
      call("commit", "run"),
    ]
  })
}

/** Messages per second that the loop writes in groups of a size into a new file, without the first tenth. */
export function yardstick(file: string, groups: number, size: number): number {
  const db = opened(file)
  const runs = callsOf(db, groups, size)
  const warm = Math.ceil(groups / 10)
  const all = (from: number, until?: number) => {
    for (const calls of runs.slice(from, until))
      for (const [statement, how, ...values] of calls) statement[how](...values)
  }
  all(0, warm)
  const startedAt = performance.now()
  all(warm)
  const perSecond = ((groups - warm) * size * 1000) / (performance.now() - startedAt)
  const rows = db
    .prepare<[], { rows: number }>(
      "SELECT min((SELECT count(*) FROM receipts), (SELECT count(*) FROM search_index_docsize)) AS rows",
    )
    .get()
  db.close()
  if (rows?.rows !== groups * size) throw new Error("the yardstick did not write what it was to write")
  return perSecond
}
