/** The numbers that the ledger assigns: ordinals of labels and Threads, and sequences of timelines. None is skipped. */
import type { Db } from "../storage/database.ts"

export type Sequences = ReturnType<typeof sequences>

export function sequences(db: Db) {
  const next = db.prepare<{ last: number }>(
    "INSERT INTO counters (room_id, kind, last) VALUES (+?, +?, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last",
  )
  const entry = db.prepare<{ timeline_sequence: number }>(
    `INSERT INTO thread_heads (thread_id, timeline_sequence, last_activity_at) VALUES (+?, 1, +?)
     ON CONFLICT DO UPDATE SET timeline_sequence = timeline_sequence + 1, last_activity_at = excluded.last_activity_at
     RETURNING timeline_sequence`,
  )
  return {
    /** Assigns the next ordinal of `kind` in a Room, from 1. */
    ordinal: (roomId: string, kind: string): number => next.one(roomId, kind).last,
    /** Assigns the next sequence in a Thread's timeline, from 1. */
    entry: (threadId: string, at: string): number => entry.one(threadId, at).timeline_sequence,
  }
}
