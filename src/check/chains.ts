/** Follows the chains of digests: that of every Room's activity, with the contents it tells of, and that of the history. */
import type { ActivityEntry } from "../contract/answers.ts"
import { entryDigest, firstPreviousDigest } from "../contract/chain.ts"
import { digestOf } from "../contract/json.ts"
import { holdsMark } from "../contract/withheld.ts"
import type { Db } from "../ledger/database.ts"
import { history } from "../ledger/history.ts"

/** How many rows are held in memory at once. */
const STEP = 500

const parsed = <T>(text: string): T | undefined => {
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}

/** What a problem calls the object of a write. */
const nameOf = ({ target }: Pick<ActivityEntry, "target">): string =>
  `${target.kind} ${target.label === null ? target.id : `${target.label} (${target.id})`}`

interface Head {
  readonly room_id: string
  readonly activity_sequence: number
  readonly activity_digest: string
}

/** The heads of all Rooms. */
export const headsOf = (db: Db): Head[] =>
  db.prepare<Head>("SELECT room_id, activity_sequence, activity_digest FROM room_heads ORDER BY room_id").all()

/** Reads every Room's activity from its first entry to its head, and the history. */
export function chains(db: Db, add: (problem: string) => void, onEntries: (entries: number) => void) {
  const heads = headsOf(db)
  const page = db.prepare<{ sequence: number; body: string; history_position: number }>(
    `SELECT sequence, body, history_position FROM activity_entries WHERE room_id = ? AND sequence > ? ORDER BY sequence LIMIT ${STEP}`,
  )
  const kept = history(db)
  const unproved: { roomId: string; sequence: number }[] = []
  let all = 0

  /** Follows one Room's chain to its end, or to where it breaks. */
  function chain({ room_id: roomId, activity_sequence: last, activity_digest: lastDigest }: Head): void {
    let previous = firstPreviousDigest
    let entries = 0
    for (let rows = page.all(roomId, 0); rows.length > 0; rows = page.all(roomId, entries)) {
      for (const { sequence, body, history_position: position } of rows) {
        const entry = parsed<ActivityEntry>(body)
        const due = entries + 1
        if (
          entry === undefined ||
          sequence !== due ||
          entry.sequence !== due ||
          entry.previousDigest !== previous ||
          entryDigest(entry) !== entry.digest
        ) {
          add(`The activity of Room ${roomId} does not hold together at entry ${due}.`)
          return
        }
        entries = due
        all += 1
        previous = entry.digest
        const accepted = kept.at(position)
        if (accepted === undefined) add(`The ${nameOf(entry)} that was accepted is not in the history.`)
        else if (digestOf(accepted.content) !== entry.contentDigest) {
          const isWithheld = accepted.sealed?.contentDigest === entry.contentDigest && holdsMark(accepted.content)
          if (isWithheld) unproved.push({ roomId, sequence })
          else add(`The content of ${nameOf(entry)} is not what was accepted.`)
        }
      }
      onEntries(all)
    }
    if (entries !== last || previous !== lastDigest) add(`The activity of Room ${roomId} ends at entry ${entries}; its head says ${last}.`)
  }

  heads.forEach(chain)
  const broken = kept.broken(digestOf)
  if (broken !== null) add(`The history does not hold together at entry ${broken} (history, position ${broken}).`)
  const records = db.prepare<{ records: number }>("SELECT count(*) AS records FROM records").get()?.records ?? 0
  return { rooms: heads.length, activityEntries: all, records, unproved }
}
