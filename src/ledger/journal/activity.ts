/** The activity of each Room: the writes of the journal that it should hear of, each chained to the one before by digest. */
import type { ActivityEntry } from "../../contract/answers/index.ts"
import { firstPreviousDigest } from "../../contract/answers/chain.ts"
import { digestOf, parse, type Stored, stored } from "../../contract/json.ts"
import { present } from "../../contract/present.ts"
import { everyOperation, recordedOperation } from "../../contract/operations/index.ts"
import type { Db } from "../storage/database.ts"
import { inserting } from "../storage/inserting.ts"
import { keptTexts } from "./kept-texts.ts"
import { placeOf } from "./keys.ts"
import { DIGEST, SHA256 } from "./packed.ts"
import { ofKinds } from "../lists/paging.ts"
import { type Target, TARGET, targetText } from "./target.ts"

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
  /** Whether something of that is withheld. */
  readonly isSealed: boolean
}

/** Entries that are looked through for what a credential wrote last. */
const SIGHT = 2_000

/** An entry's place in the journal, when it was accepted, and its digest. */
export interface Place {
  readonly position: number
  readonly acceptedAt: string
  readonly digest: string
}

/** An entry as the columns of its write tell it. */
export interface ActivityFields extends Target {
  readonly sequence: number
  readonly operation: string
  readonly at: string
  readonly userId: string
  readonly username: string
  /** Empty for a person in the browser; null for an entry from before agents had names. */
  readonly agent?: string | null
  readonly threadId: string | null
  readonly contentDigest: string
}
/** Its canonical JSON, without its own digest: members in the order of their names. */
export const activityText = (told: ActivityFields, previousDigest: string): string =>
  `${membersOf(told, told.contentDigest, previousDigest)}}`

/** The same without the brace at its end. */
function membersOf(told: Omit<ActivityFields, "contentDigest">, contentDigest: string, previousDigest: string): string {
  const { sequence, operation, at, userId, username, agent, threadId, entryId } = told
  const id = (value: string | null) => (value === null ? "null" : `"${value}"`)
  return (
    `{"actor":{${agent == null ? "" : `"agent":${agent === "" ? "null" : JSON.stringify(agent)},`}"userId":"${userId}","username":${JSON.stringify(username)}},"at":"${at}","contentDigest":"${contentDigest}","entryId":${id(entryId)}` +
    `,"kind":"${recordedOperation(operation)?.activity ?? ""}","operation":"${operation}","previousDigest":"${previousDigest}","sequence":${sequence}` +
    `,"target":${targetText(told)},"threadId":${id(threadId)}`
  )
}

interface Kept extends Omit<ActivityFields, "contentDigest"> {
  readonly name: string
  /** That of its content, its own and that of the entry before it, if there is one; in hex: the driver hands over one text faster than three. */
  readonly digests: string
}
const HEX = 64
/** An entry's JSON text. */
function served(row: Kept): Stored<ActivityEntry> {
  const [content = "", own = "", previous = ""] = [0, 1, 2].map((nth) => SHA256 + row.digests.slice(nth * HEX, (nth + 1) * HEX))
  return stored<ActivityEntry>(`${membersOf(row, content, previous === SHA256 ? firstPreviousDigest : previous)},"digest":"${own}"}`)
}

const FROM = `FROM journal j JOIN writers w ON w.writer = j.writer LEFT JOIN places t ON t.place = j.thread
    LEFT JOIN timeline_entries e ON e.thread = j.thread AND e.sequence = j.entry_sequence`
/** An entry's own digest is over all of its text. */
const NAME = "hex(j.activity_digest) AS name"
const COLUMNS = `${NAME}, j.room_sequence AS sequence, j.operation, j.at, w.user_id AS userId, w.username, w.agent, t.id AS threadId, ${TARGET},
    lower(hex(j.content_digest) || hex(j.activity_digest) ||
      hex((SELECT b.activity_digest FROM journal b WHERE b.room = j.room AND b.room_sequence = j.room_sequence - 1))) AS digests`
const CONTENT = "j.content, EXISTS (SELECT 1 FROM withheld_writes x WHERE x.history_position = j.position) AS isSealed"
interface Found {
  readonly sequence: number
  readonly name: string
}
interface Content {
  readonly content: string
  readonly isSealed: 0 | 1
}
/** Who wrote: a person here by a credential, or in the browser. */
export interface Writer {
  readonly userId: string
  readonly credentialId: string | null
}
/** Up to `count` entries of a Room after one; of some kinds, or of all; without those of a writer. */
type Page = readonly [roomId: string, after: number, kinds: readonly string[] | undefined, count: number, without?: Writer]
const OTHERS = "AND w.person_id || w.sender IS NOT +?"
const IN_ROOM = `WHERE j.room = ${placeOf("+?")} AND j.room_sequence`

/** The operations whose entries are of each kind. */
const byKind = Map.groupBy(
  everyOperation.filter(({ activity }) => activity !== null),
  ({ activity }) => activity ?? "",
)

export type Activity = ReturnType<typeof activity>

