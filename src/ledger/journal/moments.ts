/** What was written in a Room since an earlier moment, for readers that keep what they have read. */
import type { Db } from "../storage/database.ts"
import { DIGEST, placeOf } from "./columns.ts"
import { headsOf } from "./heads.ts"

/** An entry of a Room's activity, and the newest write that withheld something anywhere when it was the newest. */
export interface Moment {
  readonly sequence: number
  readonly digest: string
  readonly withheld: number | null
}

/** Entries that are looked through; after more of them a reader reads everything again. */
const MOST = 1_000

export function moments(db: Db) {
  const head = db.prepare<Moment>(
    `SELECT activity_sequence AS sequence, activity_digest AS digest,
      (SELECT max(by_position) FROM withheld_fields) AS withheld
     FROM room_heads WHERE room_id = +?`,
  )
  const IN_ROOM = `FROM journal j WHERE j.room = ${placeOf("+?")} AND j.room_sequence`
  const entry = db.prepare<{ digest: string }>(`SELECT ${DIGEST("j.activity_digest")} AS digest ${IN_ROOM} = +?`)
  const since = db.prepare<{ kind: string | null; id: string }>(
    `SELECT j.target_kind AS kind, j.target_id AS id ${IN_ROOM} > +? LIMIT ${MOST + 1}`,
  )
  const heads = headsOf(db)
  return {
    /** The newest moment of a Room; undefined in a transaction of the queue, whose writes may be taken back. */
    now: (roomId: string): Moment | undefined => (heads.isOpen ? undefined : head.get(roomId)),

    /**
     * The ids of the objects of a kind that were written to between two moments; undefined if there were too many
     * writes, if the earlier moment is not of this history, or if something was withheld.
     */
    writtenBetween(roomId: string, kind: string, then: Moment, now: Moment): Set<string> | undefined {
      if (now.withheld !== then.withheld || entry.get(roomId, then.sequence)?.digest !== then.digest) return undefined
      const rows = since.all(roomId, then.sequence)
      return rows.length > MOST ? undefined : new Set(rows.flatMap((row) => (row.kind === kind ? row.id : [])))
    },
  }
}
