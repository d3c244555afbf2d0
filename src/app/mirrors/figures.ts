/** Fetches the pictures of a followed Room from its origin. */
import { isFigureType } from "../../contract/definitions/figures.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { received } from "../../figures/keeping.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Instance } from "../compose/instance.ts"
import type { Origin } from "./origin.ts"

/**
 * Fetches the pictures that the Room names and this instance lacks. A picture that is missing at the origin, or does
 * not match its digest, is not requested again.
 * @param requested the digests that were requested before
 * @throws Unreachable, or Refusal 503 if too many pictures are being read
 */
export async function fetchFigures(
  { ledger, tables, world }: Instance,
  origin: Origin,
  roomId: string,
  requested: Set<string>,
): Promise<void> {
  for (const digest of tables.figures.lacking(roomId)) {
    if (requested.has(digest)) continue
    const picture = await origin.figure(digest)
    requested.add(digest)
    if (picture === undefined || !isFigureType(picture.mediaType)) continue
    try {
      const figure = await received(picture.bytes, digest, picture.mediaType)
      await ledger.transact(() => tables.figures.keep(figure, roomId, isoTime(world.now())))
    } catch (error) {
      if (!(error instanceof Refusal && error.code === "invalid_schema")) throw error
    }
  }
}
