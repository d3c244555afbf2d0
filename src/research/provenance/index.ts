/** The graph of what a Room's objects rest on. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { provenance, provenanceReads } from "./provenance.ts"

export const domain = {
  tables: [({ db }: Ground) => ({ provenance: provenance(db) })],
  reads: [provenanceReads],
} satisfies Domain
