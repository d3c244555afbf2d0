/** Briefs: where a Room stands, what failed, what comes next. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { candidates } from "./candidates.ts"
import { briefReads } from "./reads.ts"

export const domain = {
  tables: [({ db }: Ground) => ({ brief: candidates(db) })],
  reads: [briefReads],
} satisfies Domain
