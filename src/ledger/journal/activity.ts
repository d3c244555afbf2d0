/**
 * The activity of each Room: the journal's writes that the Room shows, each chained to the one before it by a digest.
 */
import { type ActivityEntry, firstPreviousDigest } from "../../contract/reads/activity.ts"
import { digestOf, parse, type Stored, stored } from "../../contract/json.ts"
import { present } from "../../contract/typed.ts"
import { everyOperation, recordedOperation } from "../../contract/operations/index.ts"
import type { Db } from "../storage/database.ts"
import { inserting } from "../storage/inserting.ts"
import { keptTexts } from "../storage/caches.ts"
import { DIGEST, placeOf, SHA256, type Target, TARGET, targetText } from "./columns.ts"
import { ofKinds } from "../lists/paging.ts"
import { type Entry, journal, headsOf } from "./journal.ts"

interface Head {
  readonly sequence: number
  readonly digest: string
}
export interface Row {
  readonly sequence: number
  readonly body: Stored<ActivityEntry>
}
/** An entry with the content of its write. */
export interface FullRow extends Row {
  readonly content: string
  /** Whether part of the content is withheld. */
  readonly isWithheld: boolean
}

/** The actor of an entry, and the rest of the sentence, which follows the actor's name. */
export interface EntryDescription {
  readonly actor: ActivityEntry["actor"]
  readonly text: string
}
/** @param content the accepted content as JSON text; null if it is not known */
export type DescribeEntry = (roomId: string, entry: ActivityEntry, content: string | null) => EntryDescription

/** How many of the newest entries are searched for the last write of each credential. */
const SEARCHED = 2_000

/** An entry's position in the journal, its time and its digest. */
export interface Place {
  readonly position: number
  readonly acceptedAt: string
  readonly digest: string
}

/** The fields of an entry, from the columns of its write. */
export interface ActivityFields extends Target {
  readonly sequence: number
  readonly operation: string
  /** What the operation counts as in the feed. */
  readonly kind: string
  readonly at: string
  readonly userId: string
  readonly username: string
  /** Empty for a person in the browser; null for an entry from before agents had names. */
  readonly agent?: string | null
  readonly threadId: string | null
  readonly contentDigest: string
}
/** The canonical JSON of an entry without its own digest; the members are sorted by name. */
export const activityText = (fields: ActivityFields, previousDigest: string): string =>
  `${membersOf(fields, fields.kind, fields.contentDigest, previousDigest)}}`

/** The same text without the closing brace. */
function membersOf(
  fields: Omit<ActivityFields, "kind" | "contentDigest">,
  kind: string,
  contentDigest: string,
  previousDigest: string,
): string {
  const { sequence, operation, at, userId, username, agent, threadId, entryId } = fields
  const id = (value: string | null) => (value === null ? "null" : `"${value}"`)
  return (
    `{"actor":{${agent == null ? "" : `"agent":${agent === "" ? "null" : JSON.stringify(agent)},`}"userId":"${userId}` +
    `","username":${JSON.stringify(username)}},"at":"${at}","contentDigest":"` +
    `${contentDigest}","entryId":${id(entryId)}` +
    `,"kind":"${kind}","operation":"${operation}","previousDigest":"` +
    `${previousDigest}","sequence":${sequence}` +
    `,"target":${targetText(fields)},"threadId":${id(threadId)}`
  )
}

interface Kept extends Omit<ActivityFields, "kind" | "contentDigest"> {
  readonly name: string
  /**
   * The digests of its content, of itself and of the entry before it, if there is one, as one hex text: the driver
   * returns one text faster than three.
   */
  readonly digests: string
}
const HEX = 64
function served(row: Kept): Stored<ActivityEntry> {
  const [content = "", own = "", previous = ""] = [0, 1, 2].map(
    (nth) => SHA256 + row.digests.slice(nth * HEX, (nth + 1) * HEX),
  )
  const kind = recordedOperation(row.operation)?.activity ?? ""
  return stored<ActivityEntry>(
    `${membersOf(row, kind, content, previous === SHA256 ? firstPreviousDigest : previous)},"digest":"${own}"}`,
  )
}

