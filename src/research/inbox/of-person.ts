/** Finds the newest entries of other people that concern a person, for the home page. */
import type { ActivityEntry, InboxEntry } from "../../contract/answers/index.ts"
import { trusted } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Activity } from "../../ledger/journal/activity.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Members } from "../../rooms/members.ts"
import type { concerns } from "./concerns.ts"
import { type Newest, newest } from "./news.ts"

/** The number of Rooms to read, and the number of entries in each. */
const ROOMS = 20
const ENTRIES = 50
/** The age in milliseconds after which entries are left out. */
const RECENT = 14 * 24 * 3_600_000
const SHOWN = 20

export interface PersonsEntry {
  readonly roomId: string
  readonly title: string
  readonly entry: ActivityEntry
  readonly summary: string
  readonly concerns: readonly InboxEntry["concerns"][number][]
}

interface Sources {
  readonly activity: Activity
  readonly members: Pick<Members, "roomsOf">
  readonly concerns: ReturnType<typeof concerns>
  readonly summary: (roomId: string, entry: ActivityEntry, content: string) => string
}

export type Concerning = ReturnType<typeof concerning>

/**
 * Finds up to 20 entries, newest first. Leaves out entries that the person has read, and those that they followed by an
 * entry of their own in the same Thread, or in the Room for an entry without a Thread. Also leaves out replies,
 * disputes and objections, which are listed on their own until they are answered.
 */
export function concerning({ activity, members, concerns, summary }: Sources) {
  /** Returns the newest entries of a Room after a sequence and since a time, oldest first. */
  function recent(roomId: string, after: number, since: string): Newest[] {
    const watermark = activity.watermark(roomId)
    const found: Newest[] = []
    for (const each of newest(activity, roomId, Math.max(after, watermark - ENTRIES), watermark)) {
      if (each.entry.at < since) break
      found.unshift(each)
    }
    return found
  }

  /** @param readThrough returns the last entry of a Room that the person has read */
  return (
    person: { readonly userId: string; readonly username: string },
    now: number,
    readThrough: (roomId: string) => number,
  ): PersonsEntry[] => {
    const since = isoTime(now - RECENT)
    const found = members.roomsOf(person.userId, ROOMS).flatMap(({ roomId, title }): PersonsEntry[] => {
      const entries = recent(roomId, readThrough(roomId), since)
      const answered = new Map<string | null, number>()
      // Entries by the person's agents do not show what the person has read.
      for (const { entry } of entries)
        if (entry.actor.userId === person.userId && entry.actor.agent == null)
          for (const place of [entry.threadId, null]) answered.set(place, entry.sequence)
      const rows = entries.map(({ row }) => row)
      return concerns(roomId, rows, { ...person, name: null }).flatMap(({ entry, row, concerns }) =>
        entry.sequence < (answered.get(entry.threadId) ?? 0) ||
        entry.operation === "assert_dispute" ||
        (entry.operation === "submit_review" && trusted<BodyOf<"submit_review">>(row.content).verdict === "objects") ||
        concerns.some(({ because }) => because === "reply")
          ? []
          : [{ roomId, title, entry, summary: summary(roomId, entry, row.content), concerns }],
      )
    })
    return found.sort((one, other) => (one.entry.at < other.entry.at ? 1 : -1)).slice(0, SHOWN)
  }
}
