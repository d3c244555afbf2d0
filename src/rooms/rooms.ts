/** The table of Rooms, and their public form. */
import type { Archive, RoomOrigin, RoomSummary } from "../contract/nouns/rooms.ts"
import { parse, type Stored } from "../contract/json.ts"
import { each, present } from "../contract/typed.ts"
import { labelledKinds } from "../contract/objects/objects.ts"
import { noSuch } from "../ledger/write/references.ts"
import { Refusal } from "../contract/refusals.ts"
import type { RoomAccess, Actor } from "../ledger/journal/actor.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting, type NewRow } from "../ledger/storage/inserting.ts"
import { folded } from "../contract/folding.ts"
import { portions, type Sized, substrings, type Walked, walked } from "../ledger/lists/substrings.ts"
import { ADOPTED, ORIGIN, type ImportedRooms } from "./imported.ts"
import { behaviour } from "../ledger/journal/behaviour.ts"
import type { People } from "../people/people.ts"
import { inPath, type Members, userInPath } from "./members.ts"

interface StateRow {
  readonly archive: Stored<Archive> | null
  readonly origin: Stored<RoomOrigin> | null
}
type AccessRow = Omit<RoomAccess, "archive" | "origin"> & StateRow
type SummaryRow = Omit<RoomSummary, "owner" | "concluded" | "counts" | "archive" | "origin" | "adopted"> &
  StateRow & {
    readonly adopted: Stored<RoomSummary["adopted"]>
    readonly ownerId: string
    readonly username: string
    readonly concluded: number
    readonly members: number
    /** The highest ordinal of each kind. */
    readonly counters: Stored<{ readonly [kind: string]: number }>
  }

export interface RoomDescription {
  readonly title: string
  readonly question?: string
  readonly license?: string
}

function summary(row: SummaryRow): RoomSummary {
  const { ownerId, username, concluded, members, counters, archive, ...shown } = row
  const last = parse(counters)
  return {
    ...shown,
    owner: { userId: ownerId, username },
    concluded: concluded === 1,
    counts: { members, threads: last.thread ?? 0, ...each(labelledKinds, (kind) => last[kind] ?? 0) },
    archive: archive && parse(archive),
    origin: row.origin && parse(row.origin),
    adopted: parse(row.adopted),
  }
}

/** Who archived the Room `r`, when and why, as JSON; null if it is active. */
export const ARCHIVE = `iif(r.archived_at IS NULL, NULL, json_object('archivedAt', r.archived_at,
    'archivedBy', json_object('userId', r.archived_by, 'username',
      (SELECT username FROM people WHERE user_id = r.archived_by)),
    'reason', r.archive_reason)) AS archive`

/** What admission checks of a Room `r`, and the tables from which it comes. @param userId SQL for the person's id */
export const ACCESS = `r.room_id AS roomId, r.title, r.state, ${ARCHIVE}, ${ORIGIN("r", "h")} AS origin, m.role`
export const ACCESS_TABLES = (userId: string): string => `LEFT JOIN room_heads h ON h.room_id = r.room_id
  LEFT JOIN members m ON m.room_id = r.room_id AND m.user_id = ${userId}`

/** The columns of a Room's summary. */
const SHOWN = `r.room_id AS roomId, r.title, r.question, r.license, r.state, r.owner_id AS ownerId, o.username,
    r.created_at AS createdAt,
    r.opening_thread_id AS openingThreadId, ${ARCHIVE},
    coalesce(h.activity_sequence, 0) AS activityWatermark, coalesce(h.last_activity_at, r.created_at) AS lastActivityAt,
    (SELECT count(*) FROM members m WHERE m.room_id = r.room_id) AS members,
    ${ORIGIN("r", "h")} AS origin, ${ADOPTED("r")} AS adopted,
    coalesce((SELECT c.state = 'concluded'
      FROM threads t
      JOIN checkpoints c ON c.checkpoint_id = t.selected_checkpoint_id
      WHERE t.thread_id = r.opening_thread_id), 0) AS concluded,
    (SELECT json_group_object(c.kind, c.last) FROM counters c WHERE c.room_id = r.room_id) AS counters`
