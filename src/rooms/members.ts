/** Membership of Rooms and requests for it. */
import type { MemberRole } from "../contract/enumerations.ts"
import type { Db } from "../ledger/database.ts"

export type Member = {
  readonly userId: string
  readonly username: string
  readonly role: MemberRole
  readonly joinedAt: string
}

interface MemberRow {
  user_id: string
  username: string
  role: MemberRole
  joined_at: string
}
const member = (row: MemberRow): Member => ({ userId: row.user_id, username: row.username, role: row.role, joinedAt: row.joined_at })

export type Members = ReturnType<typeof members>

export function members(db: Db) {
  const insert = db.prepare("INSERT INTO members (room_id, user_id, role, joined_at) VALUES (?, ?, ?, ?)")
  const remove = db.prepare("DELETE FROM members WHERE room_id = ? AND user_id = ?")
  const one = db.prepare<MemberRow>(
    "SELECT m.user_id, p.username, m.role, m.joined_at FROM members m JOIN people p USING (user_id) WHERE m.room_id = ? AND m.user_id = ?",
  )
  const all = db.prepare<MemberRow>(
    "SELECT m.user_id, p.username, m.role, m.joined_at FROM members m JOIN people p USING (user_id) WHERE m.room_id = ? ORDER BY m.joined_at, m.user_id",
  )
  const ask = db.prepare("INSERT INTO join_requests (room_id, user_id, message, requested_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
  const request = db.prepare<{ username: string }>(
    "SELECT p.username FROM join_requests j JOIN people p USING (user_id) WHERE j.room_id = ? AND j.user_id = ?",
  )
  const requests = db.prepare<{ user_id: string; username: string; message: string | null; requested_at: string }>(
    "SELECT j.user_id, p.username, j.message, j.requested_at FROM join_requests j JOIN people p USING (user_id) WHERE j.room_id = ? ORDER BY j.requested_at, j.user_id",
  )
  const settle = db.prepare("DELETE FROM join_requests WHERE room_id = ? AND user_id = ?")

  return {
    /** Adds a member; an open request of theirs is thereby answered. */
    add(roomId: string, userId: string, role: MemberRole, at: string): void {
      insert.run(roomId, userId, role, at)
      settle.run(roomId, userId)
    },
    remove: (roomId: string, userId: string) => remove.run(roomId, userId),
    find(roomId: string, userId: string): Member | undefined {
      const row = one.get(roomId, userId)
      return row && member(row)
    },
    of: (roomId: string): Member[] => all.all(roomId).map(member),

    /** Whether the request is new. */
    ask: (roomId: string, userId: string, message: string | null, at: string): boolean => ask.run(roomId, userId, message, at) === 1,
    /** The name of a person who waits for a decision. */
    asking: (roomId: string, userId: string): string | undefined => request.get(roomId, userId)?.username,
    requests: (roomId: string) =>
      requests
        .all(roomId)
        .map((row) => ({ person: { userId: row.user_id, username: row.username }, message: row.message, requestedAt: row.requested_at })),
    decline: (roomId: string, userId: string) => settle.run(roomId, userId),
  }
}
