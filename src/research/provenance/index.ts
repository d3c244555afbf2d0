/** The graph of what a Room's objects rest on. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { provenance } from "./provenance.ts"
import { provenanceReads } from "./reads.ts"

export const domain = {
  tables: [({ db }: Ground) => ({ provenance: provenance(db) })],
  reads: [provenanceReads],
} satisfies Domain
