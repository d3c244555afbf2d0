/** An accepted write as a replay elsewhere needs it: in a crate, and beside an entry of the feed. */
import { JsonText, stored, type Writable } from "../../contract/json.ts"
import type { Named } from "../../contract/answers/description.ts"
import { DESCRIBED } from "../../people/people.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { roomEntry, type RoomEntry } from "../../ledger/journal/room-journal.ts"
import { citing } from "./cited.ts"

/**
 * An accepted write as another instance replays it. Of what the write was given it tells only the ids: whoever replays it works
 * out the rest. Digests of tokens and the credential it was sent with stay here.
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

/** What stands beside an entry of the feed for those who follow a Room from another instance. */
export function writes(db: Db) {
  const find = roomEntry(db)
  const person = db.prepare<Named>(
    `SELECT user_id AS userId, coalesce(known_as, username) AS username, ${DESCRIBED("p")} FROM people p WHERE user_id = +?`,
  )
  const cites = citing(db)
  /** The write, its actor and whom it names besides with how they want to be cited, and what it names of other Rooms; null where it is not kept. */
  return (roomId: string, sequence: number): Writable => {
    const found = find(roomId, sequence)
    if (found === undefined) return null
    const { entry, targetId } = found
    const member = entry.params.userId ?? (entry.operation === "add_member" ? targetId : undefined)
    return {
      ...writtenOut(found),
      people: [entry.userId, member].flatMap((userId) =>
        userId == null ? [] : [{ ...person.one(entry.given.people?.[userId] ?? userId), userId }],
      ),
      cites: cites(roomId, found).map((cited) => ({ ...cited })),
    }
  }
}
