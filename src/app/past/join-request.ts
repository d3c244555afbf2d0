/** Reconstructs requests to join. They are not part of a Room's history, but the decision on one shows that it existed. */
import { schemaVersions } from "../../contract/versions.ts"
import type { Entry } from "../../ledger/journal/journal.ts"

/**
 * Reconstructs the request that must be replayed before a decision on it.
 * @returns null if the write is not such a decision
 */
export function joinRequestBefore(
  { operation, params, given, at }: Pick<Entry, "operation" | "params" | "given" | "at">,
  roomId: string,
  nameOf: (userId: string) => string | undefined,
): Omit<Entry, "position" | "sender"> | null {
  const userId = operation === "decide_join_request" ? params.userId : undefined
  if (userId === undefined) return null
  const [requestId = ""] = given.ids ?? []
  return {
    operation: "request_to_join",
    userId,
    username: nameOf(userId) ?? "",
    at,
    params: { roomId },
    content: JSON.stringify({ requestId, schemaVersion: schemaVersions.research }),
    client: undefined,
    given: { ids: [requestId], ...(given.people && { people: given.people }) },
  }
}
