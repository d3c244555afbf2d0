/** Rooms of other instances: where each comes from, and the people there. */
import type { RoomOrigin } from "../contract/answers.ts"
import type { ActCall } from "../ledger/acts.ts"
import type { Db } from "../ledger/database.ts"
import type { People } from "../people/people.ts"

/** Another instance, as far as a Room's history says where it comes from. */
export interface Elsewhere {
  readonly instanceId: string
  /** Scheme, host and path, without a slash at the end. */
  readonly baseUrl: string
  readonly softwareVersion: string
}

/** SQL for where a Room comes from, as JSON; null for one of this instance. @param room the alias of its table @param heads that of room_heads */
export const ORIGIN = (room: string, heads: string): string =>
  `(SELECT json_object('instanceId', i.instance_id, 'baseUrl', i.base_url, 'throughSequence', coalesce(${heads}.activity_sequence, 0), 'importedAt', i.imported_at,
      'mirror', json((SELECT json_object('originSequence', f.origin_sequence, 'behind', max(0, f.origin_sequence - coalesce(${heads}.activity_sequence, 0)), 'heardAt', f.heard_at, 'stopped', f.stopped)
        FROM mirrors f WHERE f.room_id = i.room_id)))
    FROM imported_rooms i WHERE i.room_id = ${room}.room_id)`

/** SQL for the state of a Room as far as work in it goes: one of another instance admits none here. @param room the alias of its table */
export const WORK_STATE = (room: string): string =>
  `iif(${room}.room_id IN (SELECT room_id FROM imported_rooms), 'archived', ${room}.state)`

/** What an instance is called beside the names of its people: its host and path. */
const placeOf = (baseUrl: string): string => {
  const { host, pathname } = new URL(baseUrl)
  return `${host}${pathname.replace(/\/+$/, "")}`
}

export type ImportedRooms = ReturnType<typeof importedRooms>

export function importedRooms(db: Db) {
  const put = db.prepare(
    `INSERT INTO imported_rooms (room_id, instance_id, base_url, software_version, imported_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET base_url = excluded.base_url, software_version = excluded.software_version, imported_at = excluded.imported_at`,
  )
  const one = db.prepare<Elsewhere>(
    "SELECT instance_id AS instanceId, base_url AS baseUrl, software_version AS softwareVersion FROM imported_rooms WHERE room_id = ?",
  )
  const origin = db.prepare<{ origin: string | null }>(
    `SELECT ${ORIGIN("r", "h")} AS origin FROM rooms r LEFT JOIN room_heads h ON h.room_id = r.room_id WHERE r.room_id = ?`,
  )
  return {
    /** Notes where a Room comes from. The instance that it first came from stays what its references are known in. */
    put: (roomId: string, { instanceId, baseUrl, softwareVersion }: Elsewhere, at: string) =>
      put.run(roomId, instanceId, baseUrl, softwareVersion, at),
    /** Where a Room comes from; undefined for one of this instance. */
    from: (roomId: string): Elsewhere | undefined => one.get(roomId),
    /** The same as it is served, null for a Room of this instance. */
    origin(roomId: string): RoomOrigin | null {
      const found = origin.get(roomId)?.origin
      return found == null ? null : (JSON.parse(found) as RoomOrigin)
    },
  }
}

/** What is said when a Room comes from elsewhere. */
export interface Arrival extends Elsewhere {
  readonly roomId: string
  /** Everybody whom its history names, as they are called there. */
  readonly people: readonly { readonly userId: string; readonly username: string }[]
}

/** What imports do beside the writes that they do again. */
export const importActs = ({ people, imported }: { readonly people: People; readonly imported: ImportedRooms }) => ({
  /** Makes the people there who are not known yet, and notes where the Room comes from. Its writes follow. */
  import_room({ change }: ActCall, { roomId, people: named, instanceId, baseUrl, softwareVersion }: Arrival): void {
    const place = placeOf(baseUrl)
    for (const { userId, username } of named)
      if (people.foreigner(userId) === undefined) people.meet({ userId, knownAs: username, instanceId }, place, change.at)
    imported.put(roomId, { instanceId, baseUrl, softwareVersion }, change.at)
  },
})
