/** Contexts: what a newcomer reads of a Room. */
import type { Domain } from "../../ledger/domains/domain.ts"
import { contextReads } from "./room-context.ts"

export const domain = {
  reads: [contextReads],
} satisfies Domain
