/** Reads the newest entries of a Room with their contents, within a limit for one page, because a content may have a million characters. */
import type { ActivityEntry } from "../../contract/answers/index.ts"
import { parse } from "../../contract/json.ts"
import type { Activity, FullRow } from "../../ledger/journal/activity.ts"

/** Entries read at a time, and the most characters of contents read from a Room. */
const STEP = 5
const CHARACTERS = 200_000

export interface Newest {
  readonly row: FullRow
  readonly entry: ActivityEntry
}

/** Yields the entries after one sequence and through another, newest first, until their contents reach the limit. */
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
