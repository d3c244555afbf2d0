/**
 * Finds the writes to replay for a view of a Room's past. They are the writes of the Room, of the Rooms whose objects
 * it names, of the Rooms that name its objects, and so on from each of these.
 */
import { idOf } from "../../ledger/journal/columns.ts"
import { objectList } from "../../contract/objects/objects.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { type Entry, journal } from "../../ledger/journal/journal.ts"
import { roomJournal } from "../../ledger/journal/activity.ts"
import { citing } from "../export/room.ts"
import { materials } from "../materials/materials.ts"

/** The limits of a replay. */
export interface MostOfPast {
  readonly entries: number
  /** The total size of the bodies. */
  readonly contentBytes: number
}

/**
 * Finds the Rooms that name an object of a Room. Uses of records and attempts have their own tables; the rest takes a
 * query each.
 */
function roomsNaming(db: Db) {
  const speakers = db.prepare<{ id: string }>(
    `WITH it (room_id) AS (SELECT +?)
     SELECT u.by_id AS id FROM it JOIN records r USING (room_id) JOIN record_uses u ON u.target_id = r.version_id
     UNION SELECT w.source_id FROM it JOIN records r USING (room_id) JOIN evidence_words w ON w.target_id = r.version_id
     UNION SELECT w.speaker_id
      FROM it
      JOIN attempts a USING (room_id)
      JOIN evidence_words w ON w.target_id = a.attempt_id`,
  )
  const direct = db.prepare<{ roomId: string }>(
    `WITH it (room_id) AS (SELECT +?)
     SELECT l.room_id AS roomId
      FROM it
      JOIN materials m ON m.origin_room_id = it.room_id
      JOIN material_reports l USING (material_id)
     UNION SELECT l.room_id
      FROM it
      JOIN materials m ON m.origin_room_id = it.room_id
      JOIN room_materials l USING (material_id)
     -- The hypotheses that an experiment addressed before it was amended.
     UNION SELECT e.room_id FROM it JOIN experiment_revisions a ON a.operation = 'amend_experiment'
       JOIN experiments e ON e.experiment_id = a.experiment_id
       JOIN experiment_revisions v ON v.experiment_id = a.experiment_id
        AND v.operation IN ('propose_experiment', 'amend_experiment')
       JOIN journal h ON h.position = v.history_position
       JOIN json_each(h.content, '$.hypotheses') y
       JOIN records t ON t.version_id = y.value
       WHERE t.room_id = it.room_id`,
  )
  const placed = [
    ...new Map(objectList.filter(({ isPublic }) => isPublic).map((spec) => [spec.table, spec])).values(),
  ].flatMap(({ table, key, room }) =>
    room === null ? [] : [db.prepare<{ roomId: string }>(`SELECT ${room} AS roomId FROM ${table} WHERE ${key} = +?`)],
  )
  placed.push(
    db.prepare<{ roomId: string }>(
      `SELECT t.room_id AS roomId
        FROM timeline_entries e
        JOIN threads t ON t.thread_id = ${idOf("e.thread")}
        WHERE e.entry_id = +?`,
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
 * Finds the writes to replay for a Room as it was after an entry of its activity.
 * @param db a snapshot
 * @param position the entry's position in the journal; later writes of any Room are left out
 * @returns the Rooms, the requested one first, and their writes in the order of the journal; null if they exceed the
 * limits
 */
export function boundPast(db: Db, roomId: string, position: number, most: MostOfPast) {
  const cites = citing(db, materials(db))
  const namedBy = roomsNaming(db)
  const rooms = new Set([roomId])
  const positions: number[] = []
  let bytes = 0
  // The loop also visits the Rooms that it adds.
  for (const id of rooms) {
    for (const write of roomJournal(db, id)) {
      if (write.entry.position > position) break
      positions.push(write.entry.position)
      bytes += Buffer.byteLength(write.entry.content)
      if (positions.length > most.entries || bytes > most.contentBytes) return null
      for (const cited of cites(id, write)) rooms.add(cited.roomId)
    }
    for (const other of namedBy(id)) rooms.add(other)
  }
  positions.sort((one, other) => one - other)
  const history = journal(db)
  return {
    rooms: [...rooms],
    count: positions.length,
    *entries(): Generator<Entry> {
      for (const at of positions) {
        const entry = history.at(at)
        if (entry === undefined) throw new Error(`the journal has no entry ${at}`)
        yield entry
      }
    },
  }
}
