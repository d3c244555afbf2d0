/** The part of the history that is a Room's own: the write of every entry of its activity. */
import type { Db } from "./database.ts"
import { type Entry, history } from "./history.ts"

/** Entries that are looked up at once. */
const PAGE = 200

/** An accepted write with the place it has in its Room. */
export interface RoomEntry {
  /** That of its entry of the Room's activity. */
  readonly sequence: number
  readonly entry: Entry
}

/** Every write of a Room's activity in order; no more than one of them is in memory at once. @param db a snapshot */
export function* roomHistory(db: Db, roomId: string): Generator<RoomEntry> {
  const kept = history(db)
  const page = db.prepare<{ sequence: number; position: number }>(
    `SELECT sequence, history_position AS position FROM activity_entries WHERE room_id = ? AND sequence > ? ORDER BY sequence LIMIT ${PAGE}`,
  )
  for (let rows = page.all(roomId, 0); rows.length > 0; rows = page.all(roomId, rows.at(-1)?.sequence ?? 0)) {
    for (const { sequence, position } of rows) {
      const entry = kept.at(position)
      if (entry === undefined) throw new Error(`the write of entry ${sequence} of the activity is not in the history`)
      yield { sequence, entry }
    }
  }
}
