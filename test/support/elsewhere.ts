/** An instance that imports Rooms of another one: its data is in a folder of the test's own, without a service. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { importCrate } from "../../src/app/imports/import.ts"
import { createInstance, type Instance } from "../../src/app/compose/instance.ts"
import { openForward } from "../../src/app/compose/upgrade.ts"
import { checkData } from "../../src/check/check.ts"
import { databaseFile } from "../../src/check/backup.ts"
import { softwareVersion } from "../../src/packaged.ts"

interface Test {
  testdir(): string
  teardown(end: () => unknown): unknown
}

export type Elsewhere = ReturnType<typeof elsewhere>

/** Imports a Room of a running instance into another one that writes on this thread, from its export. */
export async function bring(t: Test, instance: Instance, baseUrl: string, roomId: string) {
  const file = join(t.testdir(), "room.zip")
  const response = await fetch(`${baseUrl}/api/research/rooms/${roomId}/export`)
  writeFileSync(file, Buffer.from(await response.arrayBuffer()))
  return importCrate(instance, file)
}

/** Opens the data of a folder; if omitted, a new instance without users. */
export function elsewhere(t: Test, folder = t.testdir()) {
  const { db, world, instanceId, lineage, openReader: aside } = openForward(databaseFile(folder))
  t.teardown(() => db.close())
  const instance = createInstance({ db, world, instanceId, lineage, openReader: aside })
  return {
    ...instance,
    folder,
    /** @param owner the user who adopts the Room */
    async import(zip: Uint8Array, owner?: string) {
      const file = join(folder, "import.zip")
      writeFileSync(file, zip)
      return importCrate(instance, file, {
        adoptedBy: owner === undefined ? undefined : instance.tables.people.named(owner),
      })
    },
    /** Its own export of a Room. */
    async export(roomId: string): Promise<Buffer> {
      const pieces: Uint8Array[] = []
      for await (const piece of instance.exports.bytes(roomId, { baseUrl: "http://here.example", softwareVersion })
        .bytes)
        pieces.push(piece)
      return Buffer.concat(pieces)
    },
    problems: () => checkData(db).problems,
    /** The number of entries in its journal: a refusal adds none. */
    entries: () => instance.ledger.journal.count(),
  }
}
