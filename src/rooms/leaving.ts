/** Removal of a Room of another instance: finds its writes, and refuses while another write refers to them. */
import { canonicalJson, isObject, trusted } from "../contract/json.ts"
import { objectOf } from "../contract/objects/objects.ts"
import { type OperationName, recordedOperation } from "../contract/operations/index.ts"
import { kindsIn, namedIn } from "../contract/schema/ref.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Db } from "../ledger/storage/database.ts"
import { attachments } from "../ledger/journal/attachments.ts"
import { type Entry, journal } from "../ledger/journal/journal.ts"
import { idOf, placeOf } from "../ledger/journal/columns.ts"
import type { Arrival } from "./imported.ts"

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
  const uploads = attachments(db)
  const rows = db.prepare<{ position: number }>(
    `SELECT position FROM journal WHERE room = ${placeOf("+?")} ORDER BY position`,
  )
  const known = db.prepare<{ position: number }>(
    "SELECT position FROM journal WHERE target_kind = 'material' AND target_id IN (SELECT value FROM json_each(+?))",
  )
  const where = db.prepare<Citing>(
    `SELECT ${idOf("j.room")} AS roomId, j.room_sequence AS sequence FROM journal j WHERE j.position = +?`,
  )
  const remove = db.prepare("DELETE FROM journal WHERE position = +?")
  const acts = db.prepare<{ position: number }>("SELECT position FROM journal WHERE operation = +? ORDER BY position")
  const isForeign = db.prepare("SELECT 1 FROM people WHERE user_id = +? AND instance_id IS NOT NULL")

  function leavingWith(roomId: string): Leaving {
    const positions = new Set<number>()
    const ids = new Set<string>([roomId])
    for (const { position } of rows.all(roomId)) {
      positions.add(position)
      const { given, operation, content } = kept.at(position) ?? {}
      for (const id of given?.ids ?? []) ids.add(id)
      // The sender chooses the id of an attempt, so it is not among the given ids.
      if (operation === ("register_attempt" satisfies OperationName))
        ids.add(trusted<{ attemptId: string }>(content ?? "{}").attemptId)
    }
    return { positions, ids }
  }

  return {
    /** @throws Refusal 409 if a write that stays refers to the Room */
    mustBeUncited(roomId: string): void {
      const { positions, ids } = leavingWith(roomId)
      const materials = new Set(known.all(JSON.stringify([...ids])).map(({ position }) => position))
      for (const entry of kept.entries()) {
        if (positions.has(entry.position) || recordedOperation(entry.operation) === undefined) continue
        const isCiting =
          materials.has(entry.position) ||
          Object.values(entry.params).some((id) => ids.has(id)) ||
          namedBy(entry).some((id) => ids.has(id))
        if (!isCiting) continue
        const by = where.one(entry.position)
        const citing = by.roomId === null ? "Something here" : `Entry ${by.sequence} of Room ${by.roomId}`
        throw new Refusal("state_conflict", `${citing} refers to Room ${roomId}, which therefore cannot be dropped.`)
      }
    },

    /**
     * Removes the writes from the journal, with their figures and the people whom nothing else names. Call this within
     * `Remaking.leave`.
     */
    take(roomId: string): void {
      const { positions } = leavingWith(roomId)
      for (const position of positions) remove.run(position)
      uploads.drop([...positions])
      const named = new Set<string>()
      for (const { operation, userId, params, given } of kept.entries())
        if (recordedOperation(operation) !== undefined)
          for (const id of [userId, params.userId, given.named, ...Object.values(given.people ?? {})])
            if (id != null) named.add(id)
      for (const { position } of acts.all("import_room")) {
        const entry = kept.at(position)
        const arrival = entry && trusted<Arrival>(entry.content)
        if (entry === undefined || arrival?.roomId !== roomId) continue
        const people = arrival.people.filter(({ userId }) => named.has(userId))
        if (people.length === 0) remove.run(position)
        else kept.rewrite(position, { ...entry, content: canonicalJson({ ...arrival, roomId: null, people }) })
      }
      for (const { position } of acts.all("describe_person")) {
        const { userId } = trusted<{ userId: string }>(kept.at(position)?.content ?? "{}")
        if (!named.has(userId) && isForeign.get(userId) !== undefined) remove.run(position)
      }
    },
  }
}
