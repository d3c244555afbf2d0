/** Rooms of other instances: the origin of each, its people, and its removal. */
import type { Named } from "../contract/nouns/people.ts"
import type { RoomOrigin } from "../contract/nouns/rooms.ts"
import { withoutTrailing } from "../contract/text.ts"
import type { ActCall } from "../ledger/journal/behaviour.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import { DESCRIBED, type People } from "../people/people.ts"
import { trusted, canonicalJson, isObject } from "../contract/json.ts"
import { objectOf } from "../contract/objects/objects.ts"
import { type OperationName, recordedOperation } from "../contract/operations/index.ts"
import { kindsIn, namedIn } from "../contract/schema/parts.ts"
import { Refusal } from "../contract/refusals.ts"
import { attachments } from "../ledger/journal/attachments.ts"
import { type Entry, journal } from "../ledger/journal/journal.ts"
import { idOf, placeOf } from "../ledger/journal/columns.ts"

/** The instance of a Room before another one adopted it, and the last entry of the activity there. */
export type Home = {
  readonly instanceId: string
  readonly baseUrl: string
  readonly throughSequence: number
}

/** Used in place of an address for what is known only from an imported file. */
export const FILE = "file"

/** The origin of a Room from another instance. */
export type RoomSource = {
  readonly instanceId: string
  /** Scheme, host and path, without a slash at the end. */
  readonly baseUrl: string
  readonly softwareVersion: string
  /**
   * Where this origin is known from: the address of a third instance, or `file`. Omitted if an earlier version fetched
   * the Room from the origin itself.
   */
  readonly toldBy?: string | undefined
  /** The earlier homes of a Room that the origin had adopted, oldest first. Omitted if there are none. */
  readonly adopted?: readonly Home[] | undefined
}

/**
 * SQL for the origin of a Room, as JSON; null for a Room of this instance. @param room the alias of the rooms table
 * @param heads the alias of room_heads
 */
export const ORIGIN = (room: string, heads: string): string =>
  `(SELECT json_object(
      'instanceId', i.instance_id, 'baseUrl', i.base_url,
      'throughSequence', coalesce(${heads}.activity_sequence, 0),
      'toldBy', i.told_by, 'importedAt', i.imported_at)
    FROM imported_rooms i WHERE i.room_id = ${room}.room_id AND i.adopted_at IS NULL)`

/** SQL for the homes of a Room before adoptions, as a JSON list. @param room the alias of the rooms table */
export const ADOPTED = (room: string): string =>
  `(SELECT json_group_array(json_object('instanceId', d.instance_id, 'baseUrl', d.base_url, 'throughSequence',
    d.sequence - 1, 'adoptedAt', d.adopted_at) ORDER BY d.sequence)
    FROM room_adoptions d WHERE d.room_id = ${room}.room_id)`

/**
 * SQL for whether work in a Room is possible here: a Room of another instance counts as archived. @param room the alias
 * of the rooms table
 */
export const WORK_STATE = (room: string): string =>
  `iif(EXISTS (SELECT 1 FROM imported_rooms i WHERE i.room_id = ${room}.room_id AND i.adopted_at IS NULL), 'archived',
    ${room}.state)`

/**
 * Separates the two instances in the name of a person whom one instance knows from another. No username contains it.
 */
export const NAMED_BY = "~told-by-"

/** Returns the host and path of an instance, which follow the names of its people here. */
const hostAndPath = (baseUrl: string): string => {
  const { host, pathname } = new URL(baseUrl)
  return `${host}${withoutTrailing(pathname, "/")}`
}

/** A person in a stored text. */
const NAMED = /"userId":"([0-9a-f-]{36})","username":"([^"]*)"/g

/**
 * Names people as the export of a Room does: people from the Room's own instance have their names from there, as in
 * the accepted writes, and other people have their names from here. What reads `people` on this connection afterwards
 * reads these names.
 */
function peopleAtHome(db: Db, from: RoomSource | undefined) {
  const home = from?.instanceId ?? ""
  const prefix = `${from?.baseUrl ?? ""} `
  db.exec(
    `CREATE TEMP VIEW people AS SELECT user_id, CASE WHEN instance_id = '${home}' THEN known_as
       WHEN substr(base_url, 1, ${prefix.length}) = '${prefix.replaceAll("'", "''")}'
        THEN substr(username, 1, instr(username, '${NAMED_BY}') - 1) ELSE username END AS username, password_hash,
        is_operator, created_at, instance_id, known_as, name, given_name, family_name, orcid FROM main.people`,
  )
  const withId = db.prepare<Named>(
    `SELECT user_id AS userId, coalesce(known_as, username) AS username, ${DESCRIBED("p")}
      FROM main.people p
      WHERE user_id = +?`,
  )
  const seen = db.prepare<Named>(
    `SELECT user_id AS userId, username, ${DESCRIBED("p")} FROM people p WHERE user_id = +?`,
  )
  const named = db.prepare<Named>(
    `SELECT user_id AS userId, username, ${DESCRIBED("p")} FROM people p WHERE username = +? AND instance_id IS NULL`,
  )
  const renamed = db.prepare<{ here: string; there: string }>(
    `SELECT m.username AS here, p.username AS there
      FROM main.people m
      JOIN people p USING (user_id)
      WHERE m.user_id = +? AND m.username <> p.username`,
  )
  return {
    /** Replaces the names of people in a stored text. */
    atHome: (text: string): string =>
      home === ""
        ? text
        : text.replaceAll(NAMED, (pair: string, userId: string, username: string) => {
            const names = renamed.get(userId)
            return names?.here === username ? pair.replace(`"${username}"`, () => `"${names.there}"`) : pair
          }),
    /** A person, with how they want to be cited. */
    described: (userId: string): Named => seen.one(userId),
    /** A person whom a write names, as its instance names them. Their id here may differ. */
    asThere(userId: string, { given }: Entry): Named | undefined {
      const person = withId.get(given.people?.[userId] ?? userId)
      return person && { ...person, userId }
    },
    /** A person of this instance. */
    withName: (username: string): Named | undefined => named.get(username),
  }
}

