/** The query parameters of a write. */
import * as v from "valibot"
import { limits } from "../limits.ts"
import { described } from "../schema/described.ts"

/** The query parameters of an agent's write. */
export const writeParameters = {
  rehearse: v.exactOptional(
    described(v.literal("1"), "Run every check, undo the work, and return the receipt that the write would have had."),
  ),
  receipt: v.exactOptional(
    described(
      v.picklist(["whole", "small"], "must be whole or small"),
      `small: the answer has at most ${limits.smallReceiptBytes} bytes, and only the members of the receipt that the sender does not know. The stored receipt is whole.`,
    ),
  ),
}
export type WriteParameters = v.InferOutput<v.StrictObjectSchema<typeof writeParameters, undefined>>
