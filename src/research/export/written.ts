/** An accepted write in the form that a replay on another instance needs. */
import { JsonText, stored } from "../../contract/json.ts"
import type { RoomEntry } from "../../ledger/journal/room-journal.ts"

/**
 * An accepted write as another instance replays it. Of the values that the write was given it has only the ids, because
 * a replay computes the rest. Digests of tokens and the sender's credential stay here.
 */
export const writtenOut = ({ sequence, entry }: Pick<RoomEntry, "sequence" | "entry">) => ({
  sequence,
  operation: entry.operation,
  at: entry.at,
  actor: {
    userId: entry.userId,
    username: entry.username,
    ...(entry.agent !== undefined && { agent: entry.agent === "" ? null : entry.agent }),
  },
  path: entry.params,
  body: new JsonText(stored(entry.content)),
  client: entry.client,
  given: { ...(entry.given.ids && { ids: entry.given.ids }) },
})
