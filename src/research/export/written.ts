/** An accepted write in the form that a replay on another instance needs, for a crate and for the feed. */
import { JsonText, stored, type Writable } from "../../contract/json.ts"
import type { Named } from "../../contract/answers/description.ts"
import { DESCRIBED } from "../../people/people.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { roomEntry, type RoomEntry } from "../../ledger/journal/room-journal.ts"
import { citing } from "./cited.ts"

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

/** Reads the write of a feed entry, for instances that mirror the Room. */
export function writes(db: Db) {
  const find = roomEntry(db)
  const person = db.prepare<Named>(
    `SELECT user_id AS userId, coalesce(known_as, username) AS username, ${DESCRIBED("p")} FROM people p WHERE user_id = +?`,
  )
  const cites = citing(db)
  /**
   * Returns the write, the people it names with how they want to be cited, and the Rooms it cites; null if it is not
   * stored.
   */
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
