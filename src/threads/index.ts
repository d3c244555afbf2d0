/** Threads. */
import type { Domain, Ground } from "../ledger/domains/domain.ts"
import { threadOperations } from "./operations.ts"
import { threadReads } from "./reads.ts"
import { threads } from "./threads.ts"

export const domain = {
  tables: [({ db }: Ground) => ({ threads: threads(db) })],
  operations: [threadOperations],
  reads: [threadReads],
} satisfies Domain
