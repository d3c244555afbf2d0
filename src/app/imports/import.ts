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
import { Readable } from "node:stream"
import { figureTypes } from "../../contract/definitions/attachments.ts"
import { operationOf } from "../../contract/operations/index.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { received } from "../../attachments/image.ts"
import { takeLog } from "../../attachments/log.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Person } from "../../people/people.ts"
import { type RoomSource, FILE } from "../../rooms/imported.ts"
import { ProvedReplay, mustBeExplained, mustNotBeOwn } from "./proved-replay.ts"
import type { Instance } from "../compose/instance.ts"

export interface ImportReport {
  readonly roomId: string
  readonly title: string
  /** Where the Room comes from, or came from until it was adopted. */
  readonly origin: RoomOrigin
  /** How many writes were new; 0 if nothing was changed. */
  readonly added: number
  /** How many other Rooms were imported because this one cites them. */
  readonly cited: number
  /** Entries of the Room whose bodies no digest proves. */
  readonly unproved: readonly number[]
}

/**
 * Imports a crate into an instance without another writer, and writes this to the audit log. After a refusal nothing is
 * stored, unless it has `committed: null`; then the Room was imported.
 * @throws CrateFault with the entry and the reason
 */
export async function importCrate(
  instance: Instance,
  file: string,
  {
    adoptedBy,
    onProgress = () => {},
  }: { readonly adoptedBy?: Person | undefined; readonly onProgress?: OnProgress } = {},
): Promise<ImportReport> {
  const { db, ledger, tables, importing } = instance
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
    })
    // The file names the origin of its Room. For cited Rooms of a third instance, the crate's instance is the source of
    // that claim.
    const toldBy = (other: RoomSource | undefined) =>
      other === undefined || other.instanceId === from.instanceId ? FILE : from.baseUrl
    const cited = new Set<string>()
    let own = 0
    for await (const write of provedWrites(crate, roomId)) {
      if (write.roomId === roomId) onProgress((own += 1), Math.max(own, entries), "importing")
      else cited.add(write.roomId)
      arriving.take(write)
    }
    for (const each of [roomId, ...cited]) mustBeExplained(instance, each)
    if (own !== entries) throw new CrateFault(`The crate declares ${entries} entries, but holds ${own}.`)
    // Another instance told of the Room until now; its own export has the same entries.
    const told = tables.imported.origin(roomId)?.toldBy ?? FILE
    if (told !== FILE && arriving.through(roomId) === entries)
      importing.import_room(null, { roomId, ...source, toldBy: FILE, people: [] })
    // An older crate has older descriptions of people.
    if (arriving.through(roomId) === entries) arriving.describe(described, from.instanceId, from.baseUrl)
    await importFigures(instance, crate, roomId)
    const origin = tables.imported.origin(roomId)
    if (adoptedBy !== undefined && origin !== null) adopt(instance, origin, roomId, adoptedBy)
    // Withheld words of the title must not be in the report.
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
 * Imports the pictures and logs of a Room from its crate, within an open transaction. What is not in the crate was
 * withheld.
 * @throws CrateFault if a file does not match its name
 */
async function importFigures({ tables, world }: Instance, crate: CrateFile, roomId: string): Promise<void> {
  for (const digest of tables.attachments.lacking(roomId)) {
    const text = await crate.bytes(pathOf.log(digest), 2 * limits.logBytes)
    if (text !== undefined) {
      const log = await takeLog(Readable.from([text]), () => {}, Number.POSITIVE_INFINITY)
      if (log.digest !== digest) throw new CrateFault(`${pathOf.log(digest)} in the crate is not the log of its name.`)
      tables.attachments.keepLog(log, roomId, isoTime(world.now()))
      continue
    }
    for (const mediaType of keysOf(figureTypes)) {
      const path = pathOf.figure(digest, mediaType)
      const bytes = await crate.bytes(path, limits.keptFigureBytes)
      if (bytes === undefined) continue
      try {
        tables.attachments.keep(await received(bytes, digest, mediaType), roomId, isoTime(world.now()))
      } catch (error) {
        throw error instanceof Refusal && error.code === "invalid_schema"
          ? new CrateFault(`${path} in the crate: ${error.message}`)
          : error
      }
    }
  }
}

/** Makes a person the owner of a Room of another instance, within an open transaction. */
function adopt(
  { ledger, world }: Instance,
  { instanceId, baseUrl, throughSequence }: RoomOrigin,
  roomId: string,
  person: Person,
) {
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
