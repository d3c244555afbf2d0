/** The building blocks of every answer. Their formats are for those who read the documents; the tests hold answers to them. */
import * as v from "valibot"
import { isUuid, shape } from "./fields.ts"
import { TIME } from "./patterns.ts"

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

/** Of an answer as of an earlier moment: the entry of the Room's activity, and when it was accepted. */
export const dated = { asOf: v.exactOptional(shape({ sequence: count, acceptedAt: at })) }

/** Where a page continues: each list has one type of these, which its read says. */
export const anyCursor = v.nullable(v.union([count, v.string()]))
