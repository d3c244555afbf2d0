/** How a Room and its records are cited. */
import type { Domain } from "../../ledger/domains/domain.ts"
import { roomCitationReads } from "./room.ts"

export const domain = {
  reads: [roomCitationReads],
} satisfies Domain
