/** Imports a Room from a crate: proves the crate and replays its writes, all of them or none. */
import { type CrateFile, openCrate } from "../../research/import/crate-file.ts"
import { pathOf } from "../../research/export/paths.ts"
import { originOf, peopleOf } from "../../research/import/origin.ts"
import { provedWrites } from "../../research/import/writes.ts"
import type { RoomOrigin } from "../../contract/answers/index.ts"
import { CrateFault } from "../../research/import/crate-file.ts"
import type { OnProgress } from "../../ledger/replay/replay.ts"
import { keysOf } from "../../contract/each.ts"
import { limits } from "../../contract/limits.ts"
import { figureTypes } from "../../contract/definitions/figure-routes.ts"
import { operationOf } from "../../contract/operations/index.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { received } from "../../figures/keeping.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Person } from "../../people/people.ts"
import { type RoomSource, FILE } from "../../rooms/imported.ts"
import { ProvedReplay, mustBeExplained, mustNotBeOwn } from "./proved-replay.ts"
import type { Instance } from "../compose/instance.ts"

export interface ImportReport {
  readonly roomId: string
  readonly title: string
  /** Where it comes from; where it was adopted, until then. */
  readonly origin: RoomOrigin
  /** Writes that were not here before; 0 where nothing was changed. */
  readonly added: number
  /** Other Rooms that came along because this one names something of them. */
  readonly cited: number
  /** Entries of the Room whose bodies no digest proves. */
  readonly unproved: readonly number[]
}

/**
 * Imports a crate into an instance that has no other writer, and notes it in the audit log. A refusal leaves nothing
 * behind, but for one with `committed: null`: the Room is here then.
 * @throws CrateFault that says at which entry, and why
 */
export async function importCrate(
  instance: Instance,
  file: string,
  { adoptedBy, onProgress = () => {} }: { readonly adoptedBy?: Person | undefined; readonly onProgress?: OnProgress } = {},
): Promise<ImportReport> {
  const { db, ledger, tables } = instance
  const crate = await openCrate(file)
  try {
    const { roomId, entries, cited: others, ...from } = await originOf(crate)
    const { people, described } = await peopleOf(crate)
    mustNotBeOwn(instance, roomId, from.adopted)
    db.exec("BEGIN IMMEDIATE")
    const { adopted: _adopted, ...source } = from
    const arriving = new ProvedReplay(instance, {
      from: (id) => ({ ...(id === roomId ? from : (others[id] ?? source)), toldBy: toldBy(others[id]) }),
      people,
      isAlong: (id) => id !== roomId,
    })
    // A file says where its Room is from; and of a cited Room of yet another instance, that instance has it from the first.
    const toldBy = (other: RoomSource | undefined) => (other === undefined || other.instanceId === from.instanceId ? FILE : from.baseUrl)
    const cited = new Set<string>()
    let own = 0
    for await (const write of provedWrites(crate, roomId)) {
      if (write.roomId === roomId) onProgress((own += 1), Math.max(own, entries), "importing")
      else cited.add(write.roomId)
      arriving.take(write)
    }
    for (const each of [roomId, ...cited]) mustBeExplained(instance, each)
    if (own !== entries) throw new CrateFault(`The crate says that it holds ${entries} entries, and holds ${own}.`)
    // An older crate tells of people as they were.
    if (arriving.through(roomId) === entries) arriving.describe(described, from.instanceId, from.baseUrl)
    await bringFigures(instance, crate, roomId)
    const origin = tables.imported.origin(roomId)
    if (adoptedBy !== undefined && origin !== null) adopt(instance, origin, roomId, adoptedBy)
    // What was withheld of its title is not told below.
    ledger.replaying.settle()
    const room = tables.rooms.summary(roomId)
    if (room === undefined || origin === null) throw new Error(`the Room ${roomId} is not there after its import`)
    const added = arriving.done
    const subject = { kind: "room", id: roomId, name: room.title }
    const detail = { from: origin.baseUrl, through: origin.throughSequence, added }
    if (added > 0) tables.audit.write({ kind: "import_room", subject, roomId, detail })
    db.exec("COMMIT")
    await ledger.cleanse()
    return { roomId, title: room.title, origin, added, cited: cited.size, unproved: tables.withheld.unproved(roomId) }
  } finally {
    if (db.inTransaction) db.exec("ROLLBACK")
    crate.close()
  }
}

/**
 * Takes the pictures of a Room out of its crate, within an open transaction. One that it does not hold was withheld.
 * @throws CrateFault for a file that is not the picture its name says
 */
async function bringFigures({ tables, world }: Instance, crate: CrateFile, roomId: string): Promise<void> {
  for (const digest of tables.figures.lacking(roomId))
    for (const mediaType of keysOf(figureTypes)) {
      const path = pathOf.figure(digest, mediaType)
      const bytes = await crate.bytes(path, limits.keptFigureBytes)
      if (bytes === undefined) continue
      try {
        tables.figures.keep(await received(bytes, digest, mediaType), roomId, isoTime(world.now()))
      } catch (error) {
        throw error instanceof Refusal && error.code === "invalid_schema" ? new CrateFault(`${path} in the crate: ${error.message}`) : error
      }
    }
}

/** Makes a Room of another instance a person's, within an open transaction. It is followed no longer. */
function adopt({ ledger, tables, world }: Instance, { instanceId, baseUrl, throughSequence }: RoomOrigin, roomId: string, person: Person) {
  tables.mirrors.remove(roomId)
  const operation = operationOf("adopt_room")
  ledger.admitWithin({
    operation,
    actor: { userId: person.userId, username: person.username, grant: null },
    params: { roomId },
    body: {
      schemaVersion: operation.schemaVersion,
      requestId: world.id(),
      origin: { instanceId, baseUrl, throughSequence },
    },
  })
}
