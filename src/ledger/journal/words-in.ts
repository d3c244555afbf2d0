/** People's words in the stored parts of a write: finding them, and replacing quotations of withheld texts. */
import { isUuid } from "../../contract/schema/fields.ts"
import { isObject, type Json } from "../../contract/json.ts"

/** Returns every text within a JSON value. */
export const textsIn = (value: Json | undefined): string[] =>
  typeof value === "string"
    ? [value]
    : isObject(value)
      ? Object.entries(value).flatMap(([name, held]) => [name, ...textsIn(held)])
      : []

/** Members whose values come from a fixed list and are never people's words. */
const fixed = new Set(["code", "kind", "status", "outcome"])
const isDigest = (text: string): boolean => text.startsWith("sha256:")

/**
 * Applies `change` to people's words in what a write took from the world, but not to ids, digests or words of fixed
 * lists.
 */
export function withWordsChanged(value: Json, change: (text: string) => string): Json {
  const words = (text: string) => (isUuid(text) || isDigest(text) ? text : change(text))
  // A similar record is stored as a row: its kind, id and state first, then its texts.
  if (Array.isArray(value)) {
    const isRow = typeof value[1] === "string" && isUuid(value[1])
    return value.map((each, index) =>
      typeof each !== "string" ? withWordsChanged(each, change) : isRow && index < 3 ? each : words(each),
    )
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => {
      if (typeof held !== "string") return [name, withWordsChanged(held, change)]
      return [name, fixed.has(name) ? held : words(held)]
    }),
  )
}