export function activity(db: Db) {
  const head = db.prepare<Head>("SELECT activity_sequence AS sequence, activity_digest AS digest FROM room_heads WHERE room_id = +?")
  const advance = inserting(db, "room_heads", {
    onConflict: `DO UPDATE SET activity_sequence = excluded.activity_sequence, activity_digest = excluded.activity_digest,
      last_activity_at = excluded.last_activity_at, accepted_bytes = accepted_bytes + excluded.accepted_bytes`,
  })
  const place = db.prepare<Place>(
    `SELECT j.position, j.at AS acceptedAt, ${DIGEST("j.activity_digest")} AS digest FROM journal j ${IN_ROOM} = +?`,
  )
  const localActor = db.prepare<{ userId: string }>(
    `SELECT w.person_id AS userId FROM journal j JOIN writers w ON w.writer = j.writer ${IN_ROOM} = +?`,
  )
  const lastOfSenders = db.prepare<Kept & { sender: string }>(
    `SELECT ${COLUMNS}, w.sender, max(j.room_sequence) FROM (SELECT j.position FROM journal j ${IN_ROOM} > 0 ORDER BY j.room_sequence DESC LIMIT ${SIGHT}) n
     JOIN ${FROM.replace("FROM journal j", "journal j ON j.position = n.position")} WHERE w.sender <> '' GROUP BY w.sender`,
  )

  const some = db.prepare<Kept>(`SELECT ${COLUMNS} ${FROM} ${IN_ROOM} IN (SELECT value FROM json_each(+?))`)
  const texts = keptTexts(db)

  /** Reads up to `count` entries after `after`, each with further columns. */
  function pageWith<Further extends object>(further = "") {
    const find = (join: string, where: string) =>
      db.prepare<Found & Further>(
        `SELECT ${NAME}, j.room_sequence AS sequence${further} FROM journal j ${join} ${IN_ROOM} > +? ${where} ORDER BY j.room_sequence LIMIT +?`,
      )
    const writers = "JOIN writers w ON w.writer = j.writer"
    const page = find("", "")
    const pageOfOthers = find(writers, OTHERS)
    const pageOfOperation = find(writers, `${OTHERS} AND j.operation = +?`)
    function found(...[roomId, after, kinds, count, without]: Page): (Found & Further)[] {
      const left = without === undefined ? null : without.userId + (without.credentialId ?? "")
      if (kinds === undefined) return left === null ? page.all(roomId, after, count) : pageOfOthers.all(roomId, after, left, count)
      const operations = kinds.flatMap((kind) => byKind.get(kind) ?? [])
      return ofKinds(operations, ({ name }) => pageOfOperation.all(roomId, after, left, name, count), count)
    }
    return (...asked: Page): { row: Found & Further; body: Row["body"] }[] =>
      db.snapshot(() => {
        const rows = found(...asked)
        const bodies = texts(rows, (missing) =>
          some.all(asked[0], JSON.stringify(missing.map(({ sequence }) => sequence))).map((row) => ({ name: row.name, text: served(row) })),
        )
        return rows.map((row) => ({ row, body: stored<ActivityEntry>(present(bodies.get(row.name))) }))
      })
  }
  const lean = pageWith()
  const full = pageWith<Content>(`, ${CONTENT}`)

  return {
    /** What each credential wrote last in a Room, as far as its newest entries tell. */
    lastOfSenders: (roomId: string): ReadonlyMap<string, ActivityEntry> =>
      new Map(lastOfSenders.all(roomId).map((row) => [row.sender, parse(served(row))])),

    /** The id here of who wrote an entry, where people of another instance have another one there. */
    localActor: (roomId: string, { sequence, actor }: Pick<ActivityEntry, "sequence" | "actor">): string =>
      localActor.get(roomId, sequence)?.userId ?? actor.userId,

    /** Where in the journal an entry of a Room stands. */
    placeOf: (roomId: string, sequence: number): Place | undefined => place.get(roomId, sequence),

    /** Moves a Room's head on by the next entry, which its write keeps. @param content what was accepted */
    advance(roomId: string, content: string, told: Omit<ActivityFields, "sequence">): { sequence: number; digest: string } {
      const before = head.get(roomId)
      const sequence = (before?.sequence ?? 0) + 1
      const digest = digestOf(activityText({ ...told, sequence }, before?.digest ?? firstPreviousDigest))
      advance({
        roomId,
        activitySequence: sequence,
        activityDigest: digest,
        lastActivityAt: told.at,
        acceptedBytes: Buffer.byteLength(content),
      })
      return { sequence, digest }
    },

    /** The sequence of the newest entry of a Room; 0 when it has none. */
    watermark: (roomId: string): number => head.get(roomId)?.sequence ?? 0,

    /** Up to `count` entries after `after`, as text. */
    after: (...page: Page): Row[] => lean(...page).map(({ row: { sequence }, body }) => ({ sequence, body })),
    /** The same with what was accepted. */
    fullAfter: (...page: Page): FullRow[] =>
      full(...page).map(({ row: { sequence, content, isSealed }, body }) => ({ sequence, body, content, isSealed: isSealed === 1 })),
  }
}
