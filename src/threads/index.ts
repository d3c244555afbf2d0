/** Assembles the domain of Threads. */
import type { Db } from "../ledger/storage/database.ts"
import { threads } from "./threads.ts"

export { threadOperations } from "./operations.ts"
export { threadReads } from "./reads.ts"

export const threadTables = (db: Db) => ({ threads: threads(db) })
