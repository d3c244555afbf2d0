/** What happens to people without an operation, as far as other tables rest on it: kept in the journal, and replayed from there. */
import type { Described } from "../contract/answers/description.ts"
import type { ActCall, Done } from "../ledger/journal/acts.ts"
import type { Person } from "./people.ts"
import type { Keeping } from "./operators.ts"

/** Passwords and sessions are no part of them. */
export const personActs = ({ people, invitations }: Pick<Keeping, "people" | "invitations">) => ({
  /** Makes a person who cannot sign in yet. */
  create_person({ change }: ActCall, { username, isOperator }: { username: string; isOperator: boolean }): Person {
    const userId = change.newId()
    people.insert(userId, username, "", isOperator, change.at)
    return { userId, username, isOperator }
  },
  /** Notes how somebody wants to be cited: as they say themselves, or as the instance that they come from says. */
  describe_person(_call: ActCall, { userId, ...described }: Described & { readonly userId: string }): void {
    people.describe(userId, described)
  },
  invite({ userId, change }: ActCall, { roomId }: { roomId: string | null }) {
    return invitations.issue(userId, roomId, change)
  },
  /** Whether it was open and the person's own. */
  revoke_invitation({ userId, change }: ActCall, { invitationId }: { invitationId: string }): boolean {
    return invitations.revokeOwn(invitationId, userId, change.at)
  },
  accept_invitation({ userId }: ActCall, { invitationId }: { invitationId: string }): void {
    invitations.accepted(invitationId, userId)
  },
})

/** The same as they are called: each is noted in the history. */
export type PersonActs = Done<ReturnType<typeof personActs>>