const FROM = `FROM journal j JOIN writers w ON w.writer = j.writer LEFT JOIN places t ON t.place = j.thread
    LEFT JOIN timeline_entries e ON e.thread = j.thread AND e.sequence = j.entry_sequence`
/** Names the text of an entry. The digest covers all of it. */
const NAME = "hex(j.activity_digest) AS name"
const COLUMNS = `${NAME}, j.room_sequence AS sequence, j.operation, j.at, w.user_id AS userId, w.username, w.agent,
    t.id AS threadId, ${TARGET},
    lower(hex(j.content_digest) || hex(j.activity_digest) ||
      hex((SELECT b.activity_digest
        FROM journal b
        WHERE b.room = j.room AND b.room_sequence = j.room_sequence - 1))) AS digests`
const CONTENT =
  "j.content, EXISTS (SELECT 1 FROM withheld_writes x WHERE x.history_position = j.position) AS isWithheld"
interface Found {
  readonly sequence: number
  readonly name: string
}
interface Content {
  readonly content: string
  readonly isWithheld: 0 | 1
}
/** The author of a write: a person with a credential, or in the browser. */
export interface Writer {
  readonly userId: string
  readonly credentialId: string | null
}
/** Up to `count` entries of a Room after `after`, of some kinds or of all, without those of one writer. */
type Page = readonly [
  roomId: string,
  after: number,
  kinds: readonly string[] | undefined,
  count: number,
  without?: Writer,
]
const OTHERS = "AND w.person_id || w.sender IS NOT +?"
const IN_ROOM = `WHERE j.room = ${placeOf("+?")} AND j.room_sequence`

/** The operations that make entries of each kind. */
const byKind = Map.groupBy(
  everyOperation.filter(({ activity }) => activity !== null),
  ({ activity }) => activity ?? "",
)

export type Activity = ReturnType<typeof activity>

