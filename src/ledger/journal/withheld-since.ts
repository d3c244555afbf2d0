/** Counts what was withheld from some writes after a later write had used them. */
import type { Db } from "../storage/database.ts"

/**
 * SQL that counts the withheld places of the writes about some objects, as far as they were withheld after the write at
 * a position.
 * @param position SQL @param places SQL for a GLOB pattern of paths @param targetIds SQL for a JSON list of ids
 */
export const WITHHELD_SINCE = (position: string, places: string, targetIds: string): string =>
  `(SELECT count(*) FROM withheld_fields wf JOIN journal wj ON wj.position = wf.history_position
     WHERE wf.by_position > ${position} AND wf.path GLOB ${places}
      AND wj.target_id IN (SELECT value FROM json_each(${targetIds})))`

/** The same as a query of its own. */
export function withheldSince(db: Db) {
  const count = db.prepare<{ count: number }>(`SELECT ${WITHHELD_SINCE("+?", "+?", "+?")} AS count`)
  return (position: number, places: string, targetIds: readonly string[]): number =>
    count.one(position, places, JSON.stringify(targetIds)).count
}
