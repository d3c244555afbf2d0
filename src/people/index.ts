/** People as the instance puts them together: their tables, how they come in, and what is read of them. */
import type { Db } from "../ledger/storage/database.ts"
import type { World } from "../ledger/world.ts"
import { audit, type RunningCommand } from "./audit.ts"
import { connections } from "./connections.ts"
import { invitations } from "./invitations.ts"
import { people } from "./people.ts"
import { sessions } from "./sessions.ts"

export { createAccounts } from "./accounts.ts"
export { byProvider } from "./by-provider.ts"
export { Operators } from "./operators.ts"
export { peopleReads } from "./reads.ts"

/** @param command what runs instead of a service; left out, none */
export const peopleTables = (db: Db, world: World, command?: RunningCommand) => ({
  audit: audit(db, world, command),
  people: people(db),
  sessions: sessions(db, world),
  connections: connections(db),
  invitations: invitations(db, world),
})
