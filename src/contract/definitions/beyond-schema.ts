/**
 * The rules for bodies that JSON Schema cannot express: no repeated items in lists, no undeclared concepts.
 * They check the body as it was sent, so that their issues are reported together with those of the schema.
 */
import type { Operation } from "./operation.ts"
import type { Issue } from "../refusals/refusal.ts"
import { isObject } from "../json.ts"
import { type Visitor, metadataOf, type UniqueBy, walker } from "../schema/parts.ts"
import { undeclaredIn } from "./science.ts"
import { pointer } from "../schema/validation.ts"

const REPEATED = "must not hold the same item twice"

/** The index of the first item that repeats an earlier one; -1 if there is none. */
const repetition = (words: readonly unknown[], fold: (word: string) => string): number => {
  const seen = new Set<string>()
  return words.findIndex((word) => typeof word === "string" && seen.size === seen.add(fold(word)).size)
}

/** Checks a list of words, such as ids. */
const distinctWords: Visitor<Issue> = (value, path, found) => {
  if (Array.isArray(value) && repetition(value, (word) => word.toLowerCase()) >= 0)
    found.push({ path: pointer(path), message: REPEATED })
}
const distinctMembers =
  ({ member, at }: UniqueBy): Visitor<Issue> =>
  (value, path, found) => {
    if (!Array.isArray(value)) return
    const fold = (word: string) => (at === "list" ? word.toLowerCase() : word)
    const again = repetition(
      value.map((item) => (isObject(item) ? item[member] : undefined)),
      fold,
    )
    if (again < 0) return
    if (at === "item")
      found.push({ path: pointer([...path, again, member]), message: `repeats the ${member} of an earlier item` })
    else
      found.push({
        path: pointer(path),
        message: `holds two items with the same ${member}, the second at ${pointer([...path, again])}`,
      })
  }

const repetitions = walker<Issue>((part) => {
  const { uniqueBy, uniqueItems } = metadataOf(part)
  if (uniqueBy !== undefined) return { visit: distinctMembers(uniqueBy), descends: true }
  return uniqueItems === undefined ? undefined : { visit: distinctWords, descends: true }
})

/**
 * Finds the faults of a body that its schema does not find.
 * @param schemaIssues the issues of the schema; if there are none at all, undeclared concepts are refused later, as
 * wrong references
 */
export function beyondSchema({ body }: Operation, input: unknown, schemaIssues: readonly Issue[]): Issue[] {
  const found = repetitions(body, input)
  const concepts =
    schemaIssues.length + found.length === 0 || !Object.hasOwn(body.entries, "assertion") ? [] : undeclaredIn(input)
  return [...found, ...concepts].filter(({ path }) => schemaIssues.every((other) => other.path !== path))
}
