/** The activity of each Room: one entry per accepted write, each chained to the one before by digest. */
import type { ActivityEntry } from "../contract/answers.ts"
import { firstPreviousDigest } from "../contract/chain.ts"
import { canonicalJson, digestOf, extendJson, parse, type Stored } from "../contract/json.ts"
import type { Db } from "./database.ts"
import { ofKinds } from "./paging.ts"

interface Head {
  readonly sequence: number
  readonly digest: string
}
export interface Row {
  readonly sequence: number
  readonly body: Stored<ActivityEntry>
}
/** An entry with what was accepted. */
export interface FullRow extends Row {
  readonly content: string
}

const CONTENT = "(SELECT h.content FROM history h WHERE h.position = a.history_position)"

/** Entries that are looked through for what a credential wrote last. */
const SIGHT = 2_000

/** An entry's place in the history, and what is told of it. */
export interface Place {
  readonly position: number
  readonly acceptedAt: string
  readonly digest: string
}

export type Activity = ReturnType<typeof activity>

export function activity(db: Db) {
  const head = db.prepare<Head>("SELECT activity_sequence AS sequence, activity_digest AS digest FROM room_heads WHERE room_id = ?")
  const insert = db.prepare("INSERT INTO activity_entries (room_id, sequence, kind, history_position, body) VALUES (?, ?, ?, ?, ?)")
  const advance = db.prepare(
    `INSERT INTO room_heads (room_id, activity_sequence, activity_digest, last_activity_at, accepted_bytes) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET activity_sequence = excluded.activity_sequence, activity_digest = excluded.activity_digest,
       last_activity_at = excluded.last_activity_at, accepted_bytes = accepted_bytes + excluded.accepted_bytes`,
  )
  const page = db.prepare<Row>("SELECT sequence, body FROM activity_entries WHERE room_id = ? AND sequence > ? ORDER BY sequence LIMIT ?")
  const pageOfKind = db.prepare<Row>(
    "SELECT sequence, body FROM activity_entries WHERE room_id = ? AND kind = ? AND sequence > ? ORDER BY sequence LIMIT ?",
  )
  const fullPage = db.prepare<FullRow>(
    `SELECT a.sequence, a.body, ${CONTENT} AS content FROM activity_entries a WHERE a.room_id = ? AND a.sequence > ? ORDER BY a.sequence LIMIT ?`,
  )
  const fullPageOfKind = db.prepare<FullRow>(
    `SELECT a.sequence, a.body, ${CONTENT} AS content FROM activity_entries a WHERE a.room_id = ? AND a.kind = ? AND a.sequence > ? ORDER BY a.sequence LIMIT ?`,
  )
  const actorHere = db.prepare<{ userId: string }>(
    `SELECT h.given ->> ('$.people."' || h.user_id || '"') AS userId FROM activity_entries a JOIN history h ON h.position = a.history_position
     WHERE a.room_id = ? AND a.sequence = ? AND h.given LIKE '%"people"%'`,
  )
  const place = db.prepare<Place>(
    "SELECT history_position AS position, body ->> '$.at' AS acceptedAt, body ->> '$.digest' AS digest FROM activity_entries WHERE room_id = ? AND sequence = ?",
  )

  const lastOfSenders = db.prepare<{ sender: string; body: Stored<ActivityEntry> }>(
    `SELECT h.sender, a.body, max(a.sequence) FROM (SELECT sequence, history_position, body FROM activity_entries WHERE room_id = ? ORDER BY sequence DESC LIMIT ${SIGHT}) a
     JOIN history h ON h.position = a.history_position WHERE h.sender IS NOT NULL GROUP BY h.sender`,
  )

  return {
    /** What each credential wrote last in a Room, as far as its newest entries tell. */
    lastOfSenders: (roomId: string): ReadonlyMap<string, ActivityEntry> =>
      new Map(lastOfSenders.all(roomId).map(({ sender, body }) => [sender, parse(body)])),

    /** The id here of who wrote an entry, where people of another instance have another one there. */
    actorHere: (roomId: string, { sequence, actor }: Pick<ActivityEntry, "sequence" | "actor">): string =>
      actorHere.get(roomId, sequence)?.userId ?? actor.userId,

    /** Where in the history an entry of a Room stands. */
    placeOf: (roomId: string, sequence: number): Place | undefined => place.get(roomId, sequence),

    /** Adds the next entry of a Room. @param content what was accepted, as the history keeps it */
    append(
      roomId: string,
      position: number,
      content: string,
      entry: Omit<ActivityEntry, "sequence" | "digest" | "previousDigest">,
    ): { sequence: number; digest: string } {
      const before = head.get(roomId)
      const sequence = (before?.sequence ?? 0) + 1
      const text = canonicalJson({ ...entry, sequence, previousDigest: before?.digest ?? firstPreviousDigest })
      const digest = digestOf(text)
      insert.run(roomId, sequence, entry.kind, position, extendJson(text, { digest }))
      advance.run(roomId, sequence, digest, entry.at, Buffer.byteLength(content))
      return { sequence, digest }
    },

    /** The sequence of the newest entry of a Room; 0 when it has none. */
    watermark: (roomId: string): number => head.get(roomId)?.sequence ?? 0,

    /** Up to `count` entries after `after`, as stored text. */
    after: (roomId: string, after: number, kinds: readonly string[] | undefined, count: number): Row[] =>
      kinds === undefined ? page.all(roomId, after, count) : ofKinds(kinds, (kind) => pageOfKind.all(roomId, kind, after, count), count),

    /** The same with what was accepted. */
    fullAfter: (roomId: string, after: number, kinds: readonly string[] | undefined, count: number): FullRow[] =>
      kinds === undefined
        ? fullPage.all(roomId, after, count)
        : ofKinds(kinds, (kind) => fullPageOfKind.all(roomId, kind, after, count), count),
  }
}