const BELONGING = `
  JOIN people o ON o.user_id = r.owner_id
  LEFT JOIN room_heads h ON h.room_id = r.room_id`
const SUMMARY = `SELECT ${SHOWN} FROM rooms r ${BELONGING}`
const SIZED = "SELECT r.room_id AS id, octet_length(r.title) + coalesce(octet_length(r.question), 0) AS bytes FROM"

export type Rooms = ReturnType<typeof rooms>

export function rooms(db: Db) {
  const insert = inserting(db, "rooms")
  const amend = db.prepare<{ title: string; question: string | null; license: string | null }>(
    `UPDATE rooms
      SET title = coalesce(+?, title), question = coalesce(+?, question), license = coalesce(+?, license)
      WHERE room_id = +?
     RETURNING title, question, license`,
  )
  const own = db.prepare("UPDATE rooms SET owner_id = +? WHERE room_id = +?")
  const setArchive = db.prepare(
    "UPDATE rooms SET state = +?, archived_at = +?, archived_by = +?, archive_reason = +? WHERE room_id = +?",
  )
  const standing = db.prepare<AccessRow>(`SELECT ${ACCESS} FROM rooms r ${ACCESS_TABLES("+?")} WHERE r.room_id = +?`)
  const openingThread = db.prepare<{ opening_thread_id: string }>(
    "SELECT opening_thread_id FROM rooms WHERE room_id = +?",
  )
  const one = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.room_id = +?`)
  const list = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.room_id < +? ORDER BY r.room_id DESC LIMIT +?`)
  const spelled = substrings(db, "room_trigrams")
  const inOrder = db.prepare<Sized>(`${SIZED} rooms r WHERE r.room_id < +? ORDER BY r.room_id DESC LIMIT +?`)
  const few = db.prepare<Sized>(
    `${SIZED} room_trigrams f
      CROSS JOIN rooms r ON r.item = f.rowid
      WHERE room_trigrams MATCH +? AND r.room_id < +?
      ORDER BY r.room_id DESC`,
  )
  const contain = db.prepare<SummaryRow>(
    `${SUMMARY} WHERE r.room_id IN (SELECT r.room_id FROM json_each(+?) j CROSS JOIN rooms r ON r.room_id = j.value
       WHERE instr(folded(r.title), +?) > 0 OR instr(folded(r.question), +?) > 0
       ORDER BY r.room_id DESC LIMIT +?) ORDER BY r.room_id DESC`,
  )
  // Writes the index out within the transaction: a full disk then fails before the commit, when certainly nothing is
  // stored.
  const flush = db.prepare("INSERT INTO room_trigrams (room_trigrams) VALUES ('flush')")
  const reindexTitles = db.prepare("INSERT INTO room_trigrams (room_trigrams) VALUES ('rebuild')")
  const all = db.prepare<SummaryRow>(`${SUMMARY} ORDER BY r.room_id`)

  const titles = db.prepare<{ roomId: string; title: string }>(
    "SELECT room_id AS roomId, title FROM rooms WHERE room_id IN (SELECT value FROM json_each(+?))",
  )
  const accepted = db.prepare<{ roomId: string; bytes: number }>(
    `SELECT room_id AS roomId, accepted_bytes AS bytes
      FROM room_heads
      WHERE room_id IN (SELECT value FROM json_each(+?))`,
  )

  return {
    insert(
      roomId: string,
      { title, question, license }: RoomDescription,
      ownerId: string,
      openingThreadId: string,
      at: string,
    ): void {
      insert({ roomId, title, question, license, ownerId, openingThreadId, createdAt: at, state: "active" })
      flush.run()
    },
    /** Changes the given members and returns the resulting description. */
    amend(roomId: string, { title, question, license }: Partial<RoomDescription>) {
      const now = amend.one(title ?? null, question ?? null, license ?? null, roomId)
      flush.run()
      return now
    },
    archive: (roomId: string, at: string, by: string, reason: string) =>
      setArchive.run("archived", at, by, reason, roomId),
    setOwner: (roomId: string, ownerId: string) => own.run(ownerId, roomId),
    restore: (roomId: string) => setArchive.run("active", null, null, null, roomId),

    /** Returns what admission checks: the state of the Room and the person's role. */
    standing(roomId: string, userId: string): RoomAccess | undefined {
      const row = standing.get(userId, roomId)
      return row && { ...row, archive: row.archive && parse(row.archive), origin: row.origin && parse(row.origin) }
    },
    /** @throws Refusal 404 for a Room that does not exist */
    mustExist(roomId: string): void {
      if (openingThread.get(roomId) === undefined) throw noSuch("room")
    },
    /** @throws Refusal 422 for a label without its Room */
    mustFitLabel({ roomId, label }: { roomId?: string; label?: string }): void {
      if (label !== undefined && roomId === undefined) {
        throw new Refusal("invalid_parameter", "label is Room-scoped: give roomId with it.", {
          issues: [{ path: "/roomId", message: "is required with label" }],
        })
      }
    },
    /** Returns the id of the opening Thread; undefined if the Room does not exist. */
    openingThread: (roomId: string): string | undefined => openingThread.get(roomId)?.opening_thread_id,
    summary: (roomId: string): RoomSummary | undefined => {
      const row = one.get(roomId)
      return row && summary(row)
    },
    /** Returns Rooms older than `before`, newest first; with a query, those whose title or question contains it. */
    page(before: string | undefined, query: string | undefined, count: number): Walked<RoomSummary> {
      const start = before ?? "g"
      if (query === undefined) return { found: list.all(start, count).map(summary) }
      const wanted = folded(query)
      const among = spelled.among(wanted)
      const texts =
        among === undefined ? portions(start, (from, most) => inOrder.all(from, most)) : [few.all(among, start)]
      return walked(texts, (ids) => contain.all(JSON.stringify(ids), wanted, wanted, count).map(summary), count)
    },
    all: (): RoomSummary[] => all.all().map(summary),
    titles: (roomIds: readonly string[]): ReadonlyMap<string, string> =>
      new Map(titles.all(JSON.stringify(roomIds)).map(({ roomId, title }) => [roomId, title])),
    /** Returns the bytes accepted into each Room, without withheld content. */
    acceptedBytes: (roomIds: readonly string[]): ReadonlyMap<string, number> =>
      new Map(accepted.all(JSON.stringify(roomIds)).map(({ roomId, bytes }) => [roomId, bytes])),
    reindexTitles: () => reindexTitles.run(),
  }
}

