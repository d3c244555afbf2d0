/**
 * Attachments: pictures, and logs, which are what the program of an attempt printed or the session of the agent that
 * ran it. How they are uploaded and read, and how a write names them. An upload is not a write to a Room; a write that
 * names it makes it part of the record.
 */
import * as v from "valibot"
import { logSize } from "../answers/fields.ts"
import { limits } from "../limits.ts"
import { DIGEST, list, plain, shape, text, whole } from "../schema/fields.ts"
import { described } from "../schema/validation.ts"
import { digest } from "./work.ts"

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

const figures = v.exactOptional(
  described(
    list(figure, limits.figures),
    `Pictures in order: a digest from ${uploadFigure.method} ${uploadFigure.path}, and a text alternative.`,
  ),
)

/** The member of what may have pictures. */
export const pictured = { figures }
export interface Pictured {
  readonly figures?: readonly Figure[] | undefined
}

/** The digest is that of what is kept. */
export const uploadedLog = shape({
  schemaVersion: v.number(),
  digest,
  ...logSize,
  /** The number of tokens that were masked in it. */
  masked: v.exactOptional(whole(1)),
})
export type UploadedLog = v.InferOutput<typeof uploadedLog>
const MIB = 1_048_576

/** Uploads a log. It is kept as it was sent, but for tokens and what is too long, compressed. */
export const uploadLog = {
  name: "upload_log",
  method: "POST",
  path: "/api/agent/research/logs",
  browserPath: "/api/research-actions/logs",
  permissions: ["publish_records", "manage_own_experiments"],
  mediaType: "text/plain",
  summary:
    `Uploads what a program printed: text/plain in UTF-8, up to ${limits.logBytes / MIB} MiB; ` +
    `of a longer text, up to ${limits.logBodyBytes / MIB} MiB, the first and the last ${limits.logBytes / 2 / MIB} ` +
    "MiB are kept. Tokens of this service are masked, and the answer counts them. Name its digest in log or session " +
    "of an attempt's event within a day, or it is removed. Needs publish_records or manage_own_experiments.",
} as const

/** The digest of a log. It can be withheld, and the log with it. */
export const logDigest = v.pipe(
  v.string("must be a string"),
  v.regex(DIGEST, "must be sha256: and 64 lower-case hex digits"),
)

export const log = v.exactOptional(
  described(
    shape({ digest: logDigest }),
    `What the program has printed so far: the digest that its upload (${uploadLog.method} ${uploadLog.path}) ` +
      "returned. The newest is the attempt's; earlier ones stay readable.",
  ),
)
export const session = v.exactOptional(
  described(
    shape({ digest: logDigest, format: plain(limits.name) }),
    "The session of the agent that ran it, uploaded as a log, and the name of its format.",
  ),
)

export const logKinds = ["log", "session"] as const
export type LogKind = (typeof logKinds)[number]

/** Lines of an attempt's log that a finding cites. */
export const citedLines = described(list(whole(1), 2, 2), "The first and the last line.")
