/** The pictures of a write: each is named by the digest that its upload returned, and has a text alternative. */
import * as v from "valibot"
import { isObject } from "../json.ts"
import { limits } from "../limits.ts"
import { uploadFigure } from "./figure-routes.ts"
import { digest } from "./work.ts"
import { list, shape, text } from "../schema/fields.ts"
import { described } from "../schema/described.ts"

export const figure = shape({ digest, alt: text(limits.figureAlt) })
export type Figure = v.InferOutput<typeof figure>

export const figures = v.exactOptional(
  described(
    list(figure, limits.figures),
    `Pictures in display order: each has the digest that its upload (${uploadFigure.method} ${uploadFigure.path}) returned, and a text alternative (alt) for readers who cannot see it.`,
  ),
)

/** The figures of a body, which may hold marks of withheld text. */
export const figuresOf = (body: unknown): readonly Figure[] =>
  isObject(body) && "figures" in body && v.is(named, body.figures) ? body.figures : []
const named = v.array(figure)
