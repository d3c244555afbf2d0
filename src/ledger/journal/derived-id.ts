/** Ids that follow from another id. */
import { createHash } from "node:crypto"

/**
 * An id that follows from one that the activity's digests seal. Nothing would prove an id of its own in a stranger's history.
 * The time in it stays, so it sorts beside the other.
 * @param id a UUIDv7 @param what what it is the id of, such as "review"
 */
export const derivedId = (id: string, what: string): string =>
  id.slice(0, 24) + createHash("sha256").update(`${what} of ${id}`).digest("hex").slice(0, 12)
