/** Brings the pictures of a followed Room from its origin. */
import { isFigureType } from "../../contract/definitions/figure-routes.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { received } from "../../figures/keeping.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Instance } from "../compose/instance.ts"
import type { Origin } from "./origin.ts"

/**
 * Takes in what the Room names and is not here. One that the origin lacks, or that is not what its digest says, is not asked for again.
 * @param asked the digests that were asked for before
 * @throws Unreachable, or Refusal 503 where too many pictures are being read
 */
export async function bringFigures({ ledger, tables, world }: Instance, origin: Origin, roomId: string, asked: Set<string>): Promise<void> {
  for (const digest of tables.figures.lacking(roomId)) {
    if (asked.has(digest)) continue
    const found = await origin.figure(digest)
    asked.add(digest)
    if (found === undefined || !isFigureType(found.mediaType)) continue
    try {
      const figure = await received(found.bytes, digest, found.mediaType)
      await ledger.transact(() => tables.figures.keep(figure, roomId, isoTime(world.now())))
    } catch (error) {
      if (!(error instanceof Refusal && error.code === "invalid_schema")) throw error
    }
  }
}
