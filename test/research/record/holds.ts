/**
 * Checks a value against a pattern: objects may have more members than the pattern; lists must have the same length,
 * and texts must be equal unless the pattern is a regular expression. (tap's own `match` accepts longer lists and
 * longer texts.)
 */
import type { Test } from "tap"

type Fields = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof RegExp)

/** Reduces `found` to what the pattern mentions. */
function partOf(found: unknown, pattern: unknown): unknown {
  if (pattern instanceof RegExp) return typeof found === "string" && pattern.test(found) ? pattern : found
  if (Array.isArray(pattern) && Array.isArray(found))
    return found.map((item, index) => (index < pattern.length ? partOf(item, pattern[index]) : item))
  if (!isObject(pattern) || !isObject(found)) return found
  return Object.fromEntries(Object.keys(pattern).map((name) => [name, partOf(found[name], pattern[name])]))
}

/** A member that is undefined in the pattern must be absent. */
export const holds = (
  t: Pick<Test, "strictSame">,
  found: unknown,
  pattern: unknown,
  message = "as expected",
): boolean => t.strictSame(partOf(found, pattern), pattern, message)
