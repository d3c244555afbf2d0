/** Threads: their rows, and how they are shown. */
import type { Db } from "../ledger/database.ts"
import { STALE } from "./stale.ts"

/** A Thread as lists show it. */
export type ThreadSummary = ReturnType<typeof summary>

interface Row {
  thread_id: string
  room_id: string
  sequence: number
  title: string
  author_id: string
  username: string
  created_at: string
  opening_thread_id: string
  follows_entry_id: string | null
  selected_checkpoint_id: string | null
  stale: number
  timeline_sequence: number
  last_activity_at: string
}

const summary = (row: Row) => ({
  threadId: row.thread_id,
  roomId: row.room_id,
  sequence: row.sequence,
  title: row.title,
  author: { userId: row.author_id, username: row.username },
  createdAt: row.created_at,
  opening: row.thread_id === row.opening_thread_id,
  followsEntryId: row.follows_entry_id,
  timelineWatermark: row.timeline_sequence,
  lastActivityAt: row.last_activity_at,
  selectedCheckpointId: row.selected_checkpoint_id,
  stale: row.stale === 1,
})

/** One statement gives a Thread with everything its summary shows. */
const SUMMARY = `
  SELECT t.*, p.username, r.opening_thread_id, ${STALE} AS stale,
    coalesce(h.timeline_sequence, 0) AS timeline_sequence, coalesce(h.last_activity_at, t.created_at) AS last_activity_at
  FROM threads t
  JOIN people p ON p.user_id = t.author_id
  JOIN rooms r ON r.room_id = t.room_id
  LEFT JOIN thread_heads h ON h.thread_id = t.thread_id
  LEFT JOIN checkpoints c ON c.checkpoint_id = t.selected_checkpoint_id`

export type Threads = ReturnType<typeof threads>

export function threads(db: Db) {
  const insert = db.prepare(
    "INSERT INTO threads (thread_id, room_id, sequence, title, author_id, created_at, follows_entry_id) VALUES (?, ?, ?, ?, ?, ?, ?)",
  )
  const room = db.prepare<{ room_id: string }>("SELECT room_id FROM threads WHERE thread_id = ?")
  const one = db.prepare<Row>(`${SUMMARY} WHERE t.thread_id = ?`)
  const list = db.prepare<Row>(`${SUMMARY} WHERE t.room_id = ? AND t.sequence > ? ORDER BY t.sequence LIMIT ?`)
  const all = db.prepare<Row>(`${SUMMARY} WHERE t.room_id = ? ORDER BY t.sequence`)
  const following = db.prepare<Row>(`${SUMMARY} WHERE t.follows_entry_id = ? ORDER BY t.sequence LIMIT 1`)

  return {
    open(thread: {
      threadId: string
      roomId: string
      sequence: number
      title: string
      authorId: string
      at: string
      followsEntryId: string | null
    }): void {
      insert.run(thread.threadId, thread.roomId, thread.sequence, thread.title, thread.authorId, thread.at, thread.followsEntryId)
    },
    /** The Room of a Thread; undefined when there is no such Thread. */
    roomOf: (threadId: string): string | undefined => room.get(threadId)?.room_id,
    summary(threadId: string): ThreadSummary | undefined {
      const row = one.get(threadId)
      return row && summary(row)
    },
    /** Up to `count` Threads of a Room after a sequence. */
    page: (roomId: string, after: number, count: number): ThreadSummary[] => list.all(roomId, after, count).map(summary),
    /** Every Thread of a Room in the order they were started. */
    all: (roomId: string): ThreadSummary[] => all.all(roomId).map(summary),
    /** The first Thread that follows an entry up. */
    following(entryId: string): ThreadSummary | undefined {
      const row = following.get(entryId)
      return row && summary(row)
    },
    /** The indexes of those ids that are no Threads of the Room. */
    strangers: (roomId: string, threadIds: readonly string[]): number[] =>
      threadIds.flatMap((threadId, index) => (room.get(threadId)?.room_id === roomId ? [] : [index])),
  }
}
