/** The building blocks of every answer. Their formats are for those who read the documents; the tests hold answers to them. */
import * as v from "valibot"
import { enumerations } from "../schema/enumerations.ts"
import { isUuid, shape } from "../schema/fields.ts"
import { TIME } from "../schema/patterns.ts"

/** The id of an object: a UUID in lower case. */
export const id = v.pipe(v.string(), v.metadata({ format: "uuid" }), v.check(isUuid, "must be a UUID"))
/** A moment in UTC. */
export const at = v.pipe(
  v.string(),
  v.metadata({ format: "date-time" }),
  v.check((text) => TIME.test(text), "must be a time"),
)
/** How many, or the how-manieth: a whole number. */
export const count = v.pipe(v.number(), v.integer())
export const optionalText = v.nullable(v.string())

/** When, by whom and why something was withheld from a public record. */
export const withholding = shape({
  at,
  by: shape({ userId: id, username: v.string() }),
  reason: v.picklist(enumerations.withholdingReason),
})
export type Withholding = v.InferOutput<typeof withholding>
/** What is answered as `schema` says or, where the whole of it was withheld, by whom, when and why. */
export const orWithheld = <T>(schema: v.GenericSchema): v.GenericSchema<T> =>
  v.union([schema, shape({ withheld: withholding })]) as v.GenericSchema as v.GenericSchema<T>
/** A text of which its type remembers that it may have been withheld. */
export type Said = string & { readonly "may be withheld"?: true }
/**
 * What somebody said: a text or, where it was withheld, by whom, when and why. The service's own code meets it as a text, with a
 * mark in its place (withheld.ts): the last door before the wire makes one of the other.
 */
export const said = orWithheld<Said>(v.string())
/** What the service answers as those meet it who ask: in the place of a text that was withheld, who did, when and why. */
export type OnWire<T> = T extends string
  ? "may be withheld" extends keyof T
    ? string | { withheld: Withholding }
    : T
  : T extends object
    ? { [K in keyof T]: OnWire<T[K]> }
    : T
export const optionalSaid = v.nullable(said)

export const roomState = v.picklist(enumerations.roomState)
export const recordKind = v.picklist(enumerations.recordKind)
export const recordStatus = v.picklist(enumerations.recordStatus)
/** What was taken back: when, and why. */
export const withdrawn = shape({ at, explanation: said })
/** By what the author of a record answered a dispute: a link, or a reply to its entry. */
export const answered = shape({
  by: v.picklist(["correction", "supersession", "reply"]),
  at,
  linkId: v.exactOptional(id),
  entryId: v.exactOptional(id),
})
/** What a program says of itself. */
export const client = v.exactOptional(v.record(v.string(), said))

/** Of an answer as of an earlier moment: the entry of the Room's activity, and when it was accepted. */
export const dated = { asOf: v.exactOptional(shape({ sequence: count, acceptedAt: at })) }

/** Where a page continues: each list has one type of these, which its read says. */
export const anyCursor = v.nullable(v.union([count, v.string()]))

/** How a token is known again, and how long it holds. */
export const tokenFields = {
  /** Its first signs; null where they are not known. */
  tokenStart: optionalText,
  createdAt: at,
  expiresAt: at,
  revokedAt: v.nullable(at),
  lastUsedAt: v.nullable(at),
}
