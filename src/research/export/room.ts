/** A Room as of one moment, on a connection of its own: what every part of an export is made from. */
import type { BodyOf } from "../../contract/operations/index.ts"
import { activity } from "../../ledger/activity.ts"
import type { Db } from "../../ledger/database.ts"
import { roomHistory } from "../../ledger/room-history.ts"
import { people } from "../../people/people.ts"
import { timeline } from "../../ledger/timeline.ts"
import { members } from "../../rooms/members.ts"
import { rooms } from "../../rooms/rooms.ts"
import { threads } from "../../threads/threads.ts"
import { findingLinks } from "../findings/finding-links.ts"
import { rows } from "./rows.ts"

/** Entries that are in memory at once. */
const PAGE = 200

export interface Person {
  readonly userId: string
  readonly username: string
}
export type ExportedRoom = NonNullable<ReturnType<typeof exportedRoom>>

/** @param db a snapshot @returns undefined where there is no such Room */
export function exportedRoom(db: Db, roomId: string) {
  const summary = rooms(db).summary(roomId)
  if (summary === undefined) return undefined
  const feed = activity(db)
  const entries = timeline(db)
  const links = findingLinks(db)
  const authors = db.prepare<{ userId: string; username: string }>(
    "SELECT p.user_id AS userId, p.username FROM people p WHERE p.user_id IN (SELECT e.author_id FROM timeline_entries e WHERE e.thread_id = ?)",
  )
  return {
    summary,
    members: members(db).of(roomId),
    threads: threads(db).all(roomId),
    /** Everybody who left something in a Thread. */
    authorsOf: (threadId: string): readonly Person[] => authors.all(threadId),
    ...rows(db, roomId),

    /** Every accepted write, as it was kept. */
    history: () => roomHistory(db, roomId),
    /** Everybody whom the history names: who wrote, and whose membership came or went. */
    named(): readonly Person[] {
      const { withId, named } = people(db)
      const found = new Map<string, Person>()
      const note = (person: Person | undefined) => person && found.set(person.userId, { userId: person.userId, username: person.username })
      for (const { entry } of roomHistory(db, roomId)) {
        for (const userId of [entry.userId, entry.params.userId]) if (userId != null && !found.has(userId)) note(withId(userId))
        if (entry.operation === "add_member") note(named((JSON.parse(entry.content) as BodyOf<"add_member">).username))
      }
      return [...found.values()].sort((one, other) => (one.userId < other.userId ? -1 : 1))
    },

    /** The change feed as it is served. */
    *activity(): Generator<string> {
      for (let after = 0; ; ) {
        const page = feed.after(roomId, after, undefined, PAGE)
        for (const { body } of page) yield body
        if (page.length < PAGE) return
        after = page.at(-1)?.sequence ?? after
      }
    },

    /** The timeline of a Thread as it is served. */
    *timeline(threadId: string): Generator<string> {
      for (let after = 0; ; ) {
        const page = entries.after(threadId, after, undefined, PAGE)
        for (const { entry } of page) yield entry.text
        if (page.length < PAGE) return
        after = page.at(-1)?.sequence ?? after
      }
    },

    /** Findings related to experiments, with their verdicts, as they are served. */
    *findingLinks() {
      for (let after: string | undefined; ; ) {
        const page = links.ofRoom(roomId, after, PAGE)
        yield* page
        if (page.length < PAGE) return
        after = page.at(-1)?.linkId
      }
    },
  }
}
