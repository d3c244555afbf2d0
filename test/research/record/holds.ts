/**
 * Holds a value against a pattern: objects may say more than the pattern does; a list is as long as the pattern's, and
 * texts are equal unless the pattern is a regular expression. (tap's own `match` takes longer lists and longer texts.)
 */
import type { Test } from "tap"

type Fields = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof RegExp)

/** The part of `found` that the pattern speaks of. */
function partOf(found: unknown, pattern: unknown): unknown {
  if (pattern instanceof RegExp) return typeof found === "string" && pattern.test(found) ? pattern : found
  if (Array.isArray(pattern) && Array.isArray(found))
    return found.map((item, index) => (index < pattern.length ? partOf(item, pattern[index]) : item))
  if (!isObject(pattern) || !isObject(found)) return found
  return Object.fromEntries(Object.keys(pattern).map((name) => [name, partOf(found[name], pattern[name])]))
}

/** A pattern with undefined in it says that there is no such member. */
export const holds = (t: Pick<Test, "strictSame">, found: unknown, pattern: unknown, message = "as expected"): boolean =>
  t.strictSame(partOf(found, pattern), pattern, message)
