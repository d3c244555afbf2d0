/** People: their accounts, sessions and invitations, and the audit log of what is done to them. */
import type { Domain, Ground } from "../ledger/domains/domain.ts"
import { audit, type RunningCommand } from "./audit.ts"
import { connections } from "./by-provider.ts"
import { invitations } from "./invitations.ts"
import { people } from "./people.ts"
import { peopleReads } from "./reads.ts"
import { sessions } from "./sessions.ts"

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
