/** Reads a Room from one snapshot, and the writes of other Rooms that it cites, for every part of an export. */
import { placeOf } from "../../ledger/journal/columns.ts"
import type { Named } from "../../contract/answers/description.ts"
import type { Person } from "../../contract/answers/index.ts"
import { type BodyOf, recordedOperation } from "../../contract/operations/index.ts"
import { present } from "../../contract/typed.ts"
import { activity, roomJournal, type RoomEntry, standingBefore } from "../../ledger/journal/activity.ts"
import type { Db, Statement } from "../../ledger/storage/database.ts"
import { wholeLog } from "../../attachments/log.ts"
import { attachments } from "../../ledger/journal/attachments.ts"
import type { Entry } from "../../ledger/journal/journal.ts"
import { timeline } from "../../ledger/journal/timeline.ts"
import { DESCRIBED } from "../../people/people.ts"
import { type RoomSource, importedRooms, NAMED_BY } from "../../rooms/imported.ts"
import { members } from "../../rooms/members.ts"
import { rooms } from "../../rooms/rooms.ts"
import { threads } from "../../threads/threads.ts"
import { findingLinks } from "../findings/finding-links.ts"
import { links } from "../links/links.ts"
import { effects } from "../measurements/effects.ts"
import { repeatedEffects } from "../measurements/working-out.ts"
import { values } from "../measurements/values.ts"
import { reviews } from "../reviews/reviews.ts"
import { linkIdOf, PAGE, paged, rows, sequenceOf } from "./rows.ts"
import { trusted, isObject } from "../../contract/json.ts"
import { objectOf } from "../../contract/objects/objects.ts"
import { kindsIn, namedIn } from "../../contract/schema/parts.ts"

// Finds the writes of other Rooms that a Room cites, because a replay on another instance needs them.

