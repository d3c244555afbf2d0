/** Rooms of other instances: where each comes from, and the people there. */
import type { RoomOrigin } from "../contract/answers/index.ts"
import { withoutTrailing } from "../contract/text.ts"
import type { ActCall } from "../ledger/journal/acts.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import type { People } from "../people/people.ts"
import { trusted } from "../contract/json.ts"

/** Where a Room was until another instance adopted it, and the last entry of its activity there. */
export type Home = {
  readonly instanceId: string
  readonly baseUrl: string
  readonly throughSequence: number
}

/** Stands where an address would for what only an imported file says. */
export const FILE = "file"

/** Another instance, as far as a Room's history says where it comes from. */
export type RoomSource = {
  readonly instanceId: string
  /** Scheme, host and path, without a slash at the end. */
  readonly baseUrl: string
  readonly softwareVersion: string
  /** Who says that the Room is of that instance: the address of another one, or `file`; left out, it was fetched there. */
  readonly toldBy?: string | undefined
  /** Of a Room that was adopted there: where it was before, oldest first. Left out of every other one. */
  readonly adopted?: readonly Home[] | undefined
}

/** SQL for where a Room comes from, as JSON; null for one of this instance. @param room the alias of its table @param heads that of room_heads */
export const ORIGIN = (room: string, heads: string): string =>
  `(SELECT json_object('instanceId', i.instance_id, 'baseUrl', i.base_url, 'throughSequence', coalesce(${heads}.activity_sequence, 0), 'toldBy', i.told_by, 'importedAt', i.imported_at,
      'mirror', json((SELECT json_object('originSequence', f.origin_sequence, 'behind', max(0, f.origin_sequence - coalesce(${heads}.activity_sequence, 0)), 'heardAt', f.heard_at, 'stopped', f.stopped)
        FROM mirrors f WHERE f.room_id = i.room_id)))
    FROM imported_rooms i WHERE i.room_id = ${room}.room_id AND i.adopted_at IS NULL)`

/** SQL for where a Room was before it was adopted, as a JSON list. @param room the alias of its table */
export const ADOPTED = (room: string): string =>
  `(SELECT json_group_array(json_object('instanceId', d.instance_id, 'baseUrl', d.base_url, 'throughSequence', d.sequence - 1, 'adoptedAt', d.adopted_at) ORDER BY d.sequence)
    FROM room_adoptions d WHERE d.room_id = ${room}.room_id)`

/** SQL for the state of a Room as far as work in it goes: one of another instance admits none here. @param room the alias of its table */
export const WORK_STATE = (room: string): string =>
  `iif(EXISTS (SELECT 1 FROM imported_rooms i WHERE i.room_id = ${room}.room_id AND i.adopted_at IS NULL), 'archived', ${room}.state)`

/** Between the two places in the name of a person of one instance of whom another one tells. No name that somebody has holds it. */
export const NAMED_BY = "~told-by-"

