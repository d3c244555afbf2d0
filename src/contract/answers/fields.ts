/**
 * The building blocks of every answer. Answers are not validated at run time; the documents show these formats, and the
 * tests check them.
 */
import * as v from "valibot"
import { enumerations } from "../schema/enumerations.ts"
import { isUuid, shape, TIME } from "../schema/fields.ts"

/** The id of an object: a UUID in lower case. */
export const id = v.pipe(v.string(), v.metadata({ format: "uuid" }), v.check(isUuid, "must be a UUID"))
/** A moment in UTC. */
export const at = v.pipe(
  v.string(),
  v.metadata({ format: "date-time" }),
  v.check((text) => TIME.test(text), "must be a time"),
)
/** A whole number: a count or a position. */
export const count = v.pipe(v.number(), v.integer())
export const optionalText = v.nullable(v.string())

/** When, by whom and why something was withheld from a public record. */
export const withholding = shape({
  at,
  by: shape({ userId: id, username: v.string() }),
  reason: v.picklist(enumerations.withholdingReason),
})
export type Withholding = v.InferOutput<typeof withholding>
/** A value of `schema` or, if all of it was withheld, the notice. */
export const orWithheld = <T>(schema: v.GenericSchema): v.GenericSchema<T> =>
  v.union([schema, shape({ withheld: withholding })]) as v.GenericSchema as v.GenericSchema<T>
/** Text that may have been withheld. */
export type FreeText = string & { readonly "may be withheld"?: true }
/**
 * Text that its author chose, or a notice if it was withheld. The service's own code sees a string with a mark instead
 * (nouns/withholding.ts); the mark becomes the notice when the answer is sent.
 */
export const freeText = orWithheld<FreeText>(v.string())
/** An answer as clients receive it: with notices in place of withheld texts. */
export type OnWire<T> = T extends string
  ? "may be withheld" extends keyof T
    ? string | { withheld: Withholding }
    : T
  : T extends object
    ? { [K in keyof T]: OnWire<T[K]> }
    : T
export const optionalFreeText = v.nullable(freeText)

export const roomState = v.picklist(enumerations.roomState)
export const attemptOutcome = v.picklist(enumerations.attemptOutcome)
export const recordKind = v.picklist(enumerations.recordKind)
export const recordStatus = v.picklist(enumerations.recordStatus)
/** When and why something was withdrawn. */
export const withdrawn = shape({ at, explanation: freeText })
/** What the author of a record answered a dispute with: a link, or a reply to its entry. */
export const answered = shape({
  by: v.picklist(["correction", "supersession", "reply"]),
  at,
  linkId: v.exactOptional(id),
  entryId: v.exactOptional(id),
})
/** How the program that sent a write describes itself. */
export const client = v.exactOptional(v.record(v.string(), freeText))

/** The cursor of the next page. The read of each list narrows this to the type of its own. */
export const anyCursor = v.nullable(v.union([count, v.string()]))

/** What identifies a token, and how long it is valid. */
export const tokenFields = {
  /** Its first characters; null if they are not known. */
  tokenStart: optionalText,
  createdAt: at,
  expiresAt: at,
  revokedAt: v.nullable(at),
  lastUsedAt: v.nullable(at),
}

/**
 * Absent if there are none. The path of a picture is `/api/research/figures/{digest}`; if its alt is withheld, the
 * picture is removed too.
 */
export const withPictures = { figures: v.exactOptional(v.array(shape({ digest: v.string(), alt: freeText }))) }

/** Where the middle of a long log was left out: after this line, so many lines and bytes. A line there says so. */
const cut = shape({ afterLine: count, lines: count, bytes: count })
export type Cut = v.InferOutput<typeof cut>
/** What an answer says about a log: bytes and lines as they are kept, and what was left out of the middle. */
export const logSize = { bytes: count, lines: count, cut: v.nullable(cut) }
