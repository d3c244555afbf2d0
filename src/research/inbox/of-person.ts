/** What others did in a person's Rooms that concerns them: of the newest entries, for the first page. */
import type { ActivityEntry, InboxEntry } from "../../contract/answers/index.ts"
import { trusted } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Activity } from "../../ledger/journal/activity.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Members } from "../../rooms/members.ts"
import type { concerns } from "./concerns.ts"
import { type Newest, newest } from "./newest.ts"

/** Rooms that are looked at, and the newest entries of each. */
const ROOMS = 20
const ENTRIES = 50
/** Milliseconds after which an entry concerns nobody any more. */
const RECENT = 14 * 24 * 3_600_000
const SHOWN = 20

export interface PersonsEntry {
  readonly roomId: string
  readonly title: string
  readonly entry: ActivityEntry
  /** One sentence on what happened. */
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
 * Up to 20 entries, the newest first. An entry is left out once its reader has read the Room through it, or wrote in its Thread in the browser; where it has no Thread, in its Room.
 * Replies, disputes and objections are left out too: they wait for an answer by themselves.
 */
export function concerning({ activity, members, concerns, summary }: Sources) {
  /** The newest entries of a Room after one and since a time, in order. */
  function recent(roomId: string, after: number, since: string): Newest[] {
    const watermark = activity.watermark(roomId)
    const found: Newest[] = []
    for (const each of newest(activity, roomId, Math.max(after, watermark - ENTRIES), watermark)) {
      if (each.entry.at < since) break
      found.unshift(each)
    }
    return found
  }

  /** @param readThrough through which entry of a Room the person has read */
  return (
    person: { readonly userId: string; readonly username: string },
    now: number,
    readThrough: (roomId: string) => number,
  ): PersonsEntry[] => {
    const since = isoTime(now - RECENT)
    const found = members.roomsOf(person.userId, ROOMS).flatMap(({ roomId, title }): PersonsEntry[] => {
      const entries = recent(roomId, readThrough(roomId), since)
      const answered = new Map<string | null, number>()
      // What an agent of theirs wrote says nothing of what they have read.
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