/** Finds the Rooms that a write cites. */
export function citing(db: Db) {
  const rooms = new Map<string, Statement<{ roomId: string }>>()
  const known = db.prepare<{ roomId: string }>("SELECT origin_room_id AS roomId FROM materials WHERE material_id = +?")
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
    const material = operation.name === "register_material" ? known.get(targetId)?.roomId : undefined
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
function citedRooms(db: Db, roomId: string): Set<string> {
  const cites = citing(db)
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
function* citedHistory(db: Db, roomId: string): Generator<CitedEntry> {
  const rooms = [...citedRooms(db, roomId)]
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

/** A person in a stored text. */
const NAMED = /"userId":"([0-9a-f-]{36})","username":"([^"]*)"/g

/** A write of another Room, with its entry in that Room's feed as it is served. */
export type ExportedWrite = CitedEntry & { readonly activity: string }
export type ExportedRoom = NonNullable<ReturnType<typeof exportedRoom>>

/** @param db a snapshot @returns undefined if there is no such Room */
export function exportedRoom(db: Db, roomId: string) {
  // People from the Room's own instance have their names from there, as in the accepted writes. Other people have their
  // names from here.
  const from = importedRooms(db).from(roomId)
  const home = from?.instanceId ?? ""
  const prefix = `${from?.baseUrl ?? ""} `.replaceAll("'", "''")
  db.exec(
    `CREATE TEMP VIEW people AS SELECT user_id, CASE WHEN instance_id = '${home}' THEN known_as
       WHEN substr(base_url, 1, ${prefix.length}) = '${prefix}'
        THEN substr(username, 1, instr(username, '${NAMED_BY}') - 1) ELSE username END AS username, password_hash,
        is_operator, created_at, instance_id, known_as, name, given_name, family_name, orcid FROM main.people`,
  )
  const summary = rooms(db).summary(roomId)
  if (summary === undefined) return undefined
  const feed = activity(db)
  const uploads = attachments(db)
  const entries = timeline(db, effects(db, values(db), repeatedEffects(db)).sentencesOf)
  const researchLinks = links(db)
  const linkedFindings = findingLinks(db)
  const reviewed = reviews(db)
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
  const withId = db.prepare<Named>(
    `SELECT user_id AS userId, coalesce(known_as, username) AS username, ${DESCRIBED("p")}
      FROM main.people p
      WHERE user_id = +?`,
  )
  const seen = db.prepare<Named>(
    `SELECT user_id AS userId, username, ${DESCRIBED("p")} FROM people p WHERE user_id = +?`,
  )
  const renamed = db.prepare<{ here: string; there: string }>(
    `SELECT m.username AS here, p.username AS there
      FROM main.people m
      JOIN people p USING (user_id)
      WHERE m.user_id = +? AND m.username <> p.username`,
  )
  /** Replaces the names of people in a stored text by those that the export uses. */
  const atHome = (text: string): string =>
    home === ""
      ? text
      : text.replaceAll(NAMED, (pair: string, userId: string, username: string) => {
          const names = renamed.get(userId)
          return names?.here === username ? pair.replace(`"${username}"`, () => `"${names.there}"`) : pair
        })
  /** A person as the other instance names them. Their id here may differ. */
  function asThere(userId: string, { given }: Entry): Named | undefined {
    const person = withId.get(given.people?.[userId] ?? userId)
    return person && { ...person, userId }
  }
  const named = db.prepare<Named>(
    `SELECT user_id AS userId, username, ${DESCRIBED("p")} FROM people p WHERE username = +? AND instance_id IS NULL`,
  )
  return {
    summary,
    /** The instance that the Room comes from, or `here`, with the instances that had it before it was adopted. */
    from: (here: RoomSource): RoomSource => importedRooms(db).from(roomId) ?? importedRooms(db).withHomes(roomId, here),
    members: members(db).of(roomId),
    threads: threads(db).all(roomId),
    atHome,
    /** The names of the agents that wrote here, by the people for whom they did. */
    agents: () => Map.groupBy(agents.all(roomId), ({ userId }) => userId),
    authorsOf: (threadId: string): readonly Person[] => authors.all(threadId),
    ...rows(db, roomId),
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
    citedFrom(source: RoomSource): Record<string, RoomSource> {
      const { from, withHomes } = importedRooms(db)
      const own = from(roomId) ?? source
      const found = new Map<string, RoomSource>()
      for (const { roomId: other } of citedHistory(db, roomId))
        if (!found.has(other)) found.set(other, from(other) ?? withHomes(other, source))
      return Object.fromEntries(
        [...found].filter(([, { instanceId, adopted }]) => instanceId !== own.instanceId || adopted !== undefined),
      )
    },
    /** The writes of other Rooms that the Room cites. */
    *cited(): Generator<ExportedWrite> {
      for (const each of citedHistory(db, roomId))
        for (const { body } of feed.after(each.roomId, each.sequence - 1, undefined, 1))
          yield { ...each, activity: body }
    },
    /** A person, with how they want to be cited. */
    described: (userId: string): Named => present(seen.get(userId)),
    /** Everyone whom the history names: authors, and members who were added or removed. */
    named(): readonly Named[] {
      const found = new Map<string, Named>()
      const note = (person: Named | undefined) => person && found.set(person.userId, person)
      for (const entries of [roomJournal(db, roomId), citedHistory(db, roomId)])
        for (const { entry } of entries) {
          for (const userId of [entry.userId, entry.params.userId, entry.given.named])
            if (userId != null && !found.has(userId)) note(asThere(userId, entry))
          if (entry.operation === "add_member" && entry.given.named === undefined)
            note(named.get(trusted<BodyOf<"add_member">>(entry.content).username))
        }
      return [...found.values()].sort((one, other) => (one.userId < other.userId ? -1 : 1))
    },

    /** The change feed as it is served. */
    activity: () => paged(0, (after) => feed.after(roomId, after, undefined, PAGE), sequenceOf).map(({ body }) => body),

    timeline: (threadId: string) =>
      paged(0, (after) => entries.after(threadId, after, undefined, PAGE), sequenceOf).map(({ entry }) =>
        atHome(entry.text),
      ),

    /** Findings related to experiments, with their verdicts, as they are served. */
    findingLinks: () =>
      paged(undefined, (after: string | undefined) => linkedFindings.ofRoom(roomId, after, PAGE), linkIdOf),
    links: () => paged(undefined, (after: string | undefined) => researchLinks.page({ roomId }, after, PAGE), linkIdOf),
    reviews: () => paged(undefined, (after: string | undefined) => reviewed.page({ roomId }, after, PAGE), linkIdOf),
  }
}
