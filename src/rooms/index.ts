/** Rooms as the instance puts them together: their tables, what their operations do, what their reads answer. */
import type { Db } from "../ledger/database.ts"
import { credentialOperations } from "./credential-operations.ts"
import { credentials } from "./credentials.ts"
import { memberOperations } from "./member-operations.ts"
import { members } from "./members.ts"
import { roomOperations as operationsOnRooms } from "./room-operations.ts"
import { rooms } from "./rooms.ts"

export { roomReads } from "./reads.ts"

export const roomTables = (db: Db) => ({ rooms: rooms(db), members: members(db), credentials: credentials(db) })

type Parts = Parameters<typeof operationsOnRooms>[0] & Parameters<typeof memberOperations>[0] & Parameters<typeof credentialOperations>[0]

export const roomOperations = (parts: Parts) => ({
  ...operationsOnRooms(parts),
  ...memberOperations(parts),
  ...credentialOperations(parts),
})
