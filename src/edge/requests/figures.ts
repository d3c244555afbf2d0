/** An uploaded picture on its way in, by whatever door: read, and kept until a write names it. */
import type { UploadedFigure } from "../../contract/definitions/figure-routes.ts"
import { figureTypeOf, uploaded } from "../../figures/keeping.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Edge } from "../edge.ts"

/** Keeps a picture. The same picture sent again is the same one. @throws Refusal 422 for what is no such picture */
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
