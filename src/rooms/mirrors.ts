/** Mirrors: the Rooms of other instances that this one follows, with the progress of each. */
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"

export interface Followed {
  readonly roomId: string
  /** The address of the origin: scheme, host and path, without a slash at the end. */
  readonly baseUrl: string
  /** The sequence of the newest entry at the origin when it last answered; null before it has. */
  readonly originSequence: number | null
  readonly heardAt: string | null
  /** Why the Room is no longer followed; null while it is. */
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
  const heard = db.prepare(
    "UPDATE mirrors SET origin_sequence = +?, heard_at = +? WHERE room_id = +? AND base_url = +?",
  )
  const stop = db.prepare("UPDATE mirrors SET stopped = +? WHERE room_id = +? AND base_url = +?")
  return {
    /** Starts to follow a Room, or resumes. */
    put: (roomId: string, baseUrl: string, at: string) => put({ roomId, baseUrl, addedAt: at }),
    /** Stops following a Room; its content stays here. @returns false if it was not followed */
    remove: (roomId: string): boolean => remove.run(roomId) === 1,
    all: (): Followed[] => all.all(),
    follows: (roomId: string, baseUrl: string): boolean => one.get(roomId, baseUrl) !== undefined,
    /** Stores the sequence of the newest entry at the origin. */
    heard: (roomId: string, baseUrl: string, sequence: number, at: string) => heard.run(sequence, at, roomId, baseUrl),
    stop: (roomId: string, baseUrl: string, why: string) => stop.run(why, roomId, baseUrl),
  }
}
