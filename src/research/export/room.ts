/** Reads a Room from one snapshot, and the writes of other Rooms that it cites, for every part of an export. */
import type { Named } from "../../contract/nouns/people.ts"
import type { Person } from "../../contract/answers/parts.ts"
import { isObject, trusted } from "../../contract/json.ts"
import { filedKinds, objectOf } from "../../contract/objects/objects.ts"
import { type BodyOf, recordedOperation } from "../../contract/operations/index.ts"
import { kindsIn, namedIn } from "../../contract/schema/parts.ts"
import { present } from "../../contract/typed.ts"
import { wholeLog } from "../../attachments/log.ts"
import type { Ground } from "../../ledger/domains/domain.ts"
import { activity, roomJournal, type RoomEntry, standingBefore } from "../../ledger/journal/activity.ts"
import type { Attachments } from "../../ledger/journal/attachments.ts"
import { placeOf } from "../../ledger/journal/columns.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { type EffectsOf, timeline } from "../../ledger/journal/timeline.ts"
import type { Withheld } from "../../ledger/journal/withheld.ts"
import type { Db, Statement } from "../../ledger/storage/database.ts"
import type { ImportedRooms, RoomSource } from "../../rooms/imported.ts"
import type { Members } from "../../rooms/members.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Threads } from "../../threads/threads.ts"
import { type Authored, type ForExport, PAGE, paged, type Parts, rowsOf, sequenceOf, WHO } from "./parts.ts"

// Finds the writes of other Rooms that a Room cites, because a replay on another instance needs them.

/** The Room that registered each material first. */
interface Registered {
  place(materialId: string): { readonly originRoomId: string } | undefined
}

/** Finds the Rooms that a write cites. */
export function citing(db: Db, materials: Registered) {
  const rooms = new Map<string, Statement<{ roomId: string }>>()
  const standing = standingBefore(db)

  const roomsOf = (table: string, key: string, room: string) =>
    rooms.getOrInsertComputed(table, () =>
      db.prepare<{ roomId: string }>(`SELECT ${room} AS roomId FROM ${table} WHERE ${key} = +?`),
    )

  /** @returns the cited Rooms, ordered by id, each with the last entry of its activity before the write */
  return (roomId: string, { entry, targetId }: Pick<RoomEntry, "entry" | "targetId">) => {
    const operation = recordedOperation(entry.operation)
    const body: unknown = JSON.parse(entry.content)
    if (operation === undefined || !isObject(body)) return []
    const found = new Set<string>()
    for (const { refers, id } of namedIn(operation.body, body))
      for (const { table, key, room } of kindsIn(refers).map(objectOf)) {
        const of = room === null ? undefined : roomsOf(table, key, room).get(id)?.roomId
        if (of !== undefined) found.add(of)
      }
    // A material has the label of the Room that registered it first, so that Room is cited too.
    const material = operation.name === "register_material" ? materials.place(targetId)?.originRoomId : undefined
    if (material !== undefined) found.add(material)
    found.delete(roomId)
    return [...found].sort().map((each) => ({ roomId: each, through: standing(each, entry.position) }))
  }
}

/** A write of another Room that must be replayed before one of this Room. */
interface CitedEntry extends RoomEntry {
  readonly roomId: string
  /** The first entry of this Room that was accepted after it; one past the last entry if there is none. */
  readonly before: number
}

/** The Rooms that a Room cites, directly or through other Rooms. */
function citedRooms(db: Db, materials: Registered, roomId: string): Set<string> {
  const cites = citing(db, materials)
  const found = new Set([roomId])
  // A Set also iterates over items that are added during the loop.
  for (const of of found)
    for (const each of roomJournal(db, of)) for (const cited of cites(of, each)) found.add(cited.roomId)
  found.delete(roomId)
  return found
}

interface Other {
  readonly of: string
  readonly entries: Generator<RoomEntry>
  next: RoomEntry | null
}

/** Yields the writes of all cited Rooms, in the order of acceptance. */
function* citedHistory(db: Db, materials: Registered, roomId: string): Generator<CitedEntry> {
  const rooms = [...citedRooms(db, materials, roomId)]
  if (rooms.length === 0) return
  const others = rooms.map((of): Other => ({ of, entries: roomJournal(db, of), next: null }))
  const step = (other: Other) => (other.next = other.entries.next().value ?? null)
  others.forEach(step)
  const own = roomJournal(db, roomId)
  let last = own.next().value
  let before = 1
  for (;;) {
    const [first] = others
      .filter(({ next }) => next !== null)
      .sort((one, other) => positionOf(one.next) - positionOf(other.next))
    if (first === undefined || first.next === null) return
    for (; last !== undefined && last.entry.position < first.next.entry.position; last = own.next().value)
      before = last.sequence + 1
    yield { roomId: first.of, before, ...first.next }
    step(first)
  }
}
const positionOf = (next: RoomEntry | null): number => next?.entry.position ?? Number.POSITIVE_INFINITY

/** A write of another Room, with its entry in that Room's feed as it is served. */
export type ExportedWrite = CitedEntry & { readonly activity: string }

/** An object of which the export has no more than its file. */
type FiledRow = Authored & { readonly id: string; readonly label: string; readonly title: string; readonly at: string }

const FILED = ({ table, key, line }: (typeof filedKinds)[number]): string =>
  `SELECT x.${key} AS id, x.label, ${line} AS title, x.at, ${contentOf("x")} AS content, ${WHO}
  FROM ${table} x
  JOIN people p ON p.user_id = x.author_id
  WHERE x.room_id = +? AND x.${key} > +?
  ORDER BY x.${key} LIMIT ${PAGE}`

