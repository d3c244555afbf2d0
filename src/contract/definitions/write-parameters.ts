/** How a write may be sent, beside its body. */
import * as v from "valibot"
import { limits } from "../limits.ts"
import { described } from "../schema/described.ts"

/** What the query of an agent write may hold. */
export const writeParameters = {
  rehearse: v.exactOptional(
    described(v.literal("1"), "Walk every check, undo the work, and answer the receipt that would have been given."),
  ),
  receipt: v.exactOptional(
    described(
      v.picklist(["whole", "small"], "must be whole or small"),
      `small: the answer has at most ${limits.smallReceiptBytes} bytes, and only those members of the receipt that a sender does not know. The receipt that is kept is whole.`,
    ),
  ),
}
export type WriteParameters = v.InferOutput<v.StrictObjectSchema<typeof writeParameters, undefined>>
