/**
 * Pictures: how they are uploaded and read, and how a write names them. An upload is not a write to a Room; a write
 * that names the picture makes it part of the record.
 */
import * as v from "valibot"
import { isObject } from "../json.ts"
import { limits } from "../limits.ts"
import { digest } from "./work.ts"
import { list, shape, text, whole } from "../schema/fields.ts"
import { described } from "../schema/validation.ts"

/** The accepted kinds of pictures, and their file extensions. */
export const figureTypes = { "image/png": "png", "image/jpeg": "jpg", "image/webp": "webp" } as const
export type FigureType = keyof typeof figureTypes
export const isFigureType = (type: string): type is FigureType => Object.hasOwn(figureTypes, type)

const uploaded = { digest, width: whole(1), height: whole(1) }
export type UploadedFigure = v.InferOutput<v.StrictObjectSchema<typeof uploaded, undefined>>
export const uploadedFigure = shape({ schemaVersion: v.number(), ...uploaded })

/** Uploads a picture. It is decoded and encoded again, so that nothing else of its file is kept. */
export const uploadFigure = {
  name: "upload_figure",
  method: "POST",
  path: "/api/agent/research/figures",
  browserPath: "/api/research-actions/figures",
  permission: "publish_records",
  summary:
    `Uploads a PNG, JPEG or WebP picture of up to ${limits.figureBytes / 1e6} MB and ` +
    `${limits.figurePixels / 1e6} million pixels. Name its digest in figures of a finding, an outcome, a message or ` +
    "a checkpoint within a day, or it is removed.",
} as const

export const readFigure = {
  name: "figure",
  method: "GET",
  path: "/api/research/figures/{digest}",
  summary: "A picture that a public finding, attempt, message or checkpoint names.",
} as const
export const pathOfFigure = (digest: string): string => readFigure.path.replace("{digest}", digest)

export const figure = shape({ digest, alt: text(limits.figureAlt) })
export type Figure = v.InferOutput<typeof figure>

export const figures = v.exactOptional(
  described(
    list(figure, limits.figures),
    `Pictures in order: a digest from ${uploadFigure.method} ${uploadFigure.path}, and a text alternative.`,
  ),
)

/** The figures of a body, which may hold marks of withheld text. */
export const figuresOf = (body: unknown): readonly Figure[] =>
  isObject(body) && "figures" in body && v.is(named, body.figures) ? body.figures : []
const named = v.array(figure)
