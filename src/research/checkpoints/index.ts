/** Checkpoints. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { checkpoints, checkpointOperations, checkpointReads } from "./checkpoints.ts"

export const domain = {
  tables: [({ db }: Ground) => ({ checkpoints: checkpoints(db) })],
  operations: [checkpointOperations],
  reads: [checkpointReads],
} satisfies Domain
