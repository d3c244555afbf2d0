/** Claims on work. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { claims } from "./claims.ts"
import { claimOperations, renewingStep } from "./operations.ts"

export const domain = {
  tables: [({ db }: Ground) => ({ claims: claims(db) })],
  operations: [claimOperations],
  steps: [renewingStep],
} satisfies Domain
