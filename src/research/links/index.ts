/** Links: corrections, supersessions, disputes and retractions. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { links, linkReads } from "./links.ts"
import { linkOperations, repliedStep } from "./operations.ts"

export const domain = {
  tables: [({ db }: Ground) => ({ links: links(db) })],
  operations: [linkOperations],
  steps: [repliedStep],
  reads: [linkReads],
} satisfies Domain
