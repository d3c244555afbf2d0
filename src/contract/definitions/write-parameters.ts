/** How a write may be sent, beside its body. */
import * as v from "valibot"
import { limits } from "../limits.ts"

/** What the query of an agent write may hold. */
export const writeParameters = {
  rehearse: v.exactOptional(
    v.pipe(v.literal("1"), v.description("Walk every check, undo the work, and answer the receipt that would have been given.")),
  ),
  receipt: v.exactOptional(
    v.pipe(
      v.picklist(["whole", "small"], "must be whole or small"),
      v.description(
        `small: the answer has at most ${limits.smallReceiptBytes} bytes, and only those members of the receipt that a sender does not know. The receipt that is kept is whole.`,
      ),
    ),
  ),
}
export type WriteParameters = v.InferOutput<v.StrictObjectSchema<typeof writeParameters, undefined>>
