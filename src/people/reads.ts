/** Reads of the signed-in person, of other people and of invitations. */
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Readers } from "../ledger/reads/reading.ts"
import type { Accounts } from "./accounts.ts"
import type { People } from "./people.ts"

export function peopleReads({ people, accounts }: { readonly people: People; readonly accounts: Accounts }) {
  return {
    session({ actor }) {
      return { person: (actor && people.withId(actor.userId)) ?? null }
    },
    person({ params }) {
      const found = people.described(people.idOf(params.username) ?? people.idOf(params.username.toLowerCase()) ?? "")
      if (found === undefined) throw new Refusal("room_unavailable", "There is no user with that name.")
      return found
    },

    invitation({ params }) {
      const { invitationId, invitedBy, room, expiresAt } = accounts.invitation(params.token)
      return { invitationId, invitedBy: invitedBy.username, room: room && { ...room }, expiresAt }
    },
  } satisfies Partial<Readers>
}
