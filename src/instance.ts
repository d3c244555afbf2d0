/** One instance of the service: its data, its domains, and what they do for each operation and read of the contract. */
import { Ledger } from "./ledger/admit.ts"
import type { Actor } from "./ledger/actor.ts"
import type { Behaviours } from "./ledger/behaviour.ts"
import type { Db } from "./ledger/database.ts"
import type { Readers } from "./ledger/reading.ts"
import type { World } from "./ledger/world.ts"
import { Accounts } from "./people/accounts.ts"
import { invitations } from "./people/invitations.ts"
import { people } from "./people/people.ts"
import { sessions } from "./people/sessions.ts"
import { recordOperations } from "./research/operations.ts"
import { recordReads } from "./research/reads.ts"
import { records } from "./research/records.ts"
import { credentialOperations } from "./rooms/credential-operations.ts"
import { credentials } from "./rooms/credentials.ts"
import { memberOperations } from "./rooms/member-operations.ts"
import { members } from "./rooms/members.ts"
import { roomReads } from "./rooms/reads.ts"
import { roomOperations } from "./rooms/room-operations.ts"
import { rooms } from "./rooms/rooms.ts"
import { threadOperations } from "./threads/operations.ts"
import { threadReads } from "./threads/reads.ts"
import { threads } from "./threads/threads.ts"

export type Instance = ReturnType<typeof createInstance>

/** Builds everything that stands between the edge and the data. */
export function createInstance({ db, world, instanceId }: { db: Db; world: World; instanceId: string }) {
  const tables = {
    people: people(db),
    sessions: sessions(db, world),
    invitations: invitations(db, world),
    rooms: rooms(db),
    members: members(db),
    credentials: credentials(db),
    threads: threads(db),
    records: records(db),
  }
  const gate = {
    confirm: (actor: Actor, at: string) => actor.grant && tables.credentials.confirm(actor.grant.credentialId, at),
    standing: tables.rooms.standing,
  }
  const ledger = new Ledger({ db, world, gate })
  const { timeline, activity, watch } = ledger
  const strangers = tables.threads.strangers

  const behaviours: Behaviours = {
    ...threadOperations({ ...tables, timeline }),
    ...recordOperations(tables),
    ...roomOperations(tables),
    ...memberOperations(tables),
    ...credentialOperations({ ...tables, strangers }),
  }
  ledger.learn(behaviours)

  const readers: Omit<Readers, "receipt" | "session" | "invitation"> = {
    ...roomReads({ ...tables, activity, watch }),
    ...threadReads({ ...tables, timeline }),
    ...recordReads(tables),
  }
  const accounts = new Accounts({ ...tables, ledger, world })

  return { instanceId, db, world, ledger, tables, readers, accounts }
}