export function activity(db: Db) {
  const head = db.prepare<Head>(
    "SELECT activity_sequence AS sequence, activity_digest AS digest FROM room_heads WHERE room_id = +?",
  )
  const advance = inserting(db, "room_heads", {
    onConflict: `DO UPDATE SET activity_sequence = excluded.activity_sequence, activity_digest = \
excluded.activity_digest,
      last_activity_at = excluded.last_activity_at, accepted_bytes = accepted_bytes + excluded.accepted_bytes`,
  })
  const place = db.prepare<Place>(
    `SELECT j.position, j.at AS acceptedAt, ${DIGEST("j.activity_digest")} AS digest FROM journal j ${IN_ROOM} = +?`,
  )
  const localActor = db.prepare<{ userId: string }>(
    `SELECT w.person_id AS userId FROM journal j JOIN writers w ON w.writer = j.writer ${IN_ROOM} = +?`,
  )
  const lastOfSenders = db.prepare<Kept & { sender: string }>(
    `SELECT ${COLUMNS}, w.sender, max(j.room_sequence)
      FROM (SELECT j.position FROM journal j ${IN_ROOM} > 0 ORDER BY j.room_sequence DESC LIMIT ${SEARCHED}) n
     JOIN ${FROM.replace("FROM journal j", "journal j ON j.position = n.position")}
      WHERE w.sender <> ''
      GROUP BY w.sender`,
  )

  const some = db.prepare<Kept>(`SELECT ${COLUMNS} ${FROM} ${IN_ROOM} IN (SELECT value FROM json_each(+?))`)
  const texts = keptTexts(db)

  /** Prepares the queries for a page of up to `count` entries. @param further SQL for further columns */
  function pageWith<Further extends object>(further = "") {
    const find = (join: string, where: string) =>
      db.prepare<Found & Further>(
        `SELECT ${NAME}, j.room_sequence AS sequence${further}
          FROM journal j ${join} ${IN_ROOM} > +? ${where}
          ORDER BY j.room_sequence
          LIMIT +?`,
      )
    const writers = "JOIN writers w ON w.writer = j.writer"
    const page = find("", "")
    const pageOfOthers = find(writers, OTHERS)
    const pageOfOperation = find(writers, `${OTHERS} AND j.operation = +?`)
    function found(...[roomId, after, kinds, count, without]: Page): (Found & Further)[] {
      const excluded = without === undefined ? null : without.userId + (without.credentialId ?? "")
      if (kinds === undefined)
        return excluded === null ? page.all(roomId, after, count) : pageOfOthers.all(roomId, after, excluded, count)
      const operations = kinds.flatMap((kind) => byKind.get(kind) ?? [])
      return ofKinds(operations, ({ name }) => pageOfOperation.all(roomId, after, excluded, name, count), count)
    }
    return (...request: Page): { row: Found & Further; body: Row["body"] }[] =>
      db.snapshot(() => {
        const rows = found(...request)
        const bodies = texts(rows, (missing) =>
          some
            .all(request[0], JSON.stringify(missing.map(({ sequence }) => sequence)))
            .map((row) => ({ name: row.name, text: served(row) })),
        )
        return rows.map((row) => ({ row, body: stored<ActivityEntry>(present(bodies.get(row.name))) }))
      })
  }
  const lean = pageWith()
  const full = pageWith<Content>(`, ${CONTENT}`)

  return {
    /** Returns the last entry of each credential in a Room, among its newest entries. */
    lastOfSenders: (roomId: string): ReadonlyMap<string, ActivityEntry> =>
      new Map(lastOfSenders.all(roomId).map((row) => [row.sender, parse(served(row))])),

    /** Returns the author's id on this instance, which differs for people of other instances. */
    localActor: (roomId: string, { sequence, actor }: Pick<ActivityEntry, "sequence" | "actor">): string =>
      localActor.get(roomId, sequence)?.userId ?? actor.userId,

    /** Finds an entry of a Room in the journal. */
    placeOf: (roomId: string, sequence: number): Place | undefined => place.get(roomId, sequence),

    /**
     * Advances a Room's head to a new entry. The entry itself is part of the write's row. @param content the content of
     * the write @param before the head, if it was just read; null if there is none
     */
    advance(
      roomId: string,
      content: string,
      fields: Omit<ActivityFields, "sequence">,
      before: Head | null | undefined = head.get(roomId),
    ): { sequence: number; digest: string } {
      const sequence = (before?.sequence ?? 0) + 1
      const digest = digestOf(activityText({ ...fields, sequence }, before?.digest ?? firstPreviousDigest))
      advance({
        roomId,
        activitySequence: sequence,
        activityDigest: digest,
        lastActivityAt: fields.at,
        acceptedBytes: Buffer.byteLength(content),
      })
      return { sequence, digest }
    },

    /** The sequence of the newest entry of a Room; 0 if it has none. */
    watermark: (roomId: string): number => head.get(roomId)?.sequence ?? 0,

    /** Returns up to `count` entries after `after`, as JSON text. */
    after: (...page: Page): Row[] => lean(...page).map(({ row: { sequence }, body }) => ({ sequence, body })),
    /** Returns the same entries with the content of their writes. */
    fullAfter: (...page: Page): FullRow[] =>
      full(...page).map(({ row: { sequence, content, isWithheld }, body }) => ({
        sequence,
        body,
        content,
        isWithheld: isWithheld === 1,
      })),
  }
}

/** Lets readers of an activity feed wait for the next entry of their Room. */
export class Watch {
  readonly #waiting = new Map<string, Set<() => void>>()
  /** Whether the service is shutting down, so that waiting ends. */
  closed = false

  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** Called with every Room that has a new entry, for a thread whose readers wait in another one. */
  everywhere: ((roomId: string) => void) | null = null

