/** The query parameters that reads share (numbers, words, lists and cursors), and those of writes. */
import * as v from "valibot"
import type { JsonSchema } from "./json-schema.ts"
import { limits } from "../limits.ts"
import { described } from "../schema/validation.ts"
import { plain, isUuid, oneOf, agentName } from "../schema/fields.ts"
import { type LabelledKind, labelPrefixes } from "../objects/objects.ts"
import { enumerations } from "../schema/enumerations.ts"

const documented = <T>(parameter: JsonSchema) => v.metadata<T, { parameter: JsonSchema }>({ parameter })

/** A whole number from `minimum` to `maximum`, written without sign, fraction or leading zeros. */
export const digits = (minimum: number, maximum: number, more: JsonSchema = {}) =>
  v.pipe(
    v.string(),
    v.check(
      (text) => /^(?:0|[1-9][0-9]{0,14})$/u.test(text) && Number(text) >= minimum && Number(text) <= maximum,
      `must be a whole number from ${minimum} to ${maximum}`,
    ),
    documented({ type: "integer", minimum, maximum, ...more }),
    v.transform(Number),
  )

export const pageLimit = (most: number = limits.pageItems) =>
  between(1, most, most, "The maximum number of items on a page.")
const cursorMeaning = "The nextCursor of the previous page. If omitted, the list starts at its beginning."
export const sequence = digits(0, 999_999_999_999_999, { description: cursorMeaning })
export const cursorText = described(plain(200), cursorMeaning)
export const libraryOffset = digits(0, 999_999_999_999_999, {
  description: "The nextOffset of the previous page. If omitted, the list starts at its beginning.",
})

export const wholeNumber = (max: number) => digits(0, max)

/** A whole number within bounds, with a default. */
export const between = (min: number, max: number, otherwise: number, description: string) =>
  digits(min, max, { default: otherwise, description })

/** A comma-separated list. @param what its items, for the refusal */
const list = (
  items: JsonSchema,
  most: number | undefined,
  isItem: (item: string) => boolean,
  what: string,
  split = (text: string): string[] => text.split(","),
) =>
  v.pipe(
    v.string(),
    documented({ type: "array", items, minItems: 1, ...(most !== undefined && { maxItems: most }) }),
    v.transform(split),
    v.check(
      (found) => found.length <= (most ?? found.length) && found.every(isItem),
      `must be a comma-separated list of ${what}`,
    ),
  )

/** A filter by labels of one kind. */
export const labelPattern = (kind: LabelledKind) =>
  v.pipe(
    v.string(),
    v.regex(
      new RegExp(`^${labelPrefixes[kind]}[1-9][0-9]{0,8}$`, "u"),
      `must be a label such as ${labelPrefixes[kind]}1`,
    ),
  )

/** A comma-separated list of words, each of them one of `words`. */
export const words = (known: readonly string[]) =>
  list({ type: "string", enum: known }, undefined, (word) => known.includes(word), known.join(", "))

/**
 * A comma-separated list of texts that each match a pattern. @param what the noun for the items, used in the refusal
 */
export const commaList = (pattern: RegExp, most: number, what: string) =>
  list({ type: "string", pattern: pattern.source }, most, (item) => pattern.test(item), `${what}, at most ${most}`)

/** A comma-separated list of ids, without duplicates. @param most the most ids it may hold */
export const ids = (most: number) =>
  list({ type: "string", format: "uuid" }, most, isUuid, `at most ${most} ids`, (text) => [
    ...new Set(text.toLowerCase().split(",")),
  ])

/** The query parameters of an agent's write. */
export const writeParameters = {
  rehearse: v.exactOptional(
    described(v.literal("1"), "Run every check, undo the work, and return the receipt that the write would have had."),
  ),
  receipt: v.exactOptional(
    described(
      v.picklist(["whole", "small"], "must be whole or small"),
      `small: the answer has at most ${limits.smallReceiptBytes} bytes, and only the members of the receipt that the ` +
        "sender does not know. The stored receipt is whole.",
    ),
  ),
}
export type WriteParameters = v.InferOutput<v.StrictObjectSchema<typeof writeParameters, undefined>>

/** The words that a list is searched for. */
export const query = v.exactOptional(plain(limits.searchQuery))

export const recordFilters = {
  kinds: v.exactOptional(words(enumerations.recordKind)),
  status: v.exactOptional(oneOf(enumerations.recordStatus)),
  author: v.exactOptional(plain(limits.name)),
  agent: v.exactOptional(agentName),
}
