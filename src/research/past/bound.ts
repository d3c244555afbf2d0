/**
 * Which Rooms must be replayed so that one of them says what it said: those that its writes name something of, those
 * whose writes name something of it, and so on from each of these.
 */
import { idOf } from "../../ledger/journal/keys.ts"
import { objectList } from "../../contract/objects/objects.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { type Entry, journal } from "../../ledger/journal/journal.ts"
import { roomJournal } from "../../ledger/journal/room-journal.ts"
import { citing } from "../export/cited.ts"

/** The most that may be replayed. */
export interface MostOfPast {
  readonly entries: number
  /** Bytes of what was sent. */
  readonly contentBytes: number
}

export interface BoundPast {
  /** The Rooms, the one that is asked for first. */
  readonly rooms: readonly string[]
  /** How many writes. */
  readonly count: number
  /** Their writes in the order in which they were accepted. */
  entries(): Generator<Entry>
}

/** Finds the Rooms that name something of a Room. What is said of records and attempts stands beside them; the rest is looked for. */
function naming(db: Db) {
  const speakers = db.prepare<{ id: string }>(
    `WITH it (room_id) AS (SELECT +?)
     SELECT u.by_id AS id FROM it JOIN records r USING (room_id) JOIN record_uses u ON u.target_id = r.version_id
     UNION SELECT w.source_id FROM it JOIN records r USING (room_id) JOIN evidence_words w ON w.target_id = r.version_id
     UNION SELECT w.speaker_id FROM it JOIN attempts a USING (room_id) JOIN evidence_words w ON w.target_id = a.attempt_id`,
  )
  const direct = db.prepare<{ roomId: string }>(
    `WITH it (room_id) AS (SELECT +?)
     SELECT l.room_id AS roomId FROM it JOIN materials m ON m.origin_room_id = it.room_id JOIN material_reports l USING (material_id)
     UNION SELECT l.room_id FROM it JOIN materials m ON m.origin_room_id = it.room_id JOIN room_materials l USING (material_id)
     -- Of an experiment that was amended since, what it addressed before.
     UNION SELECT e.room_id FROM it JOIN experiment_revisions a ON a.operation = 'amend_experiment'
       JOIN experiments e ON e.experiment_id = a.experiment_id
       JOIN experiment_revisions v ON v.experiment_id = a.experiment_id AND v.operation IN ('propose_experiment', 'amend_experiment')
       JOIN journal h ON h.position = v.history_position
       JOIN json_each(h.content, '$.hypotheses') y
       JOIN records t ON t.version_id = y.value
       WHERE t.room_id = it.room_id`,
  )
  const placed = [...new Map(objectList.filter(({ isPublic }) => isPublic).map((spec) => [spec.table, spec])).values()].flatMap(
    ({ table, key, room }) =>
      room === null ? [] : [db.prepare<{ roomId: string }>(`SELECT ${room} AS roomId FROM ${table} WHERE ${key} = +?`)],
  )
  placed.push(
    db.prepare<{ roomId: string }>(
      `SELECT t.room_id AS roomId FROM timeline_entries e JOIN threads t ON t.thread_id = ${idOf("e.thread")} WHERE e.entry_id = +?`,
    ),
  )
  return (roomId: string): Set<string> => {
    const found = new Set(direct.all(roomId).map((row) => row.roomId))
    for (const { id } of speakers.all(roomId)) {
      for (const place of placed) {
        const at = place.get(id)?.roomId
        if (at === undefined) continue
        found.add(at)
        break
      }
    }
    return found
  }
}

/**
 * What must be replayed for a Room as it was after an entry of its activity.
 * @param db a snapshot
 * @param position that entry's place in the history: what was accepted after it, in whatever Room, is left out
 * @returns null where it is more than may be
 */
export function boundPast(db: Db, roomId: string, position: number, most: MostOfPast): BoundPast | null {
  const cites = citing(db)
  const named = naming(db)
  const rooms = new Set([roomId])
  const positions: number[] = []
  let bytes = 0
  // What is added on the way is gone through too.
  for (const each of rooms) {
    for (const one of roomJournal(db, each)) {
      if (one.entry.position > position) break
      positions.push(one.entry.position)
      bytes += Buffer.byteLength(one.entry.content)
      if (positions.length > most.entries || bytes > most.contentBytes) return null
      for (const cited of cites(each, one)) rooms.add(cited.roomId)
    }
    for (const other of named(each)) rooms.add(other)
  }
  positions.sort((one, other) => one - other)
  const kept = journal(db)
  return {
    rooms: [...rooms],
    count: positions.length,
    *entries() {
      for (const each of positions) {
        const entry = kept.at(each)
        if (entry === undefined) throw new Error(`the history has no entry ${each}`)
        yield entry
      }
    },
  }
}