  /** Wakes everyone who waits for a Room. Must be called after the commit. */
  notify(roomId: string): void {
    this.everywhere?.(roomId)
    const waiting = this.#waiting.get(roomId)
    if (waiting === undefined) return
    this.#waiting.delete(roomId)
    for (const wake of waiting) wake()
  }

  /** Resolves at the next entry of the Room, after `milliseconds`, or when the client disconnects. */
  wait(roomId: string, milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const waiting = this.#waiting.get(roomId) ?? new Set()
      this.#waiting.set(roomId, waiting)
      const wake = () => {
        clearTimeout(timer)
        signal?.removeEventListener("abort", wake)
        waiting.delete(wake)
        if (waiting.size === 0 && this.#waiting.get(roomId) === waiting) this.#waiting.delete(roomId)
        resolve()
      }
      const timer = setTimeout(wake, milliseconds)
      signal?.addEventListener("abort", wake)
      waiting.add(wake)
    })
  }

  /**
   * Waits for the next entry of a Room.
   * @param until by the clock of `performance.now`
   * @returns false if the time is over, the client has disconnected, or the service is shutting down
   */
  async next(roomId: string, until: number, signal?: AbortSignal): Promise<boolean> {
    const left = until - performance.now()
    if (this.closed || signal?.aborted || left <= 0) return false
    await this.wait(roomId, left, signal)
    return true
  }

  /** Wakes everyone: any Room may have new entries. */
  anywhere(): void {
    for (const roomId of [...this.#waiting.keys()]) this.notify(roomId)
  }

  /** Wakes everyone, because the service is shutting down. */
  close(): void {
    this.closed = true
    this.anywhere()
  }
}

// A Room's part of the journal: the write of each entry of its activity.

/** Entries that are read at once. */
const PAGE = 200

/** An accepted write with its sequence in the Room. */
export interface RoomEntry {
  /** The sequence of its entry in the Room's activity. */
  readonly sequence: number
  /** The object that the entry names. */
  readonly targetId: string
  readonly entry: Entry
}

const ROWS = `SELECT j.room_sequence AS sequence, j.position, coalesce(j.target_id, e.entry_id) AS targetId
  FROM journal j LEFT JOIN timeline_entries e ON e.thread = j.thread AND e.sequence = j.entry_sequence
  WHERE j.room = ${placeOf("+?")} AND j.room_sequence`
interface WrittenRow {
  readonly sequence: number
  readonly position: number
  readonly targetId: string
}

/** Iterates over the writes of a Room's activity in order, with one in memory at a time. @param db a snapshot */
export function* roomJournal(db: Db, roomId: string): Generator<RoomEntry> {
  const kept = journal(db)
  const page = db.prepare<WrittenRow>(`${ROWS} > +? ORDER BY j.room_sequence LIMIT ${PAGE}`)
  for (let rows = page.all(roomId, 0); rows.length > 0; rows = page.all(roomId, rows.at(-1)?.sequence ?? 0)) {
    for (const { sequence, position, targetId } of rows) {
      const entry = kept.at(position)
      if (entry === undefined) throw new Error(`the write of entry ${sequence} of the activity is not in the journal`)
      yield { sequence, targetId, entry }
    }
  }
}

/** Finds the end of a Room's activity at the time of a write. */
export function standingBefore(db: Db) {
  const last = db.prepare<{ sequence: number }>(
    "SELECT activity_sequence AS sequence FROM room_heads WHERE room_id = +?",
  )
  const at = db.prepare<{ position: number }>(
    `SELECT position FROM journal WHERE room = ${placeOf("+?")} AND room_sequence = +?`,
  )
  /** Returns the last entry of a Room before a position in the journal; 0 if there is none. */
  return (roomId: string, position: number): number => {
    let [low, high] = [0, last.get(roomId)?.sequence ?? 0]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((at.get(roomId, middle)?.position ?? 0) < position) low = middle
      else high = middle - 1
    }
    return low
  }
}

// What was written in a Room since an earlier moment, for readers that keep what they have read.

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
