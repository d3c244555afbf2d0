/**
 * The domains of an instance. Tables of a domain may use those of the domains before it, and the steps that follow a
 * write are done in this order. The export of a Room is composed of the same list.
 */
import { added, type Domain, domain as ledger, tablesOf } from "../../ledger/domains/domain.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { realWorld } from "../../ledger/world.ts"
import { domain as library } from "../../library/index.ts"
import { domain as people } from "../../people/accounts.ts"
import type { RoomFiles } from "../../research/export/exports.ts"
import { type ExportedRoom, exportedRoom } from "../../research/export/room.ts"
import { research } from "../../research/index.ts"
import type { RoomSource } from "../../rooms/imported.ts"
import { domain as rooms } from "../../rooms/index.ts"
import { domain as threads } from "../../threads/threads.ts"
import { administrationReads } from "./administration.ts"

const administration = { reads: [administrationReads] } satisfies Domain

export const domains = [ledger, people, rooms, threads, ...research, library, administration] as const

/** A Room with what each domain exports of it. @param db a snapshot of its own */
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