export type ImportedRooms = ReturnType<typeof importedRooms>

export function importedRooms(db: Db) {
  const put = inserting(db, "imported_rooms", {
    onConflict: `DO UPDATE SET instance_id = excluded.instance_id, base_url = excluded.base_url,
      software_version = excluded.software_version, told_by = excluded.told_by, imported_at = excluded.imported_at`,
  })
  const one = db.prepare<RoomSource>(
    `SELECT instance_id AS instanceId, base_url AS baseUrl, software_version AS softwareVersion FROM imported_rooms
     WHERE room_id = +? AND adopted_at IS NULL`,
  )
  const homes = db.prepare<Home>(
    `SELECT instance_id AS instanceId, base_url AS baseUrl, sequence - 1 AS throughSequence
      FROM room_adoptions
      WHERE room_id = +?
      ORDER BY sequence`,
  )
  const keep = db.prepare("UPDATE imported_rooms SET adopted_at = +? WHERE room_id = +?")
  const leave = inserting(db, "room_adoptions")
  const withHomes = (roomId: string, from: RoomSource): RoomSource => {
    const adopted = homes.all(roomId)
    return adopted.length === 0 ? from : { ...from, adopted }
  }
  const origin = db.prepare<{ origin: string | null }>(
    `SELECT ${ORIGIN("r", "h")} AS origin
      FROM rooms r
      LEFT JOIN room_heads h ON h.room_id = r.room_id
      WHERE r.room_id = +?`,
  )
  return {
    /** Stores the origin of a Room. The first value of `knownIn` is kept when a Room is stored again. */
    put: (roomId: string, knownIn: string, { instanceId, baseUrl, softwareVersion, toldBy }: RoomSource, at: string) =>
      put({ roomId, knownIn, instanceId, baseUrl, softwareVersion, toldBy, importedAt: at }),
    /** Returns the origin of a Room; undefined for a Room of this instance. */
    from(roomId: string): RoomSource | undefined {
      const found = one.get(roomId)
      return found && withHomes(roomId, found)
    },
    withHomes,
    /** Names people as the Room's export does, from now on and on this whole connection, which serves nothing else. */
    peopleAtHome(roomId: string) {
      return peopleAtHome(db, one.get(roomId))
    },
    /** Returns the homes of a Room before it was adopted, here or at its origin. */
    homes: (roomId: string): Home[] => homes.all(roomId),
    leave: (roomId: string, { instanceId, baseUrl, throughSequence }: Home, at: string) =>
      leave({ roomId, sequence: throughSequence + 1, instanceId, baseUrl, adoptedAt: at }),
    /** Makes the Room this instance's own. */
    keep: (roomId: string, at: string) => keep.run(at, roomId),
    /** Returns the origin of a Room in its public form; null for a Room of this instance. */
    origin(roomId: string): RoomOrigin | null {
      const found = origin.get(roomId)?.origin
      return found == null ? null : trusted<RoomOrigin>(found)
    },
  }
}

/** The journal content of an import. */
export interface Arrival extends RoomSource {
  /** Null if the Room was dropped later and only its people are still needed. */
  readonly roomId: string | null
  /** The people in the Room's history, with their names on their own instance. */
  readonly people: readonly { readonly userId: string; readonly username: string }[]
  /** The instance of these people, if another one has adopted the Room since; defaults to the origin. */
  readonly of?: Pick<Home, "instanceId" | "baseUrl">
  /**
   * The instance that scopes the Room's references, if another one has adopted the Room since; defaults to the origin.
   */
  readonly knownIn?: string
}

/**
 * Returns the instance of the people in a Room's history. A Room's own instance vouches for its people. People known
 * only through another instance (at second hand, or from before an adoption) are named with both instances, and are
 * kept apart from the people whom their own instance names.
 */
export function sourceOf(
  from: RoomSource,
  of: Pick<Home, "instanceId" | "baseUrl"> = from,
): Omit<Home, "throughSequence"> & { readonly place: string } {
  const source = from.toldBy !== undefined && from.toldBy !== FILE ? from.toldBy : from.baseUrl
  if (source === of.baseUrl) return { instanceId: of.instanceId, baseUrl: source, place: hostAndPath(source) }
  return {
    instanceId: of.instanceId,
    baseUrl: `${source} ${of.baseUrl}`,
    place: `${hostAndPath(of.baseUrl)}${NAMED_BY}${hostAndPath(source)}`,
  }
}

/** What an import does besides replaying the Room's writes. */
export const importActs = ({ people, imported }: { readonly people: People; readonly imported: ImportedRooms }) => ({
  /** Adds the people who are not known yet and stores the Room's origin. The replayed writes follow. */
  import_room({ change }: ActCall, { roomId, people: named, of, knownIn, ...from }: Arrival): void {
    const { instanceId, baseUrl, place } = sourceOf(from, of)
    for (const { userId, username } of named)
      if (people.findRemote(baseUrl, userId) === undefined)
        people.addRemote({ userId, knownAs: username, instanceId, baseUrl }, place, change.at)
    if (roomId !== null) imported.put(roomId, knownIn ?? from.instanceId, from, change.at)
  },
})

// Removal of a Room of another instance: finds its writes, and refuses while another write refers to them.

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
