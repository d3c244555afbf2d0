/** Experiments, their plans, who holds them and what they cost. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { costSums } from "./costs.ts"
import { experiments } from "./experiments.ts"
import { holders } from "./holders.ts"
import { experimentOperations } from "./operations.ts"
import { plans } from "./plans.ts"
import { experimentReads } from "./reads.ts"

export const domain = {
  tables: [
    ({ db, basePath, now }: Ground) => ({
      experiments: experiments(db, basePath, now),
      holders: holders(db),
      costs: costSums(db),
      plans: plans(db, now),
    }),
  ],
  operations: [experimentOperations],
  reads: [experimentReads],
} satisfies Domain
