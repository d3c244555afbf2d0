/** The newest entries of a Room with what was accepted, as far as that may be read for one page: a content may have a million characters. */
import type { ActivityEntry } from "../../contract/answers/index.ts"
import { parse } from "../../contract/json.ts"
import type { Activity, FullRow } from "../../ledger/journal/activity.ts"

/** Entries that are read at a time, and the characters of contents after which no more of a Room are. */
const STEP = 5
const CHARACTERS = 200_000

export interface Newest {
  readonly row: FullRow
  readonly entry: ActivityEntry
}

/** The entries after one sequence and through another, the newest first, until their contents are too much. */
export function* newest(activity: Pick<Activity, "fullAfter">, roomId: string, after: number, through: number): Generator<Newest> {
  let left = CHARACTERS
  for (let end = through; end > after; end -= STEP) {
    const from = Math.max(after, end - STEP)
    for (const row of activity.fullAfter(roomId, from, undefined, end - from).toReversed()) {
      left -= row.content.length
      if (left < 0) return
      yield { row, entry: parse(row.body) }
    }
  }
}
