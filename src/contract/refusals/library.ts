/** The refusals that only the Library gives. */
import { type RefusalSpecOf, unknown } from "./spec.ts"

export const refusalsOfLibrary = {
  not_authorized: {
    status: [401, 403],
    meaning:
      "401: the personal key is missing, unknown, expired or revoked, or it is a Room credential. 403: " +
      "the key lacks the permission that current.needed names, its reach excludes the Library, or only the owner " +
      "of the Collection may do it.",
    remedy: "On 401, stop and ask the person for a new key; on 403, ask for one that has what current.needed names.",
  },
  unknown_collection: unknown(
    "No such Collection is in reach.",
    "Take the id from the list of Collections; a Collection out of reach is refused as if it did not exist.",
  ),
  unknown_paper: unknown(
    "The Collection does not hold the paper, or no such paper is in reach.",
    "Check the paperId, and add the paper to the Collection first.",
  ),
  unknown_object: unknown(
    "You have no such note, highlight, invitation, member or key; browser routes only.",
    "Read the list again: the object may have been deleted.",
  ),
  thread_has_notes: {
    status: [409],
    meaning:
      "A paper cannot be removed from a Collection while there are notes on it there; current.notes counts them.",
    remedy: "Leave the paper there, or ask the people who wrote the notes to delete them.",
  },
  limit_reached: {
    status: [409],
    meaning: "A limit was reached, which current.limit names; nothing of the batch was written.",
    remedy: "File fewer papers, or file them elsewhere; a retry meets the same limit.",
  },
  invalid_request: {
    status: [422],
    meaning:
      "The body or a query parameter does not match its schema, or names something that does not exist here; " +
      "issues lists every fault by path.",
    remedy: "Correct every path that issues names; the id may stay, because nothing was stored.",
  },
} as const satisfies Record<string, RefusalSpecOf>
