/** Records: what hypotheses, findings and cited claims have in common. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { conceptIndex } from "./concepts.ts"
import { recordOperations } from "./publish.ts"
import { records } from "./records.ts"

export const domain = {
  tables: [({ db }: Ground) => ({ records: records(db), concepts: conceptIndex(db) })],
  operations: [recordOperations],
} satisfies Domain
