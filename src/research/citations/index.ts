/** How a Room and its records are cited. */
import type { Domain } from "../../ledger/domains/domain.ts"
import { roomCitationReads } from "./citations.ts"

export const domain = {
  reads: [roomCitationReads],
} satisfies Domain
