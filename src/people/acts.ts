/**
 * Changes to people that no operation makes but that other tables depend on: stored in the journal and replayed from
 * it.
 */
import type { Described } from "../contract/answers/description.ts"
import type { ActCall, Done } from "../ledger/journal/behaviour.ts"
import type { Person } from "./people.ts"
import type { AccountParts, Operators } from "./operators.ts"

/** Passwords and sessions are not in the journal. */
export const personActs = ({ people, invitations }: AccountParts) => ({
  /** Makes a person who cannot sign in yet. */
  create_person({ change }: ActCall, { username, isOperator }: { username: string; isOperator: boolean }): Person {
    const userId = change.newId()
    people.insert(userId, username, "", isOperator, change.at)
    return { userId, username, isOperator }
  },
  /** Stores how a person wants to be cited, as declared by them or by their own instance. */
  describe_person(_call: ActCall, { userId, ...described }: Described & { readonly userId: string }): void {
    people.describe(userId, described)
  },
  invite({ userId, change }: ActCall, { roomId }: { roomId: string | null }) {
    return invitations.issue(userId, roomId, change)
  },
  /** @returns false unless the invitation was open and was issued by this person */
  revoke_invitation({ userId, change }: ActCall, { invitationId }: { invitationId: string }): boolean {
    return invitations.revokeOwn(invitationId, userId, change.at)
  },
  accept_invitation({ userId }: ActCall, { invitationId }: { invitationId: string }): void {
    invitations.accepted(invitationId, userId)
  },
})

/** The acts in callable form: each call is recorded in the journal. */
export type PersonActs = Done<ReturnType<typeof personActs>>

/** What the functions that change accounts share. */
export interface ActingParts extends AccountParts {
  readonly acts: PersonActs
  readonly operators: Operators
}
