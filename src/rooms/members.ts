/** Memberships of Rooms, requests to join, and the operations on both. */
import type { Member } from "../contract/nouns/rooms.ts"
import type { Person } from "../contract/answers/parts.ts"
import type { MemberRole } from "../contract/schema/enumerations.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import { DESCRIBED, type People } from "../people/people.ts"
import { present } from "../contract/typed.ts"
import { Refusal } from "../contract/refusals.ts"
import { behaviour } from "../ledger/journal/behaviour.ts"

const MEMBERS = `SELECT m.user_id AS userId, p.username, ${DESCRIBED("p")}, m.role, m.joined_at AS joinedAt
  FROM members m
  JOIN people p USING (user_id)
  WHERE m.room_id = +?`

export type Members = ReturnType<typeof members>

export function members(db: Db) {
  const insert = inserting(db, "members")
  const demote = db.prepare("UPDATE members SET role = 'member' WHERE room_id = +? AND role = 'owner'")
  const remove = db.prepare("DELETE FROM members WHERE room_id = +? AND user_id = +?")
  const putOwner = inserting(db, "members", { onConflict: "DO UPDATE SET role = excluded.role" })
  const one = db.prepare<Member>(`${MEMBERS} AND m.user_id = +?`)
  const all = db.prepare<Member>(`${MEMBERS} ORDER BY m.role DESC, p.username`)
  const ask = inserting(db, "join_requests", { onConflict: "DO NOTHING" })
  const request = db.prepare<{ username: string }>(
    "SELECT p.username FROM join_requests j JOIN people p USING (user_id) WHERE j.room_id = +? AND j.user_id = +?",
  )
  const requests = db.prepare<Person & { message: string | null; requestedAt: string }>(
    `SELECT j.user_id AS userId, p.username, j.message, j.requested_at AS requestedAt
      FROM join_requests j
      JOIN people p USING (user_id)
      WHERE j.room_id = +?
      ORDER BY p.username`,
  )
  const waiting = db.prepare<{
    roomId: string
    title: string
    userId: string
    username: string
    message: string | null
    at: string
  }>(
    `SELECT r.room_id AS roomId, r.title, p.user_id AS userId, p.username, j.message, j.requested_at AS at
     FROM members m
      CROSS JOIN join_requests j USING (room_id)
      JOIN rooms r USING (room_id)
      JOIN people p ON p.user_id = j.user_id
     WHERE m.user_id = +? AND m.role = 'owner' ORDER BY r.room_id, p.username LIMIT 50`,
  )
  const owns = db.prepare("SELECT 1 FROM member_counts WHERE user_id = +? AND owned > 0")
  const counts = db.prepare<{ userId: string; rooms: number; owned: number }>(
    `SELECT c.user_id AS userId, c.rooms, c.owned
      FROM json_each(+?)
      CROSS JOIN member_counts c ON c.user_id = json_each.value`,
  )
  const rooms = db.prepare<{ roomId: string; title: string; role: MemberRole }>(
    `SELECT r.room_id AS roomId, r.title, m.role
      FROM members m
      JOIN rooms r USING (room_id)
      WHERE m.user_id = +?
      ORDER BY m.room_id DESC
      LIMIT +?`,
  )
  const settle = db.prepare("DELETE FROM join_requests WHERE room_id = +? AND user_id = +?")

  return {
    /** Adds a member and removes their open request to join. */
    add(roomId: string, userId: string, role: MemberRole, at: string): void {
      insert({ roomId, userId, role, joinedAt: at })
      settle.run(roomId, userId)
    },
    /** Makes a person the owner, member or not. The previous owner stays a member. */
    setOwner(roomId: string, userId: string, at: string): void {
      demote.run(roomId)
      putOwner({ roomId, userId, role: "owner", joinedAt: at })
      settle.run(roomId, userId)
    },
    roomsOf: (userId: string, count: number) => rooms.all(userId, count),
    ownsAny: (userId: string): boolean => owns.get(userId) !== undefined,
    remove: (roomId: string, userId: string) => remove.run(roomId, userId),
    /** Returns how many Rooms each person is in and owns. People who were never in a Room are left out. */
    countsOf: (userIds: readonly string[]) =>
      new Map(counts.all(JSON.stringify(userIds)).map((row) => [row.userId, row])),
    find: (roomId: string, userId: string): Member | undefined => one.get(roomId, userId),
    of: (roomId: string): Member[] => all.all(roomId),

    /** Stores a request to join. @returns false if the person has an open request already */
    ask: (roomId: string, userId: string, message: string | null, at: string): boolean =>
      ask({ roomId, userId, message, requestedAt: at }) === 1,
    asking: (roomId: string, userId: string): string | undefined => request.get(roomId, userId)?.username,
    /** Returns requests to join the Rooms that a person owns, at most 50, by Room and name. */
    waitingFor: (ownerId: string) => waiting.all(ownerId),
    requests: (roomId: string) =>
      requests
        .all(roomId)
        .map(({ userId, username, message, requestedAt }) => ({ person: { userId, username }, message, requestedAt })),
    decline: (roomId: string, userId: string) => settle.run(roomId, userId),
  }
}

