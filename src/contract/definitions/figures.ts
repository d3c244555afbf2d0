/** Pictures that a write shows: each by the digest that its upload answered, with words for those who do not see it. */
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
    `Pictures in the order they are shown, each by the digest that its upload (${uploadFigure.method} ${uploadFigure.path}) answered, with words (alt) for those who do not see it.`,
  ),
)

/** The figures that a body names, which may hold marks of what was withheld. */
export const figuresOf = (body: unknown): readonly Figure[] =>
  isObject(body) && "figures" in body && v.is(named, body.figures) ? body.figures : []
const named = v.array(figure)
