/** People: their tables, accounts and reads, as the instance assembles them. */
import type { Db } from "../ledger/storage/database.ts"
import type { World } from "../ledger/world.ts"
import { audit, type RunningCommand } from "./audit.ts"
import { connections } from "./by-provider.ts"
import { invitations } from "./invitations.ts"
import { people } from "./people.ts"
import { sessions } from "./sessions.ts"

export { createAccounts } from "./accounts.ts"
export { byProvider } from "./by-provider.ts"
export { operatorActions } from "./operators.ts"
export { peopleReads } from "./reads.ts"

/** @param command the command that has the database open; omitted for a service */
export const peopleTables = (db: Db, world: World, command?: RunningCommand) => ({
  audit: audit(db, world, command),
  people: people(db),
  sessions: sessions(db, world),
  connections: connections(db),
  invitations: invitations(db, world),
})
