/**
 * Removal of Rooms of other instances, whole or from an entry on: finds the writes to remove, and the writes that refer
 * to them.
 */
import { canonicalJson, isObject, trusted } from "../contract/json.ts"
import { objectOf } from "../contract/objects/objects.ts"
import { type OperationName, recordedOperation } from "../contract/operations/index.ts"
import { kindsIn, namedIn } from "../contract/schema/ref.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Db } from "../ledger/storage/database.ts"
import { figures } from "../ledger/journal/figures.ts"
import { type Entry, journal } from "../ledger/journal/journal.ts"
import { idOf, placeOf } from "../ledger/journal/columns.ts"
import type { Cut, Reach } from "../ledger/cut.ts"
import { type Arrival, FILE } from "./imported.ts"

interface Leaving {
  readonly positions: ReadonlySet<number>
  /** The ids of the objects that these writes created. */
  readonly ids: ReadonlySet<string>
}

/** The entry of a write that refers to something that is removed; null outside of Rooms. */
interface Citing {
  readonly roomId: string | null
  readonly sequence: number | null
}

/** Returns the ids of objects of Rooms in the body of a write. People are not part of a Room. */
const namedBy = ({ operation, content }: Entry): string[] => {
  const schema = recordedOperation(operation)?.body
  const body: unknown = JSON.parse(content)
  if (schema === undefined || !isObject(body)) return []
  const ofRooms = namedIn(schema, body).filter(({ refers }) =>
    kindsIn(refers).some((kind) => kind === "room" || objectOf(kind).room !== null),
  )
  return ofRooms.map(({ id }) => id)
}

