/** What bears on each record. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { evidence } from "./evidence.ts"
import { evidenceReads } from "./reads.ts"

export const domain = {
  tables: [({ db }: Ground) => ({ evidence: evidence(db) })],
  reads: [evidenceReads],
} satisfies Domain