/** The tables that the export of a Room reads itself. */
interface Tables extends Pick<Ground, "db"> {
  readonly rooms: Pick<Rooms, "summary">
  readonly imported: ImportedRooms
  readonly members: Pick<Members, "of">
  readonly threads: Pick<Threads, "all">
  readonly materials: Registered
  readonly effects: { readonly sentencesOf: EffectsOf }
  readonly attachments: Attachments
  readonly withheld: Pick<Withheld, "of">
}

/** A Room, whole, with the parts of the domains. */
export interface ExportedRoom extends NonNullable<ReturnType<typeof exportedRoom>> {
  readonly parts: Parts
}

/**
 * @param tables of a snapshot, which nothing was read from yet
 * @param here the source of the Rooms of this instance
 * @returns undefined if there is no such Room
 */
export function exportedRoom(tables: Tables, roomId: string, here: RoomSource) {
  const { db, imported, materials, attachments: uploads } = tables
  // From here on people have the names that the export uses, in statements that were compiled before, too.
  const { atHome, described, asThere, withName } = imported.peopleAtHome(roomId)
  const summary = tables.rooms.summary(roomId)
  if (summary === undefined) return undefined
  /** The instance that a Room comes from, or this one, with the instances that had it before it was adopted. */
  const sourceOf = (id: string): RoomSource => imported.from(id) ?? imported.withHomes(id, here)
  const source = sourceOf(roomId)
  const record: ForExport["record"] = {
    roomId,
    baseUrl: source.baseUrl,
    atHome,
    mentioned: { people: new Map(), software: new Map() },
  }
  const feed = activity(db)
  const entries = timeline(db, tables.effects.sentencesOf)
  const authors = db.prepare<Person>(
    `SELECT p.user_id AS userId, p.username FROM people p WHERE p.user_id IN (
       SELECT w.person_id
      FROM timeline_entries e
      JOIN journal j ON j.position = e.history_position
      JOIN writers w ON w.writer = j.writer
      WHERE e.thread = ${placeOf("+?")})`,
  )
  const agents = db.prepare<{ userId: string; agent: string }>(
    `SELECT DISTINCT w.person_id AS userId, w.agent
     FROM journal j
      JOIN writers w ON w.writer = j.writer
     WHERE j.room = ${placeOf("+?")} AND w.agent <> ''
     ORDER BY w.agent`,
  )
  const cited = () => citedHistory(db, materials, roomId)
  return {
    db,
    summary,
    source,
    /** What the parts of the domains are made from, besides the tables. */
    record,
    members: tables.members.of(roomId),
    threads: tables.threads.all(roomId),
    /** Finds the marks of withheld parts. */
    withheld: tables.withheld.of,
    /** The names of the agents that wrote here, by the people for whom they did. */
    agents: () => Map.groupBy(agents.all(roomId), ({ userId }) => userId),
    authorsOf: (threadId: string): readonly Person[] => authors.all(threadId),
    /** The objects of the kinds that have one file each. */
    *filed() {
      for (const kind of filedKinds)
        for (const row of rowsOf<FiledRow>(db, FILED(kind), roomId, ({ id }) => id)()) yield { ...kind, row }
    },
    /** The pictures that the Room names and that are stored here. */
    figures: () => uploads.ofRoom(roomId),
    logs: () => uploads.logsOfRoom(roomId),
    *logBytes(digest: string): Generator<Uint8Array> {
      yield* wholeLog(present(uploads.logIndex(digest)), (piece) => uploads.logPiece(digest, piece))
    },
    *figureBytes(digest: string): Generator<Uint8Array> {
      yield present(uploads.served(digest)).bytes
    },

    /** Every accepted write, as it is stored. */
    history: () => roomJournal(db, roomId),
    /** The cited Rooms that come from another instance than this Room, or were adopted. */
    citedFrom(): Record<string, RoomSource> {
      const found = new Map<string, RoomSource>()
      for (const { roomId: other } of cited()) if (!found.has(other)) found.set(other, sourceOf(other))
      return Object.fromEntries(
        [...found].filter(([, { instanceId, adopted }]) => instanceId !== source.instanceId || adopted !== undefined),
      )
    },
    /** The writes of other Rooms that the Room cites. */
    *cited(): Generator<ExportedWrite> {
      for (const each of cited())
        for (const { body } of feed.after(each.roomId, each.sequence - 1, undefined, 1))
          yield { ...each, activity: body }
    },
    /** A person, with how they want to be cited. */
    described,
    /** Everyone whom the history names: authors, and members who were added or removed. */
    named(): readonly Named[] {
      const found = new Map<string, Named>()
      const note = (person: Named | undefined) => person && found.set(person.userId, person)
      for (const entries of [roomJournal(db, roomId), cited()])
        for (const { entry } of entries) {
          for (const userId of [entry.userId, entry.params.userId, entry.given.named])
            if (userId != null && !found.has(userId)) note(asThere(userId, entry))
          if (entry.operation === "add_member" && entry.given.named === undefined)
            note(withName(trusted<BodyOf<"add_member">>(entry.content).username))
        }
      return [...found.values()].sort((one, other) => (one.userId < other.userId ? -1 : 1))
    },

    /** The change feed as it is served. */
    activity: () => paged(0, (after) => feed.after(roomId, after, undefined, PAGE), sequenceOf).map(({ body }) => body),
    /** The same, each entry with the content of its write. */
    whole: () => paged(0, (after) => feed.fullAfter(roomId, after, undefined, PAGE), sequenceOf),
    /** The digest of its newest entry. */
    digest: feed.placeOf(roomId, summary.activityWatermark)?.digest ?? "",

    timeline: (threadId: string) =>
      paged(0, (after) => entries.after(threadId, after, undefined, PAGE), sequenceOf).map(({ entry }) =>
        atHome(entry.text),
      ),
  }
}
