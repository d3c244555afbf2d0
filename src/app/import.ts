/** A Room out of a crate: the crate proved, its writes done again, all of them or none. */
import { openCrate } from "../research/import/crate-file.ts"
import { originOf, peopleOf } from "../research/import/origin.ts"
import { provedWrites } from "../research/import/writes.ts"
import type { RoomOrigin } from "../contract/answers.ts"
import { CrateFault } from "../research/import/crate-file.ts"
import type { OnProgress } from "../ledger/replay.ts"
import { Arriving } from "./arriving.ts"
import type { Instance } from "./instance.ts"

export interface ImportReport {
  readonly roomId: string
  readonly title: string
  readonly origin: RoomOrigin
  /** Writes that were not here before; 0 where nothing was changed. */
  readonly added: number
  /** Other Rooms that came along because this one names something of them. */
  readonly cited: number
}

/**
 * Imports a crate into an instance that nobody else writes to meanwhile. A refusal leaves nothing behind.
 * @throws CrateFault that says at which entry, and why
 */
export async function importCrate(instance: Instance, file: string, onProgress: OnProgress = () => {}): Promise<ImportReport> {
  const { db, ledger, tables } = instance
  const crate = await openCrate(file)
  try {
    const { roomId, entries, cited: others, ...from } = await originOf(crate)
    const people = await peopleOf(crate)
    if (tables.rooms.openingThread(roomId) !== undefined && tables.imported.from(roomId) === undefined)
      throw new CrateFault(`The Room ${roomId} is this instance's own.`)
    db.exec("BEGIN IMMEDIATE")
    const arriving = new Arriving(instance, { from: (id) => others[id] ?? from, people })
    const cited = new Set<string>()
    let own = 0
    for await (const write of provedWrites(crate, roomId)) {
      if (write.roomId === roomId) onProgress((own += 1), Math.max(own, entries), "importing")
      else cited.add(write.roomId)
      arriving.take(write)
    }
    if (own !== entries) throw new CrateFault(`The crate says that it holds ${entries} entries, and holds ${own}.`)
    ledger.replaying.settle()
    db.exec("COMMIT")
    const [room, origin] = [tables.rooms.summary(roomId), tables.imported.origin(roomId)]
    if (room === undefined || origin === null) throw new Error(`the Room ${roomId} is not there after its import`)
    return { roomId, title: room.title, origin, added: arriving.done, cited: cited.size }
  } finally {
    if (db.inTransaction) db.exec("ROLLBACK")
    crate.close()
  }
}
