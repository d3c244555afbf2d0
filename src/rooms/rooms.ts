/** Rooms: their rows, and how they are shown. */
import { labelPrefixes } from "../contract/labels.ts"
import type { MemberRole, RoomState } from "../contract/enumerations.ts"
import { Refusal } from "../contract/refusals.ts"
import type { Archive, Standing } from "../ledger/actor.ts"
import type { Db } from "../ledger/database.ts"
import { containing } from "../ledger/paging.ts"

/** A Room as a list shows it. */
export type RoomSummary = ReturnType<typeof summary>

interface Row {
  room_id: string
  title: string
  question: string | null
  owner_id: string
  owner_name: string
  opening_thread_id: string
  created_at: string
  state: RoomState
  archived_at: string | null
  archived_by: string | null
  archived_by_name: string | null
  archive_reason: string | null
}
interface SummaryRow extends Row {
  activity_sequence: number
  last_activity_at: string
  members: number
  concluded: number
  /** A JSON object: the last ordinal of each kind. */
  counters: string
}

export const archiveOf = (row: Pick<Row, "archived_at" | "archived_by" | "archived_by_name" | "archive_reason">): Archive | null =>
  row.archived_at === null
    ? null
    : {
        archivedAt: row.archived_at,
        archivedBy: { userId: row.archived_by ?? "", username: row.archived_by_name ?? "" },
        reason: row.archive_reason ?? "",
      }

function summary(row: SummaryRow) {
  const last = JSON.parse(row.counters) as Record<string, number>
  const labelled = Object.fromEntries(Object.keys(labelPrefixes).map((kind) => [kind, last[kind] ?? 0]))
  return {
    roomId: row.room_id,
    title: row.title,
    question: row.question,
    state: row.state,
    owner: { userId: row.owner_id, username: row.owner_name },
    createdAt: row.created_at,
    openingThreadId: row.opening_thread_id,
    concluded: row.concluded === 1,
    activityWatermark: row.activity_sequence,
    lastActivityAt: row.last_activity_at,
    counts: { members: row.members, threads: last.thread ?? 0, ...labelled },
    archive: archiveOf(row),
  }
}

/** One statement gives a Room with everything its summary shows. */
const SUMMARY = `
  SELECT r.*, o.username AS owner_name, a.username AS archived_by_name,
    coalesce(h.activity_sequence, 0) AS activity_sequence, coalesce(h.last_activity_at, r.created_at) AS last_activity_at,
    (SELECT count(*) FROM members m WHERE m.room_id = r.room_id) AS members,
    coalesce((SELECT c.state = 'concluded' FROM threads t JOIN checkpoints c ON c.checkpoint_id = t.selected_checkpoint_id WHERE t.thread_id = r.opening_thread_id), 0) AS concluded,
    (SELECT json_group_object(c.kind, c.last) FROM counters c WHERE c.room_id = r.room_id) AS counters
  FROM rooms r
  JOIN people o ON o.user_id = r.owner_id
  LEFT JOIN people a ON a.user_id = r.archived_by
  LEFT JOIN room_heads h ON h.room_id = r.room_id`

export type Rooms = ReturnType<typeof rooms>

export function rooms(db: Db) {
  const insert = db.prepare(
    "INSERT INTO rooms (room_id, title, question, owner_id, opening_thread_id, created_at, state) VALUES (?, ?, ?, ?, ?, ?, 'active')",
  )
  const amend = db.prepare<{ title: string; question: string | null }>(
    "UPDATE rooms SET title = coalesce(?, title), question = coalesce(?, question) WHERE room_id = ? RETURNING title, question",
  )
  const setArchive = db.prepare("UPDATE rooms SET state = ?, archived_at = ?, archived_by = ?, archive_reason = ? WHERE room_id = ?")
  const standing = db.prepare<Row & { role: MemberRole | null }>(
    `SELECT r.room_id, r.title, r.state, r.archived_at, r.archived_by, r.archive_reason, a.username AS archived_by_name, m.role FROM rooms r
     LEFT JOIN people a ON a.user_id = r.archived_by
     LEFT JOIN members m ON m.room_id = r.room_id AND m.user_id = ?
     WHERE r.room_id = ?`,
  )
  const openingThread = db.prepare<{ opening_thread_id: string }>("SELECT opening_thread_id FROM rooms WHERE room_id = ?")
  const one = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.room_id = ?`)
  const list = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.room_id < ? ORDER BY r.room_id DESC LIMIT ?`)
  const search = db.prepare<SummaryRow>(
    `${SUMMARY} WHERE r.room_id < ? AND (r.title LIKE ? ESCAPE '\\' OR r.question LIKE ? ESCAPE '\\') ORDER BY r.room_id DESC LIMIT ?`,
  )
  const all = db.prepare<SummaryRow>(`${SUMMARY} ORDER BY r.room_id`)

  return {
    insert: (roomId: string, title: string, question: string | null, ownerId: string, openingThreadId: string, at: string) =>
      insert.run(roomId, title, question, ownerId, openingThreadId, at),
    /** Changes what is given and returns both as they are now. */
    amend: (roomId: string, title: string | undefined, question: string | undefined) =>
      amend.get(title ?? null, question ?? null, roomId) as { title: string; question: string | null },
    archive: (roomId: string, at: string, by: string, reason: string) => setArchive.run("archived", at, by, reason, roomId),
    restore: (roomId: string) => setArchive.run("active", null, null, null, roomId),

    /** What admission asks: the Room, and what the person is in it. */
    standing(roomId: string, userId: string): Standing | undefined {
      const row = standing.get(userId, roomId)
      return row && { roomId: row.room_id, title: row.title, state: row.state, archive: archiveOf(row), role: row.role }
    },
    /** @throws Refusal 404 for a Room that does not exist */
    mustExist(roomId: string): void {
      if (openingThread.get(roomId) === undefined) throw new Refusal("room_unavailable", "There is no such Room.")
    },
    /** @throws Refusal 422 for a label without its Room, 404 for a Room that does not exist */
    mustFitLabel({ roomId, label }: { roomId?: string; label?: string }): void {
      if (label !== undefined && roomId === undefined) {
        throw new Refusal("invalid_parameter", "label is Room-scoped: give roomId with it.", {
          issues: [{ path: "/roomId", message: "is required with label" }],
        })
      }
      if (roomId !== undefined && openingThread.get(roomId) === undefined) throw new Refusal("room_unavailable", "There is no such Room.")
    },
    /** The Thread a Room was made with; undefined when there is no such Room. */
    openingThread: (roomId: string): string | undefined => openingThread.get(roomId)?.opening_thread_id,
    summary: (roomId: string): RoomSummary | undefined => {
      const row = one.get(roomId)
      return row && summary(row)
    },
    /** Rooms older than `before`, newest first; with a query, those whose title or question contains it. */
    page(before: string | undefined, query: string | undefined, count: number): RoomSummary[] {
      const start = before ?? "g"
      if (query === undefined) return list.all(start, count).map(summary)
      const pattern = containing(query)
      return search.all(start, pattern, pattern, count).map(summary)
    },
    all: (): RoomSummary[] => all.all().map(summary),
  }
}
