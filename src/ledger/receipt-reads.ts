/** The read of a stored receipt. */
import { JsonText } from "../contract/json.ts"
import { operationNamed } from "../contract/operations/index.ts"
import { Refusal } from "../contract/refusals.ts"
import type { Ledger } from "./admit.ts"
import type { Readers } from "./reading.ts"

export function receiptReads(ledger: Ledger) {
  return {
    receipt({ actor, query }) {
      const named = operationNamed(query.operation)
      // What a person did in their Library is not for a credential of a Room to learn.
      const operation = named?.family === "research" ? named : undefined
      const deliveryId = operation === undefined ? undefined : query[operation.delivery]
      if (operation === undefined || deliveryId === undefined) {
        const name = operation?.delivery ?? "operation"
        throw new Refusal("invalid_parameter", `Name an operation and its ${operation?.delivery ?? "delivery id"}.`, {
          issues: [{ path: `/${name}`, message: "is missing, or names nothing" }],
        })
      }
      const stored = ledger.receipt(operation, actor, deliveryId)
      if (stored === undefined)
        throw new Refusal("unknown_receipt", "You have no receipt under this operation and id: nothing was stored for it.")
      return new JsonText(stored)
    },
  } satisfies Partial<Readers>
}
