/** One-time links for creating an account. */
import { limits } from "../contract/limits.ts"
import type { AnswerOf } from "../contract/reads/index.ts"
import type { Change } from "../ledger/journal/behaviour.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import { isoTime, type World } from "../ledger/world.ts"
import { mintToken, tokenDigest } from "./tokens.ts"

interface Row {
  readonly invitationId: string
  readonly userId: string
  readonly username: string
  readonly roomId: string | null
  readonly title: string | null
  readonly expiresAt: string
}

export type Invitations = ReturnType<typeof invitations>
export type Invitation = NonNullable<ReturnType<Invitations["open"]>>

export function invitations(db: Db, world: World) {
  const insert = inserting(db, "invitations")
  const find = db.prepare<Row>(
    `SELECT i.invitation_id AS invitationId, p.user_id AS userId, p.username, r.room_id AS roomId, r.title,
        i.expires_at AS expiresAt
     FROM invitations i JOIN people p ON p.user_id = i.invited_by LEFT JOIN rooms r USING (room_id)
     WHERE i.token_digest = +? AND i.accepted_by IS NULL AND i.revoked_at IS NULL AND i.expires_at > +?
       AND (r.room_id IS NULL OR r.owner_id = i.invited_by)`,
  )
  const accept = db.prepare("UPDATE invitations SET accepted_by = +? WHERE invitation_id = +? AND accepted_by IS NULL")
  const one = db.prepare<{
    userId: string
    username: string
    roomId: string | null
    acceptedBy: string | null
    revokedAt: string | null
  }>(
    `SELECT p.user_id AS userId, p.username, i.room_id AS roomId, i.accepted_by AS acceptedBy, i.revoked_at AS revokedAt
     FROM invitations i JOIN people p ON p.user_id = i.invited_by WHERE i.invitation_id = +?`,
  )
  const isOpen = "accepted_by IS NULL AND revoked_at IS NULL"
  const revoke = db.prepare(`UPDATE invitations SET revoked_at = +? WHERE invitation_id = +? AND ${isOpen}`)
  const revokeAll = db.prepare(`UPDATE invitations SET revoked_at = +? WHERE invited_by = +? AND ${isOpen}`)

  type Listed = AnswerOf<"admin_invitations">["items"][number]
  const LISTED = `SELECT i.invitation_id AS invitationId, p.username AS invitedBy, r.room_id AS roomId, r.title,
        i.created_at AS createdAt, i.expires_at AS expiresAt,
       a.username AS acceptedBy, i.revoked_at AS revokedAt
     FROM invitations i
      JOIN people p ON p.user_id = i.invited_by
      LEFT JOIN people a ON a.user_id = i.accepted_by
      LEFT JOIN rooms r USING (room_id)`
  const listed = db.prepare<Listed>(`${LISTED} WHERE i.invitation_id < +? ORDER BY i.invitation_id DESC LIMIT +?`)
  const sent = db.prepare<Listed>(`${LISTED} WHERE i.invited_by = +? ORDER BY i.invitation_id DESC LIMIT +?`)

  return {
    /**
     * Returns invitations of all users, newest first. @param before the last id of the previous page; null for the
     * first page
     */
    page: (before: string | null, count: number) => listed.all(before ?? "g", count),
    /** Returns a person's own invitations, newest first. */
    sentBy: (userId: string, count: number) => sent.all(userId, count),
    /** Creates an invitation. The token is only returned, never stored. */
    issue(invitedBy: string, roomId: string | null, change: Pick<Change, "at" | "newId" | "token">) {
      const invitationId = change.newId()
      const { token, digest } = change.token((bytes) => mintToken("invitation", bytes))
      const expiresAt = isoTime(Date.parse(change.at) + limits.invitationDays * 86_400_000)
      insert({ invitationId, tokenDigest: digest, invitedBy, roomId, createdAt: change.at, expiresAt })
      return { invitationId, token, expiresAt }
    },
    /** Returns the open invitation of a token. An invitation to a Room is open only while its sender owns the Room. */
    open(token: string) {
      const row = find.get(tokenDigest(token), isoTime(world.now()))
      if (row === undefined) return undefined
      const { invitationId, userId, username, roomId, title, expiresAt } = row
      return {
        invitationId,
        invitedBy: { userId, username },
        room: roomId === null ? null : { roomId, title: title ?? "" },
        expiresAt,
      }
    },
    accepted: (invitationId: string, by: string) => accept.run(by, invitationId),
    /** Returns an invitation with its owner, open or not. */
    find(invitationId: string) {
      const row = one.get(invitationId)
      if (row === undefined) return undefined
      const { userId, username, ...rest } = row
      return { ...rest, owner: { userId, username } }
    },
    revoke: (invitationId: string, at: string) => revoke.run(at, invitationId),
    /** @returns false unless the invitation was open and was issued by this person */
    revokeOwn: (invitationId: string, by: string, at: string): boolean =>
      one.get(invitationId)?.userId === by && revoke.run(at, invitationId) === 1,
    /**
     * Revokes all of a person's unaccepted invitations, including expired ones, since the clock may be wrong. @returns
     * how many
     */
    revokeAllOf: (by: string, at: string): number => revokeAll.run(at, by),
  }
}
