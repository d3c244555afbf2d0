/** People: their accounts, sessions and invitations, and the audit log of what is done to them. */
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Readers } from "../ledger/reads/reading.ts"
import { type Accounts, connections } from "./accounts.ts"
import { type People, people } from "./people.ts"
import type { Domain, Ground } from "../ledger/domains/domain.ts"
import { audit, type RunningCommand } from "./audit.ts"
import { invitations } from "./invitations.ts"
import { sessions } from "./sessions.ts"

// Reads of the signed-in person, of other people and of invitations.

function peopleReads({ people, accounts }: { readonly people: People; readonly accounts: Accounts }) {
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

/** @param command the command that has the database open; undefined for a service */
const tables = ({ db, world, command }: Ground & { readonly command: RunningCommand | undefined }) => ({
  audit: audit(db, world, command),
  people: people(db),
  sessions: sessions(db, world),
  connections: connections(db),
  invitations: invitations(db, world),
})

export const domain = {
  tables: [tables],
  reads: [peopleReads],
} satisfies Domain
