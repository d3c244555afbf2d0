/** Where the history of a Room here and at its origin part. */
import { parse } from "../../contract/json.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Cut } from "../../ledger/cut.ts"
import { CrateFault } from "../../research/import/crate-file.ts"
import type { Instance } from "../compose/instance.ts"
import type { Origin, Serving } from "./origin.ts"
import { Shorter } from "./shorter.ts"

export interface Parting {
  /** The first entry here that the origin does not have, or has otherwise. */
  readonly sequence: number
  /** The sentence for an operator. */
  readonly why: string
}

/** Looks where the entries that are here stop being those of the origin; null where the origin has all of them. */
export async function partingFrom({ ledger }: Instance, origin: Origin, roomId: string): Promise<Parting | null> {
  const through = ledger.activity.watermark(roomId)
  let there = Number.POSITIVE_INFINITY
  const isSame = async (sequence: number): Promise<boolean> => {
    const [here] = ledger.activity.after(roomId, sequence - 1, undefined, 1)
    try {
      const { items } = await origin.feed(roomId, sequence - 1, 0)
      if (items.length === 0) there = Math.min(there, sequence - 1)
      return here !== undefined && items[0]?.digest === parse(here.body).digest
    } catch (error) {
      if (!(error instanceof Shorter)) throw error
      there = Math.min(there, error.watermark)
      return false
    }
  }
  if (through === 0 || (await isSame(through))) return null
  // Each digest rests on those before it: up to some entry all are the same, and none is after it.
  let [same, other] = [0, through]
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (await isSame(middle)) same = middle
    else other = middle
  }
  const why =
    there === same
      ? new Shorter(there).message
      : `Entry ${other} of Room ${roomId} is another one there now: its history was rewritten. What is here stays.`
  return { sequence: other, why: `${why} To go on with what is there from entry ${other} on, use mirror add --afresh.` }
}

/**
 * Looks whether the address at which a Room is followed is served by another instance now. A restored instance has a new id, and
 * names the one it was restored from.
 * @returns the sentence for an operator; null where it is the same instance, or nothing is here that came from that address
 */
export function otherInstance({ tables }: Instance, { from, lineage }: Serving, roomId: string): string | null {
  const known = tables.imported.firstHand(roomId, from.baseUrl)
  if (known === undefined || [from.instanceId, ...lineage].includes(known)) return null
  return `${from.baseUrl} is another instance now: ${from.instanceId}, which does not say that it was restored from ${known}, where Room ${roomId} came from. What is here stays. To go on with what is there, use mirror add --afresh.`
}

/**
 * Drops entries of a Room that differ from those of its own instance, with what rests on them in mirrored Rooms.
 * @throws CrateFault where something that stays rests on it
 */
export async function giveWay({ ledger }: Instance, cut: Cut, baseUrl: string): Promise<void> {
  try {
    await ledger.leave({ cuts: [cut], reach: "followed", followedAt: baseUrl })
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "state_conflict") throw error
    throw new CrateFault(`Entry ${cut.from} of Room ${cut.roomId} is another one there than others told of it. ${error.message}`)
  }
}
