/** A Room's part of the journal: the write of each entry of its activity. */
import type { Db } from "../storage/database.ts"
import { type Entry, journal } from "./journal.ts"
import { placeOf, DIGEST } from "./columns.ts"
import { headsOf } from "./heads.ts"

/** Entries that are read at once. */
const PAGE = 200

/** An accepted write with its sequence in the Room. */
export interface RoomEntry {
  /** The sequence of its entry in the Room's activity. */
  readonly sequence: number
  /** The object that the entry names. */
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

/** Iterates over the writes of a Room's activity in order, with one in memory at a time. @param db a snapshot */
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

/** Finds the end of a Room's activity at the time of a write. */
export function standingBefore(db: Db) {
  const last = db.prepare<{ sequence: number }>(
    "SELECT activity_sequence AS sequence FROM room_heads WHERE room_id = +?",
  )
  const at = db.prepare<{ position: number }>(
    `SELECT position FROM journal WHERE room = ${placeOf("+?")} AND room_sequence = +?`,
  )
  /** Returns the last entry of a Room before a position in the journal; 0 if there is none. */
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

// What was written in a Room since an earlier moment, for readers that keep what they have read.

/** An entry of a Room's activity, and the newest write that withheld something anywhere when it was the newest. */
export interface Moment {
  readonly sequence: number
  readonly digest: string
  readonly withheld: number | null
}

/** Entries that are looked through; after more of them a reader reads everything again. */
const MOST = 1_000

export function moments(db: Db) {
  const head = db.prepare<Moment>(
    `SELECT activity_sequence AS sequence, activity_digest AS digest,
      (SELECT max(by_position) FROM withheld_fields) AS withheld
     FROM room_heads WHERE room_id = +?`,
  )
  const IN_ROOM = `FROM journal j WHERE j.room = ${placeOf("+?")} AND j.room_sequence`
  const entry = db.prepare<{ digest: string }>(`SELECT ${DIGEST("j.activity_digest")} AS digest ${IN_ROOM} = +?`)
  const since = db.prepare<{ kind: string | null; id: string }>(
    `SELECT j.target_kind AS kind, j.target_id AS id ${IN_ROOM} > +? LIMIT ${MOST + 1}`,
  )
  const heads = headsOf(db)
  return {
    /** The newest moment of a Room; undefined in a transaction of the queue, whose writes may be taken back. */
    now: (roomId: string): Moment | undefined => (heads.isOpen ? undefined : head.get(roomId)),

    /**
     * The ids of the objects of a kind that were written to between two moments; undefined if there were too many
     * writes, if the earlier moment is not of this history, or if something was withheld.
     */
    writtenBetween(roomId: string, kind: string, then: Moment, now: Moment): Set<string> | undefined {
      if (now.withheld !== then.withheld || entry.get(roomId, then.sequence)?.digest !== then.digest) return undefined
      const rows = since.all(roomId, then.sequence)
      return rows.length > MOST ? undefined : new Set(rows.flatMap((row) => (row.kind === kind ? row.id : [])))
    },
  }
}
