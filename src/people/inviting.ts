/** How people invite others: to the service, and where a Room of theirs is named, into it. */
import type { ActionBody } from "../contract/operations/actions.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { PersonActs } from "./acts.ts"
import type { Invitation } from "./invitations.ts"
import type { Keeping } from "./operators.ts"
import type { Person } from "./people.ts"

type InvitingParts = Pick<Keeping, "ledger" | "invitations" | "audit"> & { readonly acts: PersonActs }

const closedInvitation = () => new Refusal("room_unavailable", "This invitation does not exist, was used, was taken back or has expired.")

/** An invitation as the audit log names it. */
export const invitationSubject = (invitationId: string) => ({ kind: "invitation", id: invitationId, name: null })

export type Inviting = ReturnType<typeof inviting>

export const inviting = ({ ledger, invitations, audit, acts }: InvitingParts) => ({
  /** @throws Refusal 403 when the Room is not the person's own */
  invite: (by: Person, { roomId }: ActionBody<"invite">, ownsRoom: (roomId: string, userId: string) => boolean) =>
    ledger.transact(() => {
      if (roomId !== undefined && !ownsRoom(roomId, by.userId)) {
        throw new Refusal("role_required", "Only the owner of a Room invites to it.", { current: { needed: ["owner"] } })
      }
      const made = acts.invite(by, { roomId: roomId ?? null })
      audit.write({ kind: "invite", by, subject: invitationSubject(made.invitationId), roomId })
      return made
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
