/** The part of the history that is a Room's own: the write of every entry of its activity. */
import type { Db } from "../storage/database.ts"
import { type Entry, journal } from "./journal.ts"
import { placeOf } from "./keys.ts"

/** Entries that are looked up at once. */
const PAGE = 200

/** An accepted write with the place it has in its Room. */
export interface RoomEntry {
  /** That of its entry of the Room's activity. */
  readonly sequence: number
  /** What that entry names. */
  readonly targetId: string
  readonly entry: Entry
}

const ROWS = `SELECT j.room_sequence AS sequence, j.position, coalesce(j.target_id, e.entry_id) AS targetId
  FROM journal j LEFT JOIN timeline_entries e ON e.thread = j.thread AND e.sequence = j.entry_sequence
  WHERE j.room = ${placeOf("+?")} AND j.room_sequence`
interface Row {
  readonly sequence: number
  readonly position: number
  readonly targetId: string
}

/** Every write of a Room's activity in order; no more than one of them is in memory at once. @param db a snapshot */
export function* roomJournal(db: Db, roomId: string): Generator<RoomEntry> {
  const kept = journal(db)
  const page = db.prepare<Row>(`${ROWS} > +? ORDER BY j.room_sequence LIMIT ${PAGE}`)
  for (let rows = page.all(roomId, 0); rows.length > 0; rows = page.all(roomId, rows.at(-1)?.sequence ?? 0)) {
    for (const { sequence, position, targetId } of rows) {
      const entry = kept.at(position)
      if (entry === undefined) throw new Error(`the write of entry ${sequence} of the activity is not in the journal`)
      yield { sequence, targetId, entry }
    }
  }
}

/** Looks up one write of a Room by its place; undefined where there is none. */
export function roomEntry(db: Db) {
  const kept = journal(db)
  const one = db.prepare<Row>(`${ROWS} = +?`)
  return (roomId: string, sequence: number): RoomEntry | undefined => {
    const row = one.get(roomId, sequence)
    const entry = row && kept.at(row.position)
    return row && entry && { sequence, targetId: row.targetId, entry }
  }
}

/** Where a Room's activity stood when something was written. */
export function standingBefore(db: Db) {
  const last = db.prepare<{ sequence: number }>("SELECT activity_sequence AS sequence FROM room_heads WHERE room_id = +?")
  const at = db.prepare<{ position: number }>(`SELECT position FROM journal WHERE room = ${placeOf("+?")} AND room_sequence = +?`)
  /** The last entry of a Room that is older than a place in the journal; 0 where none is. */
  return (roomId: string, position: number): number => {
    let [low, high] = [0, last.get(roomId)?.sequence ?? 0]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((at.get(roomId, middle)?.position ?? 0) < position) low = middle
      else high = middle - 1
    }
    return low
  }
}
