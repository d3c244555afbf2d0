/** Opens the data of an instance: its database, its identity and its world. */
import { join } from "node:path"
import type { Db } from "./database.ts"
import { inserting } from "./inserting.ts"
import { DataError, openReadConnection, openDatabase } from "./opening.ts"
import { isoTime, momentOf, realWorld, type World } from "../world.ts"

/** The database's file within a data folder. */
export const databaseFile = (folder: string): string => join(folder, "research-room.db")

/**
 * The time in the newest id that this instance gave to a write, in milliseconds; 0 for new data. Writes of other
 * instances bring their own ids: their sender is their Room, or their first id.
 */
export function newestId(db: Db): number {
  const row = db
    .prepare<{ id: string }>(
      `SELECT coalesce(j.given ->> '$.ids[#-1]', e.entry_id) AS id
       FROM journal j
        JOIN writers w ON w.writer = j.writer
        LEFT JOIN timeline_entries e ON e.thread = j.thread AND e.sequence = j.entry_sequence
       WHERE NOT EXISTS (SELECT 1 FROM room_heads WHERE room_id = w.sender)
         AND w.sender IS NOT coalesce(j.given ->> '$.ids[0]', e.entry_id)
          AND coalesce(j.given ->> '$.ids[#-1]', e.entry_id) IS NOT NULL
       ORDER BY j.position DESC LIMIT 1`,
    )
    .get()
  return row === undefined ? 0 : momentOf(row.id)
}

/**
 * Returns the time of the newest write if it was made while the clock was ahead, and lies in the future; otherwise
 * null. It is read on the first call: later writes are dated by the clock.
 */
export function datedAhead(db: Db, world: World): () => string | null {
  let newest: number | undefined
  return () => ((newest ??= newestId(db)) > world.now() ? isoTime(newest) : null)
}

/** Makes restored data a new instance: it lacks the writes since the backup. */
export function renewInstance(db: Db): void {
  const world = realWorld()
  world.idsAfter(newestId(db))
  const at = isoTime(world.now())
  db.prepare("INSERT INTO earlier_instances (instance_id, until) SELECT instance_id, +? FROM instance").run(at)
  db.prepare("UPDATE instance SET instance_id = +?, created_at = +?").run(world.id(), at)
}

/** Returns the identity of the instance that owns the data, and those it was restored from, oldest first. */
export function whoseData(db: Db) {
  const earlier = db
    .prepare<{ instance_id: string }>("SELECT instance_id FROM earlier_instances ORDER BY position")
    .all()
  return {
    instanceId: db.prepare<{ instance_id: string }>("SELECT instance_id FROM instance").one().instance_id,
    lineage: earlier.map((row) => row.instance_id),
  }
}

export type Data = ReturnType<typeof openData>

/** @throws DataError if the file cannot be opened as this program's data */
export function openData(file: string, chosenWorld?: World) {
  const db = openDatabase(file)
  try {
    const world = chosenWorld ?? realWorld()
    // After a clock was set back, new ids must still sort after old ones.
    world.idsAfter(newestId(db))
    const instance = db.prepare<{ instance_id: string }>("SELECT instance_id FROM instance")
    const isUsed = () => db.prepare("SELECT 1 FROM journal UNION ALL SELECT 1 FROM row_counts LIMIT 1").get()
    if (instance.get() === undefined && isUsed() !== undefined)
      throw new DataError(
        `The row of instance is missing from ${file}: the data does not say which instance it belongs to. ` +
          "Nothing was changed. Restore a backup.",
      )
    // If two processes open new data at once, the first one names the instance.
    if (instance.get() === undefined)
      inserting(db, "instance", { onConflict: "DO NOTHING" })({
        one: 1,
        instanceId: world.id(),
        createdAt: isoTime(world.now()),
      })
    return {
      db,
      world,
      ...whoseData(db),
      /** Opens another connection that reads the data as of that moment; the caller closes it. */
      openReader: () => openReadConnection(file),
    }
  } catch (error) {
    db.close()
    throw error
  }
}
