/** Finds the writes of other Rooms that a Room cites, because a replay on another instance needs them. */
import { isObject } from "../../contract/json.ts"
import { objectOf } from "../../contract/objects/objects.ts"
import { recordedOperation } from "../../contract/operations/index.ts"
import { kindsIn, namedIn } from "../../contract/schema/parts.ts"
import type { Db, Statement } from "../../ledger/storage/database.ts"
import { roomJournal, type RoomEntry, standingBefore } from "../../ledger/journal/activity.ts"

/** Finds the Rooms that a write cites. */
export function citing(db: Db) {
  const rooms = new Map<string, Statement<{ roomId: string }>>()
  const known = db.prepare<{ roomId: string }>("SELECT origin_room_id AS roomId FROM materials WHERE material_id = +?")
  const standing = standingBefore(db)

  const roomsOf = (table: string, key: string, room: string) =>
    rooms.getOrInsertComputed(table, () =>
      db.prepare<{ roomId: string }>(`SELECT ${room} AS roomId FROM ${table} WHERE ${key} = +?`),
    )

  /** @returns the cited Rooms, ordered by id, each with the last entry of its activity before the write */
  return (roomId: string, { entry, targetId }: Pick<RoomEntry, "entry" | "targetId">) => {
    const operation = recordedOperation(entry.operation)
    const body: unknown = JSON.parse(entry.content)
    if (operation === undefined || !isObject(body)) return []
    const found = new Set<string>()
    for (const { refers, id } of namedIn(operation.body, body))
      for (const { table, key, room } of kindsIn(refers).map(objectOf)) {
        const of = room === null ? undefined : roomsOf(table, key, room).get(id)?.roomId
        if (of !== undefined) found.add(of)
      }
    // A material has the label of the Room that registered it first, so that Room is cited too.
    const material = operation.name === "register_material" ? known.get(targetId)?.roomId : undefined
    if (material !== undefined) found.add(material)
    found.delete(roomId)
    return [...found].sort().map((each) => ({ roomId: each, through: standing(each, entry.position) }))
  }
}

/** A write of another Room that must be replayed before one of this Room. */
export interface CitedEntry extends RoomEntry {
  readonly roomId: string
  /** The first entry of this Room that was accepted after it; one past the last entry if there is none. */
  readonly before: number
}

/** The Rooms that a Room cites, directly or through other Rooms. */
function citedRooms(db: Db, roomId: string): Set<string> {
  const cites = citing(db)
  const found = new Set([roomId])
  // A Set also iterates over items that are added during the loop.
  for (const of of found)
    for (const each of roomJournal(db, of)) for (const cited of cites(of, each)) found.add(cited.roomId)
  found.delete(roomId)
  return found
}

interface Other {
  readonly of: string
  readonly entries: Generator<RoomEntry>
  next: RoomEntry | null
}

/** Yields the writes of all cited Rooms, in the order of acceptance. */
export function* citedHistory(db: Db, roomId: string): Generator<CitedEntry> {
  const rooms = [...citedRooms(db, roomId)]
  if (rooms.length === 0) return
  const others = rooms.map((of): Other => ({ of, entries: roomJournal(db, of), next: null }))
  const step = (other: Other) => (other.next = other.entries.next().value ?? null)
  others.forEach(step)
  const own = roomJournal(db, roomId)
  let last = own.next().value
  let before = 1
  for (;;) {
    const [first] = others
      .filter(({ next }) => next !== null)
      .sort((one, other) => positionOf(one.next) - positionOf(other.next))
    if (first === undefined || first.next === null) return
    for (; last !== undefined && last.entry.position < first.next.entry.position; last = own.next().value)
      before = last.sequence + 1
    yield { roomId: first.of, before, ...first.next }
    step(first)
  }
}
const positionOf = (next: RoomEntry | null): number => next?.entry.position ?? Number.POSITIVE_INFINITY
