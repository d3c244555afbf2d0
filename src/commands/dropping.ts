/** Rooms of other instances are dropped by command: whole, or from the entry on at which their origin's history is another one. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Instance } from "../app/compose/instance.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Cut } from "../ledger/cut.ts"
import { UsageError } from "../settings.ts"
import { softwareVersion } from "../version.ts"
import { STANDARD_URL, writeNew } from "./export.ts"

/** @throws UsageError where a Room that may not be dropped names something of them */
async function refused<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Refusal && error.code === "state_conflict" ? new UsageError(`${error.message} Nothing was changed.`) : error
  }
}

/** Drops all of a Room that nothing here names anything of, and follows it no longer. @throws UsageError */
export async function dropWhole(instance: Instance, roomId: string): Promise<void> {
  const cuts = [{ roomId, from: 1 }]
  await refused(() => instance.tables.leaving.withCiting(cuts, "none"))
  // First, for a service that follows it would bring it back.
  await instance.ledger.transact(() => instance.tables.mirrors.remove(roomId))
  await refused(() => instance.ledger.leave({ cuts, reach: "none" }))
}

/**
 * Drops the end of a Room's history, and of those of other instances' Rooms that name something of it; each is exported first.
 * @throws UsageError where a Room of this instance does
 */
export async function drop(instance: Instance, cut: Cut, { data, baseUrl }: { data: string; baseUrl: string }): Promise<void> {
  const cuts = await refused(() => instance.tables.leaving.withCiting([cut], "others"))
  const files = new Map<string, string>()
  for (const { roomId, from } of cuts) {
    const { name, bytes } = instance.exports.bytes(roomId, { baseUrl: STANDARD_URL, softwareVersion })
    const title = name.replace(".crate.zip", "")
    const through = instance.ledger.activity.watermark(roomId)
    const file = [...Array(1_000).keys()]
      .map((count) => join(data, `${title}-${roomId.slice(-12)}-through-${through}${count === 0 ? "" : `-${count}`}.crate.zip`))
      .find((each) => !existsSync(each))
    if (file === undefined) throw new UsageError(`There are too many exports of ${title} in ${data}. Nothing was changed.`)
    await writeNew(bytes, file)
    files.set(roomId, file)
    console.log(`${file} holds what was here of Room ${roomId}; it is dropped from entry ${from} on.`)
  }
  await refused(() => instance.ledger.leave({ cuts, reach: "others", followedAt: baseUrl, keptIn: Object.fromEntries(files) }))
}
