/** The tables of the ledger that other domains use, and the read of a stored receipt. */
import type { Domain, Ground } from "./domain.ts"
import { attachments } from "../journal/attachments.ts"
import { withheld } from "../journal/withheld.ts"
import { labelled } from "../lists/labelled.ts"
import { standings } from "../lists/standings.ts"
import { JsonText } from "../../contract/json.ts"
import { operationNamed } from "../../contract/operations/index.ts"
import { present } from "../../contract/typed.ts"
import { badParameter, Refusal } from "../../contract/refusals.ts"
import type { Ledger } from "../write/ledger.ts"
import type { Readers } from "../reads/reading.ts"

// The read of a stored receipt.

export function receiptReads({ ledger }: { ledger: Pick<Ledger, "receipt"> }) {
  return {
    receipt({ actor, query }) {
      const operation = present(operationNamed(query.operation))
      const deliveryId = query[operation.delivery]
      if (deliveryId === undefined)
        throw badParameter(operation.delivery, `is the id of a delivery of ${operation.name}: it is missing`)
      const stored = ledger.receipt(operation, actor, deliveryId)
      if (stored === undefined)
        throw new Refusal(
          "unknown_receipt",
          "You have no receipt under this operation and id: nothing was stored for it.",
        )
      return new JsonText(stored)
    },
  } satisfies Partial<Readers>
}

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
