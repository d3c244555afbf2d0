/** Drops a mirrored Room: all of it, or the entries from the first one that differs at its origin. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Instance } from "../app/compose/instance.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Cut } from "../ledger/cut.ts"
import { UsageError } from "../settings.ts"
import { softwareVersion } from "../version.ts"
import { STANDARD_URL, writeNew } from "./export.ts"

/** @throws UsageError if a Room that must stay cites the dropped entries */
async function refuseIfCited<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Refusal && error.code === "state_conflict"
      ? new UsageError(`${error.message} Nothing was changed.`)
      : error
  }
}

/** Drops a Room that no other Room cites, and stops following it. @throws UsageError */
export async function dropWhole(instance: Instance, roomId: string): Promise<void> {
  const cuts = [{ roomId, from: 1 }]
  await refuseIfCited(() => instance.tables.leaving.withCiting(cuts, "none"))
  // Before the drop: a service that still follows the Room would bring it back.
  await instance.ledger.transact(() => instance.tables.mirrors.remove(roomId))
  await refuseIfCited(() => instance.ledger.leave({ cuts, reach: "none" }))
}

/**
 * Drops the end of a Room's history, and of the mirrored Rooms that cite it. Each Room is exported first.
 * @throws UsageError if a Room of this instance cites it
 */
export async function dropFrom(
  instance: Instance,
  cut: Cut,
  { data, baseUrl }: { data: string; baseUrl: string },
): Promise<void> {
  const cuts = await refuseIfCited(() => instance.tables.leaving.withCiting([cut], "others"))
  const files = new Map<string, string>()
  for (const { roomId, from } of cuts) {
    const { name, bytes } = instance.exports.bytes(roomId, { baseUrl: STANDARD_URL, softwareVersion })
    const title = name.replace(".crate.zip", "")
    const through = instance.ledger.activity.watermark(roomId)
    const file = [...Array(1_000).keys()]
      .map((count) =>
        join(data, `${title}-${roomId.slice(-12)}-through-${through}${count === 0 ? "" : `-${count}`}.crate.zip`),
      )
      .find((each) => !existsSync(each))
    if (file === undefined)
      throw new UsageError(`There are too many exports of ${title} in ${data}. Nothing was changed.`)
    await writeNew(bytes, file)
    files.set(roomId, file)
    console.log(`${file} holds Room ${roomId} as it was here. Its entries from ${from} on are dropped.`)
  }
  await refuseIfCited(() =>
    instance.ledger.leave({ cuts, reach: "others", followedAt: baseUrl, keptIn: Object.fromEntries(files) }),
  )
}
