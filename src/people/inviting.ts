/** Invitations to the service, and to a Room that the sender owns. */
import type { ActionBody } from "../contract/operations/actions.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { PersonActs } from "./acts.ts"
import type { Invitation } from "./invitations.ts"
import type { AccountParts } from "./operators.ts"
import type { Person } from "./people.ts"

type InvitingParts = Pick<AccountParts, "ledger" | "invitations" | "audit"> & { readonly acts: PersonActs }

const closedInvitation = () => new Refusal("room_unavailable", "This invitation does not exist, was used, was revoked or has expired.")

/** An invitation as the subject of an audit entry. */
export const invitationSubject = (invitationId: string) => ({ kind: "invitation", id: invitationId, name: null })

export type Inviting = ReturnType<typeof inviting>

export const inviting = ({ ledger, invitations, audit, acts }: InvitingParts) => ({
  /** @throws Refusal 403 if the person does not own the Room */
  invite: (by: Person, { roomId }: ActionBody<"invite">, ownsRoom: (roomId: string, userId: string) => boolean) =>
    ledger.transact(() => {
      if (roomId !== undefined && !ownsRoom(roomId, by.userId)) {
        throw new Refusal("role_required", "Only the owner of a Room can invite people to it.", { current: { needed: ["owner"] } })
      }
      const invitation = acts.invite(by, { roomId: roomId ?? null })
      audit.write({ kind: "invite", by, subject: invitationSubject(invitation.invitationId), roomId })
      return invitation
    }),

  /** @throws Refusal 404 for an invitation that is not open */
  invitation(token: string): Invitation {
    const invitation = invitations.open(token)
    if (invitation === undefined) throw closedInvitation()
    return invitation
  },

  revokeInvitation: (by: Person, invitationId: string): Promise<void> =>
    ledger.transact(() => {
      if (!acts.revoke_invitation(by, { invitationId })) throw closedInvitation()
      audit.write({ kind: "revoke_invitation", by, subject: invitationSubject(invitationId) })
    }),
})