export function leavingRooms(db: Db) {
  const kept = journal(db)
  const pictures = figures(db)
  const positionOf = db.prepare<{ position: number }>(
    `SELECT position FROM journal WHERE room = ${placeOf("+?")} AND room_sequence = +?`,
  )
  const rows = db.prepare<{ position: number }>(
    `SELECT position FROM journal WHERE room = ${placeOf("+?")} AND position > +? ORDER BY position`,
  )
  const known = db.prepare<{ position: number }>(
    "SELECT position FROM journal WHERE target_kind = 'material' AND target_id IN (SELECT value FROM json_each(+?))",
  )
  const where = db.prepare<Citing>(
    `SELECT ${idOf("j.room")} AS roomId, j.room_sequence AS sequence FROM journal j WHERE j.position = +?`,
  )
  const isOthers = db.prepare("SELECT 1 FROM imported_rooms WHERE room_id = +? AND adopted_at IS NULL")
  const isFollowed = db.prepare("SELECT 1 FROM mirrors WHERE room_id = +? AND stopped IS NULL")
  const remove = db.prepare("DELETE FROM journal WHERE position = +?")
  const acts = db.prepare<{ position: number }>("SELECT position FROM journal WHERE operation = +? ORDER BY position")
  const isForeign = db.prepare("SELECT 1 FROM people WHERE user_id = +? AND instance_id IS NOT NULL")
  const arrivals = db.prepare<{ position: number; content: string }>(
    "SELECT position, content FROM journal WHERE operation = 'import_room' AND content ->> '$.roomId' = +? ORDER BY position",
  )

  const lastOf = ({ roomId, from }: Cut): number => positionOf.get(roomId, from - 1)?.position ?? 0

  function leavingWith(cuts: readonly Cut[]): Leaving {
    const positions = new Set<number>()
    const ids = new Set<string>()
    for (const cut of cuts) {
      for (const { position } of rows.all(cut.roomId, lastOf(cut))) {
        positions.add(position)
        const { given, operation, content } = kept.at(position) ?? {}
        for (const id of given?.ids ?? []) ids.add(id)
        // The sender chooses the id of an attempt, so it is not among the given ids.
        if (operation === ("register_attempt" satisfies OperationName))
          ids.add(trusted<{ attemptId: string }>(content ?? "{}").attemptId)
      }
      if (cut.from === 1) ids.add(cut.roomId)
    }
    return { positions, ids }
  }

  function* citing(cuts: readonly Cut[]): Generator<Citing> {
    const { positions, ids } = leavingWith(cuts)
    const materials = new Set(known.all(JSON.stringify([...ids])).map(({ position }) => position))
    for (const entry of kept.entries()) {
      if (positions.has(entry.position) || recordedOperation(entry.operation) === undefined) continue
      const isCiting =
        materials.has(entry.position) ||
        Object.values(entry.params).some((id) => ids.has(id)) ||
        namedBy(entry).some((id) => ids.has(id))
      if (isCiting) yield where.one(entry.position)
    }
  }

  /** Whether a Room that refers to something removed may be removed too. */
  const mayLeave = (roomId: string, reach: Reach): boolean =>
    reach === "others"
      ? isOthers.get(roomId) !== undefined
      : reach === "followed" && isFollowed.get(roomId) !== undefined

  return {
    /**
     * Adds the cuts in other Rooms that refer to something removed.
     * @throws Refusal if such a Room may not be removed
     */
    withCiting(cuts: readonly Cut[], reach: Reach): Cut[] {
      const firstRemoved = new Map(cuts.map(({ roomId, from }) => [roomId, from]))
      for (let isMore = true; isMore; ) {
        isMore = false
        for (const { roomId, sequence } of citing([...firstRemoved].map(([id, from]) => ({ roomId: id, from })))) {
          if (roomId === null || sequence === null || !mayLeave(roomId, reach))
            throw new Refusal(
              "state_conflict",
              `${roomId === null || sequence === null ? "Something here" : `Entry ${sequence} of Room ${roomId}`} refers to ${[...firstRemoved.keys()].map((id) => `Room ${id}`).join(" or ")}, which therefore cannot be dropped.`,
            )
          if (sequence < (firstRemoved.get(roomId) ?? Number.POSITIVE_INFINITY)) {
            firstRemoved.set(roomId, sequence)
            isMore = true
          }
        }
      }
      return [...firstRemoved].map(([roomId, from]) => ({ roomId, from }))
    },

    /**
     * Removes the writes from the journal, with their figures and the people whom nothing else names. Call this within
     * `Remaking.leave`.
     */
    take(cuts: readonly Cut[]): void {
      const lasts = new Map(cuts.map((cut) => [cut.roomId, lastOf(cut)]))
      const { positions } = leavingWith(cuts)
      for (const position of positions) remove.run(position)
      pictures.drop([...positions])
      const named = new Set<string>()
      for (const { operation, userId, params, given } of kept.entries())
        if (recordedOperation(operation) !== undefined)
          for (const id of [userId, params.userId, given.named, ...Object.values(given.people ?? {})])
            if (id != null) named.add(id)
      for (const { position } of acts.all("import_room")) {
        const entry = kept.at(position)
        const arrival = entry && trusted<Arrival>(entry.content)
        const last = lasts.get(arrival?.roomId ?? "")
        if (entry === undefined || arrival === undefined || last === undefined || position < last) continue
        const people = arrival.people.filter(({ userId }) => named.has(userId))
        if (people.length === 0) remove.run(position)
        else kept.rewrite(position, { ...entry, content: canonicalJson({ ...arrival, roomId: null, people }) })
      }
      for (const { position } of acts.all("describe_person")) {
        const { userId } = trusted<{ userId: string }>(kept.at(position)?.content ?? "{}")
        if (!named.has(userId) && isForeign.get(userId) !== undefined) remove.run(position)
      }
    },

    /** Whether an entry and all later ones were imported only because other Rooms refer to them. */
    cameAlong(roomId: string, sequence: number): boolean {
      const first = positionOf.get(roomId, sequence)?.position ?? 0
      const all = arrivals.all(roomId)
      const own = all.findLast(({ position }) => position < first)?.position ?? first
      const later = all.filter(({ position }) => position >= own).map(({ content }) => trusted<Arrival>(content))
      return (
        later.length > 0 &&
        later.every(({ along, toldBy }) => along === true || (toldBy !== undefined && toldBy !== FILE))
      )
    },
  }
}
