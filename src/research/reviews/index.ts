/** Reviews. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { reviewOperations, reviews } from "./reviews.ts"

export const domain = {
  tables: [({ db }: Ground) => ({ reviews: reviews(db) })],
  operations: [reviewOperations],
} satisfies Domain
