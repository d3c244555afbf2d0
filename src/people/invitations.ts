/** Links by which a person may create an account, once. */
import { limits } from "../contract/limits.ts"
import type { AnswerOf } from "../contract/reads/index.ts"
import type { Change } from "../ledger/journal/behaviour.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import { isoTime, type World } from "../ledger/world.ts"
import { mintToken, tokenDigest } from "./tokens.ts"

export interface Invitation {
  readonly invitationId: string
  readonly invitedBy: { readonly userId: string; readonly username: string }
  readonly room: { readonly roomId: string; readonly title: string } | null
  readonly expiresAt: string
}

type Row = Pick<Invitation, "invitationId" | "expiresAt"> & {
  readonly userId: string
  readonly username: string
  readonly roomId: string | null
  readonly title: string | null
}

/** An invitation as an operator sees it. */
export type ListedInvitation = Readonly<AnswerOf<"admin_invitations">["items"][number]>

export type Invitations = ReturnType<typeof invitations>

export function invitations(db: Db, world: World) {
  const insert = inserting(db, "invitations")
  const find = db.prepare<Row>(
    `SELECT i.invitation_id AS invitationId, p.user_id AS userId, p.username, r.room_id AS roomId, r.title, i.expires_at AS expiresAt
     FROM invitations i JOIN people p ON p.user_id = i.invited_by LEFT JOIN rooms r USING (room_id)
     WHERE i.token_digest = +? AND i.accepted_by IS NULL AND i.revoked_at IS NULL AND i.expires_at > +?
       AND (r.room_id IS NULL OR r.owner_id = i.invited_by)`,
  )
  const accept = db.prepare("UPDATE invitations SET accepted_by = +? WHERE invitation_id = +? AND accepted_by IS NULL")
  const one = db.prepare<{ userId: string; username: string; roomId: string | null; acceptedBy: string | null; revokedAt: string | null }>(
    `SELECT p.user_id AS userId, p.username, i.room_id AS roomId, i.accepted_by AS acceptedBy, i.revoked_at AS revokedAt
     FROM invitations i JOIN people p ON p.user_id = i.invited_by WHERE i.invitation_id = +?`,
  )
  const end = db.prepare("UPDATE invitations SET revoked_at = +? WHERE invitation_id = +? AND accepted_by IS NULL AND revoked_at IS NULL")
  const revoke = db.prepare(
    "UPDATE invitations SET revoked_at = +? WHERE invitation_id = +? AND invited_by = +? AND accepted_by IS NULL AND revoked_at IS NULL",
  )

  const revokeAll = db.prepare(
    "UPDATE invitations SET revoked_at = +? WHERE invited_by = +? AND accepted_by IS NULL AND revoked_at IS NULL",
  )

  const listed = db.prepare<ListedInvitation>(
    `SELECT i.invitation_id AS invitationId, p.username AS invitedBy, r.room_id AS roomId, r.title, i.created_at AS createdAt, i.expires_at AS expiresAt,
       a.username AS acceptedBy, i.revoked_at AS revokedAt
     FROM invitations i JOIN people p ON p.user_id = i.invited_by LEFT JOIN people a ON a.user_id = i.accepted_by LEFT JOIN rooms r USING (room_id)
     WHERE i.invitation_id < +? ORDER BY i.invitation_id DESC LIMIT +?`,
  )

  return {
    /** Everybody's, the newest first. @param before an id to go on before; null for the newest */
    page: (before: string | null, count: number) => listed.all(before ?? "g", count),
    /** Makes an invitation; its token is in the answer and nowhere else. */
    issue(invitedBy: string, roomId: string | null, { at, newId, token: make }: Pick<Change, "at" | "newId" | "token">) {
      const invitationId = newId()
      const { token, digest } = make((bytes) => mintToken("invitation", bytes))
      const expiresAt = isoTime(Date.parse(at) + limits.invitationDays * 86_400_000)
      insert({ invitationId, tokenDigest: digest, invitedBy, roomId, createdAt: at, expiresAt })
      return { invitationId, token, expiresAt }
    },
    /** The open invitation that a token stands for; into a Room, only its owner of now invites. */
    open(token: string): Invitation | undefined {
      const row = find.get(tokenDigest(token), isoTime(world.now()))
      if (row === undefined) return undefined
      const { invitationId, userId, username, roomId, title, expiresAt } = row
      return { invitationId, invitedBy: { userId, username }, room: roomId === null ? null : { roomId, title: title ?? "" }, expiresAt }
    },
    accepted: (invitationId: string, by: string) => accept.run(by, invitationId),
    /** Whose an invitation is, whether or not it is open. */
    find(invitationId: string) {
      const row = one.get(invitationId)
      if (row === undefined) return undefined
      const { userId, username, ...rest } = row
      return { ...rest, owner: { userId, username } }
    },
    /** Takes one back, whosever it is. */
    revoke: (invitationId: string, at: string) => end.run(at, invitationId),
    /** Whether it was open and the person's own. */
    revokeOwn: (invitationId: string, by: string, at: string): boolean => revoke.run(at, invitationId, by) === 1,
    /** Takes back a person's that nobody accepted; expired ones too, since the clock may be wrong. @returns how many */
    revokeAllOf: (by: string, at: string): number => revokeAll.run(at, by),
  }
}
