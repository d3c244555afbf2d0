/** Open invitations to Collections. */
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"

export interface Invitation {
  readonly invitationId: string
  readonly collection: { readonly id: string; readonly name: string }
  readonly ownerId: string
  readonly invitedBy: string
  readonly userId: string
  readonly username: string
  readonly invitedAt: string
}

type Row = Omit<Invitation, "collection"> & { readonly collectionId: string; readonly name: string }

const invitation = ({ collectionId, name, ...row }: Row): Invitation => ({
  ...row,
  collection: { id: collectionId, name },
})

const SHOWN = `SELECT i.invitation_id AS invitationId, i.collection_id AS collectionId, c.name, c.owner_id AS ownerId,
    o.username AS invitedBy,
    i.user_id AS userId, p.username, i.invited_at AS invitedAt
  FROM collection_invitations i JOIN collections c USING (collection_id)
  JOIN people o ON o.user_id = c.owner_id JOIN people p ON p.user_id = i.user_id`

export function collectionInvitations(db: Db) {
  const insert = inserting(db, "collection_invitations")
  const one = db.prepare<Row>(`${SHOWN} WHERE i.invitation_id = +?`)
  const remove = db.prepare("DELETE FROM collection_invitations WHERE invitation_id = +?")
  const received = db.prepare<Row>(`${SHOWN} WHERE i.user_id = +? ORDER BY i.invitation_id`)
  const sent = db.prepare<Row>(`${SHOWN} WHERE i.collection_id = +? ORDER BY i.invitation_id`)

  return {
    open: (invitationId: string, collectionId: string, userId: string, at: string) =>
      insert({ invitationId, collectionId, userId, invitedAt: at }),
    find(invitationId: string): Invitation | undefined {
      const row = one.get(invitationId)
      return row && invitation(row)
    },
    /** Removes an invitation that was accepted, declined or withdrawn. */
    close: (invitationId: string) => remove.run(invitationId),
    receivedBy: (userId: string): Invitation[] => received.all(userId).map(invitation),
    sentFor: (collectionId: string): Invitation[] => sent.all(collectionId).map(invitation),
  }
}
