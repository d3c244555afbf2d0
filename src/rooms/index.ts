/** Rooms: their members, credentials and webhooks, and what is withheld in them. */
import type { Domain, Ground } from "../ledger/domains/domain.ts"
import { credentialOperations, credentials } from "./credentials.ts"
import { feedReads } from "./activity.ts"
import { importedRooms, leavingRooms } from "./imported.ts"
import { memberOperations } from "./member-operations.ts"
import { members } from "./members.ts"
import { roomReads } from "./reads.ts"
import { roomOperations, rooms } from "./rooms.ts"
import { webhooks } from "./webhooks.ts"
import { withholdingOperations } from "./withholding.ts"

export const domain = {
  tables: [
    ({ db }: Ground) => ({
      rooms: rooms(db),
      imported: importedRooms(db),
      leaving: leavingRooms(db),
      members: members(db),
      credentials: credentials(db),
      webhooks: webhooks(db),
    }),
  ],
  operations: [roomOperations, memberOperations, credentialOperations, withholdingOperations],
  reads: [roomReads, feedReads],
} satisfies Domain