/** Returns the Room in the path. Admission checks that it exists. */
export const inPath = ({ params }: { params: { roomId: string } }) => ({ roomId: params.roomId, threadId: undefined })
export const userInPath = ({ params }: { params: { roomId: string; userId: string } }) => ({
  ...params,
  threadId: undefined,
})

// Operations on memberships: requesting to join, deciding, adding and removing.

const unavailable = (sentence: string) => new Refusal("room_unavailable", sentence)

interface OperationTables {
  readonly members: Members
  readonly credentials: { revokeAll(roomId: string, userId: string, at: string): unknown }
  readonly people: People
}

export function memberOperations({ members, credentials, people }: OperationTables) {
  /** Adds a member. Credentials of an earlier membership are revoked: they may be the reason it ended. */
  function join(roomId: string, userId: string, at: string): void {
    credentials.revokeAll(roomId, userId, at)
    members.add(roomId, userId, "member", at)
  }

  /** @throws Refusal `state_conflict` for a person who is a member already */
  function mustNotBeMember(roomId: string, userId: string): void {
    const member = members.find(roomId, userId)
    if (member === undefined) return
    throw new Refusal("state_conflict", `${member.username} is a member of this Room already.`, { current: { member } })
  }

  const request_to_join = behaviour("request_to_join", {
    subject: inPath,
    admit({ actor }, { roomId }) {
      mustNotBeMember(roomId, actor.userId)
      if (members.asking(roomId, actor.userId) === undefined) return
      throw new Refusal("state_conflict", "Your request is already waiting for the owner's decision.", {
        current: { joinRequest: { userId: actor.userId } },
      })
    },
    write({ actor, body }, { roomId }, { at }) {
      const { userId, username } = actor
      members.ask(roomId, userId, body.message ?? null, at)
      return { target: { id: userId, label: null }, result: { userId, username, label: null }, activity: false }
    },
  })

  const decide_join_request = behaviour("decide_join_request", {
    subject: userInPath,
    admit(_call, { roomId, userId }) {
      if (members.asking(roomId, userId) !== undefined) return
      mustNotBeMember(roomId, userId)
      throw unavailable("This person has no open request; it may have been decided already.")
    },
    write({ body }, { roomId, userId }, { at }) {
      const { decision } = body
      const username = present(members.asking(roomId, userId))
      if (decision === "accept") join(roomId, userId, at)
      else members.decline(roomId, userId)
      const result = { userId, username, decision, label: null }
      return {
        target: { id: userId, label: null },
        result,
        ...(decision === "decline" ? { activity: false as const } : {}),
      }
    },
  })

  const add_member = behaviour("add_member", {
    subject: inPath,
    admit({ body }, { roomId }) {
      const person = people.named(body.username)
      if (person === undefined || !people.isEnabled(person.userId))
        throw unavailable(`There is no user named ${body.username}.`)
      mustNotBeMember(roomId, person.userId)
    },
    write({ body, named }, { roomId }, { at }) {
      const { userId, username } = present(named === undefined ? people.named(body.username) : people.withId(named))
      join(roomId, userId, at)
      return { target: { id: userId, label: null }, result: { userId, username, label: null } }
    },
  })

  const remove_member = behaviour("remove_member", {
    subject: userInPath,
    admit({ actor }, { roomId, userId }) {
      const caller = members.find(roomId, actor.userId)
      if (caller?.role !== "owner" && userId !== actor.userId) {
        throw new Refusal("role_required", "Only the owner of a Room can remove other members.", {
          current: { needed: ["owner"] },
        })
      }
      const member = members.find(roomId, userId)
      if (member === undefined) throw unavailable("This person is not a member of the Room.")
      if (member.role === "owner")
        throw new Refusal("state_conflict", "The owner cannot leave the Room.", { current: { member } })
    },
    write(_call, { roomId, userId }) {
      const { username } = present(members.find(roomId, userId))
      members.remove(roomId, userId)
      return { target: { id: userId, label: null }, result: { userId, username, label: null } }
    },
  })

  return { request_to_join, decide_join_request, add_member, remove_member }
}
