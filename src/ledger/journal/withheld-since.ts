/** What was withheld of some writes after a later one had used it. */
import type { Db } from "../storage/database.ts"

/** How many places that match were withheld of the writes about some objects, by withholdings after the write at `position`. */
export function withheldSince(db: Db) {
  const counted = db.prepare<{ count: number }>(
    `SELECT count(*) AS count FROM withheld_fields f JOIN journal j ON j.position = f.history_position
     WHERE f.by_position > +? AND f.path GLOB +? AND j.target_id IN (SELECT value FROM json_each(+?))`,
  )
  return (position: number, places: string, targetIds: readonly string[]): number =>
    counted.one(position, places, JSON.stringify(targetIds)).count
}
