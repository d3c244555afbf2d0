/** An accepted write as whoever does it again elsewhere needs it: in a crate, and beside an entry of the feed. */
import { JsonText, stored, trusted, type Writable } from "../../contract/json.ts"
import { holdsMark, withWords } from "../../contract/withheld.ts"
import type { Named } from "../../contract/described.ts"
import { DESCRIBED } from "../../people/people.ts"
import type { Db } from "../../ledger/database.ts"
import { roomEntry, type RoomEntry } from "../../ledger/room-history.ts"
import { citing } from "./cited.ts"
import type { Given } from "../../ledger/history.ts"

/** What the world gave with the word in place of what was withheld: nothing proves it, and whoever reads it looks for texts. */
function withWordsOnly(given: Given): Given {
  const text = JSON.stringify(given)
  return holdsMark(text) ? trusted<Given>(withWords(text)) : given
}

/**
 * An accepted write. What it was given says which ids came of it, and what a later version would say otherwise. Digests of
 * tokens, who sent it through which credential, and what a retry is compared with stay where they are.
 */
export const writtenOut = ({ sequence, entry }: Pick<RoomEntry, "sequence" | "entry">) => {
  const { tokens: _tokens, named: _named, ...given } = entry.given
  return {
    sequence,
    operation: entry.operation,
    at: entry.at,
    actor: { userId: entry.userId, username: entry.username },
    path: entry.params,
    body: new JsonText(stored(entry.content)),
    client: entry.client,
    // Of a Room of another instance it is said that there were none.
    given: withWordsOnly(given.warnings?.length === 0 ? withoutWarnings(given) : given),
  }
}

const withoutWarnings = ({ warnings: _none, ...given }: Given): Given => given

/** What stands beside an entry of the feed for those who follow a Room from another instance. */
export function writes(db: Db) {
  const find = roomEntry(db)
  const person = db.prepare<Named>(
    `SELECT user_id AS userId, coalesce(known_as, username) AS username, ${DESCRIBED("p")} FROM people p WHERE user_id = ?`,
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
      people: [entry.userId, member].flatMap((userId) => (userId == null ? [] : [{ ...person.one(userId) }])),
      cites: cites(roomId, found).map((cited) => ({ ...cited })),
    }
  }
}
