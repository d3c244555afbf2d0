/** Materials. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { materials } from "./materials.ts"
import { materialOperations } from "./operations.ts"
import { materialReads } from "./reads.ts"

export const domain = {
  tables: [({ db }: Ground) => ({ materials: materials(db) })],
  operations: [materialOperations],
  reads: [materialReads],
} satisfies Domain
