/** Verifies the chains of digests: of each Room's activity, with the contents of its writes, and of the journal. */
import type { ActivityEntry } from "../contract/answers/index.ts"
import { entryDigest, firstPreviousDigest } from "../contract/answers/chain.ts"
import { digestOf } from "../contract/json.ts"
import { holdsMark } from "../contract/definitions/withheld-text.ts"
import type { Db } from "../ledger/storage/database.ts"
import { activity } from "../ledger/journal/activity.ts"
import { journal } from "../ledger/journal/journal.ts"

/** How many rows are in memory at once. */
const STEP = 500

const parsed = <T>(text: string): T | undefined => {
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}

/** Names the object of a write in a problem. */
const nameOf = ({ target }: Pick<ActivityEntry, "target">): string =>
  `${target.kind} ${target.label === null ? target.id : `${target.label} (${target.id})`}`

interface Head {
  readonly room_id: string
  readonly activity_sequence: number
  readonly activity_digest: string
}

/** Returns the heads of all Rooms. */
export const headsOf = (db: Db): Head[] =>
  db.prepare<Head>("SELECT room_id, activity_sequence, activity_digest FROM room_heads ORDER BY room_id").all()

/** Reads every Room's activity from its first entry to its head, and the journal. */
export function chains(db: Db, add: (problem: string) => void, onEntries: (entries: number) => void) {
  const heads = headsOf(db)
  const feed = activity(db)
  const kept = journal(db)
  /** Entries whose bodies no digest proves because parts of them were withheld. */
  const unproved: { roomId: string; sequence: number }[] = []
  let all = 0

  /** Verifies one Room's chain to its end, or to the first fault. */
  function chain({ room_id: roomId, activity_sequence: last, activity_digest: lastDigest }: Head): void {
    let previous = firstPreviousDigest
    let entries = 0
    for (
      let rows = feed.fullAfter(roomId, 0, undefined, STEP);
      rows.length > 0;
      rows = feed.fullAfter(roomId, entries, undefined, STEP)
    ) {
      for (const { sequence, body, content, isSealed } of rows) {
        const entry = parsed<ActivityEntry>(body)
        const due = entries + 1
        if (
          entry === undefined ||
          sequence !== due ||
          entry.sequence !== due ||
          entry.previousDigest !== previous ||
          entryDigest(entry) !== entry.digest
        ) {
          add(`The chain of digests of the activity of Room ${roomId} is broken at entry ${due}.`)
          return
        }
        entries = due
        all += 1
        previous = entry.digest
        if (digestOf(content) !== entry.contentDigest) {
          if (isSealed && holdsMark(content)) unproved.push({ roomId, sequence })
          else add(`The content of ${nameOf(entry)} is not what was accepted.`)
        }
      }
      onEntries(all)
    }
    if (entries !== last || previous !== lastDigest)
      add(`The activity of Room ${roomId} ends at entry ${entries}; its head says ${last}.`)
  }

  heads.forEach(chain)
  const broken = kept.broken()
  if (broken !== null) add(`The chain of digests of the journal is broken at entry ${broken}.`)
  const records = db.prepare<{ records: number }>("SELECT count(*) AS records FROM records").get()?.records ?? 0
  return { rooms: heads.length, activityEntries: all, records, unproved }
}