/** What an instance is called beside the names of its people: its host and path. */
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
  const firstHand = db.prepare<{ instanceId: string }>(
    "SELECT instance_id AS instanceId FROM imported_rooms WHERE room_id = +? AND base_url = +? AND told_by IS NULL AND adopted_at IS NULL",
  )
  const homes = db.prepare<Home>(
    "SELECT instance_id AS instanceId, base_url AS baseUrl, sequence - 1 AS throughSequence FROM room_adoptions WHERE room_id = +? ORDER BY sequence",
  )
  const keep = db.prepare("UPDATE imported_rooms SET adopted_at = +? WHERE room_id = +?")
  const leave = inserting(db, "room_adoptions")
  /** With where it was before, where it was adopted. */
  const withHomes = (roomId: string, from: RoomSource): RoomSource => {
    const adopted = homes.all(roomId)
    return adopted.length === 0 ? from : { ...from, adopted }
  }
  const origin = db.prepare<{ origin: string | null }>(
    `SELECT ${ORIGIN("r", "h")} AS origin FROM rooms r LEFT JOIN room_heads h ON h.room_id = r.room_id WHERE r.room_id = +?`,
  )
  return {
    /** Notes where a Room comes from. What its references are known in stays what was said first. */
    put: (roomId: string, knownIn: string, { instanceId, baseUrl, softwareVersion, toldBy }: RoomSource, at: string) =>
      put({ roomId, knownIn, instanceId, baseUrl, softwareVersion, toldBy, importedAt: at }),
    /** Where a Room comes from; undefined for one of this instance. */
    from(roomId: string): RoomSource | undefined {
      const found = one.get(roomId)
      return found && withHomes(roomId, found)
    },
    /** The instance that a Room was fetched from at an address; undefined if it came from elsewhere, or is here only because others cite it. */
    firstHand: (roomId: string, baseUrl: string): string | undefined => firstHand.get(roomId, baseUrl)?.instanceId,
    withHomes,
    /** Where a Room was before it was adopted, here or where it comes from. */
    homes: (roomId: string): Home[] => homes.all(roomId),
    /** Notes that a Room is no longer of the instance that it was of. */
    leave: (roomId: string, { instanceId, baseUrl, throughSequence }: Home, at: string) =>
      leave({ roomId, sequence: throughSequence + 1, instanceId, baseUrl, adoptedAt: at }),
    /** From now on the Room is this instance's own. */
    keep: (roomId: string, at: string) => keep.run(at, roomId),
    /** The same as it is served, null for a Room of this instance. */
    origin(roomId: string): RoomOrigin | null {
      const found = origin.get(roomId)?.origin
      return found == null ? null : trusted<RoomOrigin>(found)
    },
  }
}

/** What is said when a Room comes from elsewhere. */
export interface Arrival extends RoomSource {
  /** null: the Room was dropped since, and only its people are still named. */
  readonly roomId: string | null
  /** Set where the Room was fetched only because another one names something of it. */
  readonly along?: true
  /** Everybody whom its history names, as they are called there. */
  readonly people: readonly { readonly userId: string; readonly username: string }[]
  /** The instance of these people, where the Room was adopted by another one since; left out, the one it comes from. */
  readonly of?: Pick<Home, "instanceId" | "baseUrl">
  /** The instance among whose references the Room's are known, where the Room was adopted since; left out, the one it comes from. */
  readonly knownIn?: string
}

/**
 * Whose people a Room's history names. A Room's own instance answers for its people. Where another one tells of them (at second
 * hand, or as of before the Room was adopted) they are shown with both, and are nobody whom their instance itself names.
 */
export function sourceOf(
  from: RoomSource,
  of: Pick<Home, "instanceId" | "baseUrl"> = from,
): Omit<Home, "throughSequence"> & { readonly place: string } {
  const teller = from.toldBy !== undefined && from.toldBy !== FILE ? from.toldBy : from.baseUrl
  if (teller === of.baseUrl) return { instanceId: of.instanceId, baseUrl: teller, place: placeOf(teller) }
  return { instanceId: of.instanceId, baseUrl: `${teller} ${of.baseUrl}`, place: `${placeOf(of.baseUrl)}${NAMED_BY}${placeOf(teller)}` }
}

/** What imports do beside the writes that they do again. */
export const importActs = ({ people, imported }: { readonly people: People; readonly imported: ImportedRooms }) => ({
  /** Makes the people there who are not known yet, and notes where the Room comes from. Its writes follow. */
  import_room({ change }: ActCall, { roomId, people: named, of, knownIn, ...from }: Arrival): void {
    const { instanceId, baseUrl, place } = sourceOf(from, of)
    for (const { userId, username } of named)
      if (people.foreigner(baseUrl, userId) === undefined) people.meet({ userId, knownAs: username, instanceId, baseUrl }, place, change.at)
    if (roomId !== null) imported.put(roomId, knownIn ?? from.instanceId, from, change.at)
  },
})
