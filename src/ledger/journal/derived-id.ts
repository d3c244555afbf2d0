/** Ids derived from other ids. */
import { createHash } from "node:crypto"

/**
 * Derives an id from one that the activity's digests cover. Nothing would prove an independent id in another instance's
 * history. The timestamp stays, so both ids sort together.
 * @param id a UUIDv7 @param what what the new id is for, such as "review"
 */
export const derivedId = (id: string, what: string): string =>
  id.slice(0, 24) + createHash("sha256").update(`${what} of ${id}`).digest("hex").slice(0, 12)
