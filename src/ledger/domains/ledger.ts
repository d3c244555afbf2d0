/** The tables of the ledger that other domains use, and the read of a stored receipt. */
import type { Domain, Ground } from "./domain.ts"
import { attachments } from "../journal/attachments.ts"
import { withheld } from "../journal/withheld.ts"
import { labelled } from "../lists/labelled.ts"
import { standings } from "../lists/standings.ts"
import { receiptReads } from "../reads/receipt-reads.ts"

export const domain = {
  tables: [
    ({ db }: Ground) => ({
      standings: standings(db),
      withheld: withheld(db),
      attachments: attachments(db),
      labelled: labelled(db),
    }),
  ],
  reads: [receiptReads],
} satisfies Domain
