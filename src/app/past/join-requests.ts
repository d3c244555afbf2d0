/** Requests to join are between a person and the owner, and in no Room's history; the decision shows that there was one. */
import { schemaVersions } from "../../contract/versions.ts"
import type { Entry } from "../../ledger/journal/journal.ts"

/**
 * The request that a decision needs when a Room is replayed.
 * @param nameOf what somebody is called
 * @returns null for a write that is no decision
 */
export function priorJoinRequests(
  { operation, params, given, at }: Pick<Entry, "operation" | "params" | "given" | "at">,
  roomId: string,
  nameOf: (userId: string) => string | undefined,
): Omit<Entry, "position" | "sender"> | null {
  const asking = operation === "decide_join_request" ? params.userId : undefined
  if (asking === undefined) return null
  const [requestId = ""] = given.ids ?? []
  return {
    operation: "request_to_join",
    userId: asking,
    username: nameOf(asking) ?? "",
    at,
    params: { roomId },
    content: JSON.stringify({ requestId, schemaVersion: schemaVersions.research }),
    client: undefined,
    given: { ids: [requestId], ...(given.people && { people: given.people }) },
  }
}
