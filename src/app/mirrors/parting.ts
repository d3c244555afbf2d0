/** Finds where the history of a Room differs from that at its origin. */
import { parse } from "../../contract/json.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Cut } from "../../ledger/cut.ts"
import { CrateFault } from "../../research/import/crate-file.ts"
import type { Instance } from "../compose/instance.ts"
import { type Origin, type Serving, OriginShorter } from "./origin.ts"

export interface Parting {
  /** The first entry here that is missing or different at the origin. */
  readonly sequence: number
  /** A sentence for an operator. */
  readonly why: string
}

/** Finds the first entry here that differs from the origin by binary search; null if the origin has all of them. */
export async function partingFrom({ ledger }: Instance, origin: Origin, roomId: string): Promise<Parting | null> {
  const through = ledger.activity.watermark(roomId)
  let originEnd = Number.POSITIVE_INFINITY
  const isSame = async (sequence: number): Promise<boolean> => {
    const [here] = ledger.activity.after(roomId, sequence - 1, undefined, 1)
    try {
      const { items } = await origin.feed(roomId, sequence - 1, 0)
      if (items.length === 0) originEnd = Math.min(originEnd, sequence - 1)
      return here !== undefined && items[0]?.digest === parse(here.body).digest
    } catch (error) {
      if (!(error instanceof OriginShorter)) throw error
      originEnd = Math.min(originEnd, error.watermark)
      return false
    }
  }
  if (through === 0 || (await isSame(through))) return null
  // Each digest covers the one before it, so all entries up to some point are the same and none after it.
  let [same, other] = [0, through]
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (await isSame(middle)) same = middle
    else other = middle
  }
  const why =
    originEnd === same
      ? new OriginShorter(originEnd).message
      : `Entry ${other} of Room ${roomId} is a different one at the origin now: its history was rewritten. The Room here is unchanged.`
  return {
    sequence: other,
    why: `${why} To replace the entries from ${other} on with those of the origin, use mirror add --afresh.`,
  }
}

/**
 * Checks whether another instance now answers at the address of a followed Room. A restored instance has a new id and
 * names the one it was restored from.
 * @returns a sentence for an operator; null if it is the same instance, or nothing here came from that address
 */
export function otherInstance({ tables }: Instance, { from, lineage }: Serving, roomId: string): string | null {
  const known = tables.imported.firstHand(roomId, from.baseUrl)
  if (known === undefined || [from.instanceId, ...lineage].includes(known)) return null
  return `${from.baseUrl} is another instance now: ${from.instanceId}, which does not declare that it was restored from ${known}, the origin of Room ${roomId}. The Room here is unchanged. To follow the new instance, use mirror add --afresh.`
}

/**
 * Drops entries of a Room that differ from those of its own instance, with the entries of mirrored Rooms that depend on
 * them.
 * @throws CrateFault if a Room that must stay depends on them
 */
export async function dropDiffering({ ledger }: Instance, cut: Cut, baseUrl: string): Promise<void> {
  try {
    await ledger.leave({ cuts: [cut], reach: "followed", followedAt: baseUrl })
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "state_conflict") throw error
    throw new CrateFault(
      `Entry ${cut.from} of Room ${cut.roomId} differs at the origin from the one that was imported with other Rooms. ${error.message}`,
    )
  }
}
