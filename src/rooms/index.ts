/** Rooms: their tables, operations and reads, as the instance assembles them. */
import type { Db } from "../ledger/storage/database.ts"
import type { People } from "../people/people.ts"
import { credentialOperations } from "./credential-operations.ts"
import { credentials } from "./credentials.ts"
import { memberOperations } from "./member-operations.ts"
import { importedRooms } from "./imported.ts"
import { leavingRooms } from "./leaving.ts"
import { members } from "./members.ts"
import { roomOperations as operationsOnRooms, type RoomThreads } from "./room-operations.ts"
import { rooms } from "./rooms.ts"
import { webhooks } from "./webhooks.ts"

export { activityLines, entryDescriptions } from "./activity-sentence.ts"
export { feedReads } from "./feed-reads.ts"
export { importActs } from "./imported.ts"
export { withholdingOperations } from "./withholding.ts"
export { webhookActions } from "./webhook-actions.ts"
export { roomReads } from "./reads.ts"

export const roomTables = (db: Db) => ({
  rooms: rooms(db),
  imported: importedRooms(db),
  leaving: leavingRooms(db),
  members: members(db),
  credentials: credentials(db),
  webhooks: webhooks(db),
})

export const roomOperations = (
  { rooms, members, imported, credentials }: ReturnType<typeof roomTables>,
  people: People,
  threads: RoomThreads,
) => ({
  ...operationsOnRooms(rooms, members, imported, people, threads),
  ...memberOperations(members, credentials, people),
  ...credentialOperations(rooms, credentials, threads),
})
