/** The refusals of a write that the storage rejected, or may have stored. */
import { Refusal } from "../../contract/refusals/refusal.ts"

export const notStored = () =>
  new Refusal("temporarily_unavailable", "The database could not take the write; nothing was stored. Send the same request again.", {
    retryAfter: 2,
  })
export const uncertain = () =>
  new Refusal("temporarily_unavailable", "The write could not be finished for certain. Keep its id and body and send it again.", {
    retryAfter: 2,
    committed: null,
  })