// Operations on Rooms: create, amend, archive, restore, transfer, adopt.

/** What operations on Rooms need from Threads, which are on a higher floor. */
export interface RoomThreads {
  open(thread: NewRow<"threads">): unknown
  notInRoom(roomId: string, threadIds: readonly string[]): number[]
}

/**
 * For what is open to the owner of a Room and to operators. @param sentence the refusal for other members. @throws
 * Refusal 403 `not_a_member` or `role_required`
 */
export function mustOwnOrOperate(
  { username }: Pick<Actor, "username">,
  { role, isOperator }: { readonly role: string | null; readonly isOperator: boolean },
  sentence: string,
): void {
  if (role === "owner" || isOperator) return
  if (role === null) throw new Refusal("not_a_member", `${username} is not a member of this Room.`)
  throw new Refusal("role_required", sentence, { current: { needed: ["owner"] } })
}

interface Tables {
  readonly rooms: Rooms
  readonly members: Members
  readonly imported: ImportedRooms
  readonly people: People
  readonly threads: RoomThreads
}

export function roomOperations({ rooms, members, imported, people, threads }: Tables) {
  const create_room = behaviour("create_room", {
    subject: () => ({ roomId: null, threadId: undefined }),
    write({ actor, body }, _subject, change) {
      const roomId = change.newId()
      const openingThreadId = change.newId()
      rooms.insert(roomId, body, actor.userId, openingThreadId, change.at)
      members.add(roomId, actor.userId, "owner", change.at)
      const sequence = change.ordinal(roomId, "thread")
      threads.open({
        threadId: openingThreadId,
        roomId,
        sequence,
        title: body.title,
        authorId: actor.userId,
        createdAt: change.at,
      })
      return {
        roomId,
        threadId: openingThreadId,
        target: { id: roomId, label: null },
        result: { roomId, openingThreadId, label: null },
      }
    },
  })

  const amend_room = behaviour("amend_room", {
    subject: inPath,
    write({ body }, { roomId }) {
      const now = rooms.amend(roomId, body)
      return { target: { id: roomId, label: null }, result: { ...now, label: null } }
    },
  })

  const archive_room = behaviour("archive_room", {
    subject: inPath,
    write({ actor, body }, { roomId }, { at }) {
      rooms.archive(roomId, at, actor.userId, body.reason)
      return { target: { id: roomId, label: null }, result: { state: "archived", label: null } }
    },
  })

  const restore_room = behaviour("restore_room", {
    subject: inPath,
    admit({ actor }, { roomId }) {
      if (rooms.standing(roomId, actor.userId)?.state !== "active") return
      throw new Refusal("state_conflict", "The Room is active already.", {
        current: { room: { id: roomId, state: "active" } },
      })
    },
    write(_call, { roomId }) {
      rooms.restore(roomId)
      return { target: { id: roomId, label: null }, result: { state: "active", label: null } }
    },
  })

  const transfer_room = behaviour("transfer_room", {
    subject: userInPath,
    admit({ actor, body }, { roomId, userId }) {
      const role = rooms.standing(roomId, actor.userId)?.role ?? null
      const isOperator = people.isOperator(actor.userId)
      mustOwnOrOperate(actor, { role, isOperator }, "Only the owner of a Room or an operator can transfer it.")
      if (role !== "owner" && body.reason === undefined)
        throw new Refusal("invalid_schema", "An operator who transfers a Room must give a reason.", {
          issues: [{ path: "/reason", message: "is required of an operator" }],
        })
      const next = members.find(roomId, userId)
      if (next?.role === "owner")
        throw new Refusal("state_conflict", `${next.username} owns this Room already.`, { current: { member: next } })
      if (next === undefined && !isOperator)
        throw new Refusal("room_unavailable", "This person is not a member of the Room.")
      if (next === undefined && people.ofHere(userId) === undefined)
        throw new Refusal("room_unavailable", "There is no user with this id.")
      if (!people.isEnabled(userId))
        throw new Refusal("state_conflict", "This person cannot sign in here, so they cannot own a Room.")
    },
    write(_call, { roomId, userId }, { at }) {
      rooms.setOwner(roomId, userId)
      members.setOwner(roomId, userId, at)
      const { username } = present(people.withId(userId))
      return { target: { id: roomId, label: null }, result: { ownerId: userId, username, label: null } }
    },
  })

  const adopt_room = behaviour("adopt_room", {
    subject: inPath,
    admit({ body }, { roomId }) {
      const origin = imported.origin(roomId)
      if (origin === null) throw new Refusal("state_conflict", `The Room ${roomId} is this instance's own.`)
      const { instanceId, baseUrl, throughSequence } = body.origin
      if (origin.instanceId === instanceId && origin.baseUrl === baseUrl && origin.throughSequence === throughSequence)
        return
      throw new Refusal("state_conflict", "The Room's origin is not the expected one.", {
        current: { room: { id: roomId, origin } },
      })
    },
    write({ actor, body }, { roomId }, { at }) {
      const { userId } = actor
      rooms.setOwner(roomId, userId)
      members.setOwner(roomId, userId, at)
      imported.leave(roomId, body.origin, at)
      // A replayed adoption has a grant: another instance adopted the Room, so it is not this instance's own.
      if (actor.grant === null) imported.keep(roomId, at)
      return { target: { id: roomId, label: null }, result: { ownerId: userId, label: null } }
    },
  })

  return { create_room, amend_room, archive_room, restore_room, transfer_room, adopt_room }
}
