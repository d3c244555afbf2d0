/** Rooms of other instances: the origin of each, and its people. */
import type { RoomOrigin } from "../contract/answers/index.ts"
import { withoutTrailing } from "../contract/text.ts"
import type { ActCall } from "../ledger/journal/acts.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import type { People } from "../people/people.ts"
import { trusted } from "../contract/json.ts"

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
const placeOf = (baseUrl: string): string => {
  const { host, pathname } = new URL(baseUrl)
  return `${host}${withoutTrailing(pathname, "/")}`
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
  if (source === of.baseUrl) return { instanceId: of.instanceId, baseUrl: source, place: placeOf(source) }
  return {
    instanceId: of.instanceId,
    baseUrl: `${source} ${of.baseUrl}`,
    place: `${placeOf(of.baseUrl)}${NAMED_BY}${placeOf(source)}`,
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
