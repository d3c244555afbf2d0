/** Materials. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { materials, materialOperations, materialReads } from "./materials.ts"

export const domain = {
  tables: [({ db }: Ground) => ({ materials: materials(db) })],
  operations: [materialOperations],
  reads: [materialReads],
} satisfies Domain
