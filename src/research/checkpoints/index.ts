/** Checkpoints. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { checkpoints } from "./checkpoints.ts"
import { checkpointOperations } from "./operations.ts"
import { checkpointReads } from "./reads.ts"

export const domain = {
  tables: [({ db }: Ground) => ({ checkpoints: checkpoints(db) })],
  operations: [checkpointOperations],
  reads: [checkpointReads],
} satisfies Domain
