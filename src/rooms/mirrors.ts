/** Rooms of other instances that are followed: which, from where, and how far that has come. */
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"

export interface Followed {
  readonly roomId: string
  /** Where it is followed: scheme, host and path, without a slash at the end. */
  readonly baseUrl: string
  /** Where its activity stood there when it was last heard of, and when that was; null until it is. */
  readonly originSequence: number | null
  readonly heardAt: string | null
  /** Why it is followed no longer; null while it is. */
  readonly stopped: string | null
}

export function mirrors(db: Db) {
  const put = inserting(db, "mirrors", {
    onConflict: "DO UPDATE SET base_url = excluded.base_url, added_at = excluded.added_at, stopped = NULL",
  })
  const remove = db.prepare("DELETE FROM mirrors WHERE room_id = +?")
  const all = db.prepare<Followed>(
    `SELECT room_id AS roomId, base_url AS baseUrl, origin_sequence AS originSequence, heard_at AS heardAt, stopped
     FROM mirrors ORDER BY room_id`,
  )
  const one = db.prepare("SELECT 1 FROM mirrors WHERE room_id = +? AND base_url = +? AND stopped IS NULL")
  const heard = db.prepare("UPDATE mirrors SET origin_sequence = +?, heard_at = +? WHERE room_id = +? AND base_url = +?")
  const stop = db.prepare("UPDATE mirrors SET stopped = +? WHERE room_id = +? AND base_url = +?")
  return {
    /** Begins to follow a Room, or goes on after it was stopped. */
    put: (roomId: string, baseUrl: string, at: string) => put({ roomId, baseUrl, addedAt: at }),
    /** Whether it was followed. What is here of the Room stays. */
    remove: (roomId: string): boolean => remove.run(roomId) === 1,
    all: (): Followed[] => all.all(),
    /** Whether it is followed there now. */
    follows: (roomId: string, baseUrl: string): boolean => one.get(roomId, baseUrl) !== undefined,
    /** Notes where the Room stands at its origin. */
    heard: (roomId: string, baseUrl: string, sequence: number, at: string) => heard.run(sequence, at, roomId, baseUrl),
    stop: (roomId: string, baseUrl: string, why: string) => stop.run(why, roomId, baseUrl),
  }
}
