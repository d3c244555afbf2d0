/** Composes the export of a Room: the tables and the exported parts of the domains, over one snapshot. */
import { added, tablesOf } from "../../ledger/domains/domain.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { realWorld } from "../../ledger/world.ts"
import type { RoomFiles } from "../../research/export/exports.ts"
import { type ExportedRoom, exportedRoom } from "../../research/export/room.ts"
import type { RoomSource } from "../../rooms/imported.ts"
import { domains } from "./domains.ts"

/** @param db a snapshot of its own */
function roomIn(db: Db, roomId: string, here: RoomSource): ExportedRoom {
  const world = realWorld()
  const tables = tablesOf(domains, { db, world, now: () => world.now(), basePath: "", command: undefined })
  const room = exportedRoom(tables, roomId, here)
  if (room === undefined) throw new Error(`there is no Room ${roomId} to export`)
  return { ...room, parts: added(domains, "exported", { ...tables, record: room.record }) }
}

/**
 * Makes files on this thread. @param openReader opens a connection for each, which is closed at the end or when the
 * reader disconnects
 */
export const filesOn = (openReader: () => Db): RoomFiles =>
  async function* (roomId, source, format) {
    const db = openReader()
    try {
      const room = roomIn(db, roomId, source)
      if (format === "crate") yield* (await import("../../research/export/crate.ts")).crate(room)
      else yield* (await import("../../research/export/sqlite-file.ts")).roomFile(room)
    } finally {
      db.close()
    }
  }
