/** The search. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { searchReads } from "./reads.ts"
import { search } from "./search.ts"

export const domain = {
  tables: [({ db }: Ground) => ({ search: search(db) })],
  reads: [searchReads],
} satisfies Domain
