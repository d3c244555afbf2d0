/**
 * What a body must not be that JSON Schema has no words for: lists that repeat themselves, and concepts that nobody declares.
 * It looks at what was sent as it is, so that these faults stand beside those of the schema, all at once.
 */
import type { Operation } from "./operation.ts"
import type { Issue } from "../refusals/refusal.ts"
import { isObject } from "../json.ts"
import { type Look, saidOf, type UniqueBy, walking } from "../schema/parts.ts"
import { undeclaredIn } from "./science.ts"
import { pointer } from "../schema/validation.ts"

const REPEATED = "must not hold the same item twice"

/** The first place at which a list says again what it said before; ids in either letter case are the same. */
const repetition = (words: readonly unknown[], fold: (word: string) => string): number => {
  const seen = new Set<string>()
  return words.findIndex((word) => typeof word === "string" && seen.size === seen.add(fold(word)).size)
}

/** Items that are words: ids and the like. */
const distinctWords: Look<Issue> = (value, path, found) => {
  if (Array.isArray(value) && repetition(value, (word) => word.toLowerCase()) >= 0) found.push({ path: pointer(path), message: REPEATED })
}
const distinctMembers =
  ({ member, at }: UniqueBy): Look<Issue> =>
  (value, path, found) => {
    if (!Array.isArray(value)) return
    const fold = (word: string) => (at === "list" ? word.toLowerCase() : word)
    const again = repetition(
      value.map((item) => (isObject(item) ? item[member] : undefined)),
      fold,
    )
    if (again < 0) return
    if (at === "item") found.push({ path: pointer([...path, again, member]), message: "is the name of an earlier one" })
    else found.push({ path: pointer(path), message: `says two things of one ${member}, the second at ${pointer([...path, again])}` })
  }

const repetitions = walking<Issue>((part) => {
  const { uniqueBy, uniqueItems } = saidOf(part)
  if (uniqueBy !== undefined) return { look: distinctMembers(uniqueBy), goesOn: true }
  return uniqueItems === undefined ? undefined : { look: distinctWords, goesOn: true }
})

/**
 * The faults of a body that its schema does not tell.
 * @param told what the schema told; with none of that, undeclared concepts are wrong references, and told as such later
 */
export function beyondSchema({ body }: Operation, input: unknown, told: readonly Issue[]): Issue[] {
  const found = repetitions(body, input)
  const concepts = told.length + found.length === 0 || !Object.hasOwn(body.entries, "assertion") ? [] : undeclaredIn(input)
  return [...found, ...concepts].filter(({ path }) => told.every((other) => other.path !== path))
}
