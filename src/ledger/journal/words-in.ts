/** People's words in what is kept of a write: to find them, and to change them where they quote what was withheld. */
import { isUuid } from "../../contract/schema/fields.ts"
import { isObject, type Json } from "../../contract/json.ts"

/** Every text within something that was said. */
export const textsIn = (value: Json | undefined): string[] =>
  typeof value === "string" ? [value] : isObject(value) ? Object.entries(value).flatMap(([name, held]) => [name, ...textsIn(held)]) : []

/** Members of what the world gave whose words are of a fixed list, whatever else says the same word. */
const fixed = new Set(["code", "kind", "status", "outcome"])
const isDigest = (text: string): boolean => text.startsWith("sha256:")

/** What the world gave, with people's words in it changed: not its names, ids and digests, nor words of fixed lists. */
export function withWordsChanged(value: Json, change: (text: string) => string): Json {
  const words = (text: string) => (isUuid(text) || isDigest(text) ? text : change(text))
  // What was near is kept as a row: its kind, its id and its state first, then what was said of it.
  if (Array.isArray(value)) {
    const isRow = typeof value[1] === "string" && isUuid(value[1])
    return value.map((each, index) => (typeof each !== "string" ? withWordsChanged(each, change) : isRow && index < 3 ? each : words(each)))
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => {
      if (typeof held !== "string") return [name, withWordsChanged(held, change)]
      return [name, fixed.has(name) ? held : words(held)]
    }),
  )
}
