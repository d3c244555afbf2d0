/** What was withheld of some writes after a later one had used it. */
import type { Db } from "../storage/database.ts"

/**
 * SQL for how many places that match were withheld of the writes about some objects, by withholdings after the write at a position.
 * @param position, places, targetIds SQL; the ids a JSON list
 */
export const WITHHELD_SINCE = (position: string, places: string, targetIds: string): string =>
  `(SELECT count(*) FROM withheld_fields wf JOIN journal wj ON wj.position = wf.history_position
     WHERE wf.by_position > ${position} AND wf.path GLOB ${places} AND wj.target_id IN (SELECT value FROM json_each(${targetIds})))`

/** The same, asked by itself. */
export function withheldSince(db: Db) {
  const counted = db.prepare<{ count: number }>(`SELECT ${WITHHELD_SINCE("+?", "+?", "+?")} AS count`)
  return (position: number, places: string, targetIds: readonly string[]): number =>
    counted.one(position, places, JSON.stringify(targetIds)).count
}
