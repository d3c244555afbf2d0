/** Invitations to Collections that wait for an answer. */
import type { Db } from "../ledger/database.ts"

export interface Invitation {
  readonly invitationId: string
  readonly collection: { readonly id: string; readonly name: string }
  readonly ownerId: string
  readonly invitedBy: string
  readonly userId: string
  readonly username: string
  readonly invitedAt: string
}

interface Row {
  invitation_id: string
  collection_id: string
  name: string
  owner_id: string
  owner: string
  user_id: string
  username: string
  invited_at: string
}

const invitation = (row: Row): Invitation => ({
  invitationId: row.invitation_id,
  collection: { id: row.collection_id, name: row.name },
  ownerId: row.owner_id,
  invitedBy: row.owner,
  userId: row.user_id,
  username: row.username,
  invitedAt: row.invited_at,
})

const SHOWN = `SELECT i.invitation_id, i.collection_id, c.name, c.owner_id, o.username AS owner, i.user_id, p.username, i.invited_at
  FROM collection_invitations i JOIN collections c USING (collection_id)
  JOIN people o ON o.user_id = c.owner_id JOIN people p ON p.user_id = i.user_id`

export type CollectionInvitations = ReturnType<typeof collectionInvitations>

export function collectionInvitations(db: Db) {
  const insert = db.prepare("INSERT INTO collection_invitations (invitation_id, collection_id, user_id, invited_at) VALUES (?, ?, ?, ?)")
  const one = db.prepare<Row>(`${SHOWN} WHERE i.invitation_id = ?`)
  const remove = db.prepare("DELETE FROM collection_invitations WHERE invitation_id = ?")
  const received = db.prepare<Row>(`${SHOWN} WHERE i.user_id = ? ORDER BY i.invitation_id`)
  const sent = db.prepare<Row>(`${SHOWN} WHERE i.collection_id = ? ORDER BY i.invitation_id`)

  return {
    open: (invitationId: string, collectionId: string, userId: string, at: string) => insert.run(invitationId, collectionId, userId, at),
    find(invitationId: string): Invitation | undefined {
      const row = one.get(invitationId)
      return row && invitation(row)
    },
    /** Accepted, declined or taken back: it is over. */
    close: (invitationId: string) => remove.run(invitationId),
    receivedBy: (userId: string): Invitation[] => received.all(userId).map(invitation),
    sentFor: (collectionId: string): Invitation[] => sent.all(collectionId).map(invitation),
  }
}
