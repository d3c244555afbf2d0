/** Stores an uploaded picture until a write names it. */
import type { UploadedFigure } from "../../contract/definitions/figure-routes.ts"
import { figureTypeOf, uploaded } from "../../figures/keeping.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Edge } from "../edge.ts"

/** Stores a picture. The same picture sent again keeps its digest. @throws Refusal 422 if it is not a picture of that type */
export async function keepFigure(
  { instance: { ledger, tables, world } }: Edge,
  { userId }: Pick<Actor, "userId">,
  bytes: Uint8Array,
  contentType: string | null,
): Promise<UploadedFigure> {
  const figure = await uploaded(bytes, figureTypeOf(contentType))
  await ledger.transact(() => tables.figures.keep(figure, userId, isoTime(world.now())))
  const { digest, width, height } = figure
  return { digest, width, height }
}
