/**
 * What a body must not be that JSON Schema has no words for: lists that repeat themselves, and concepts that nobody declares.
 * It looks at what was sent as it is, so that these faults stand beside those of the schema, all at once.
 */
import { type UniqueBy, uniqueByOf } from "./fields.ts"
import type { Operation } from "./operation.ts"
import type { Issue } from "./refusals.ts"
import { undeclaredIn } from "./science.ts"
import { pointer } from "./validation.ts"

interface Part {
  readonly entries?: Readonly<Record<string, Part>>
  readonly wrapped?: Part
  readonly item?: Part
  readonly pipe?: readonly { readonly metadata?: object }[]
}
type Path = readonly (string | number)[]
type Walk = (value: unknown, path: Path, found: Issue[]) => void

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const REPEATED = "must not hold the same item twice"

/** The first place at which a list says again what it said before; ids in either letter case are the same. */
const repetition = (words: readonly unknown[], fold: (word: string) => string): number => {
  const seen = new Set<string>()
  return words.findIndex((word) => typeof word === "string" && seen.size === seen.add(fold(word)).size)
}

/** Items that are words: ids and the like. */
const distinctWords: Walk = (value, path, found) => {
  if (Array.isArray(value) && repetition(value, (word) => word.toLowerCase()) >= 0) found.push({ path: pointer(path), message: REPEATED })
}
const distinctMembers =
  ({ member, at }: UniqueBy): Walk =>
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

/** The walk of a validator; undefined where nothing in it can repeat itself. */
function walkOf(part: Part): Walk | undefined {
  const walks: Walk[] = []
  for (const { metadata } of part.pipe ?? []) {
    if (metadata === undefined) continue
    const unique = uniqueByOf(metadata)
    if (unique !== undefined) walks.push(distinctMembers(unique))
    if ("uniqueItems" in metadata) walks.push(distinctWords)
  }
  const inner = part.wrapped && walkOf(part.wrapped)
  if (inner !== undefined) walks.push(inner)
  const item = part.item && walkOf(part.item)
  if (item !== undefined)
    walks.push((value, path, found) => {
      if (Array.isArray(value)) for (const [index, held] of value.entries()) item(held, [...path, index], found)
    })
  for (const [name, entry] of Object.entries(part.entries ?? {})) {
    const walk = walkOf(entry)
    if (walk !== undefined)
      walks.push((value, path, found) => {
        if (isObject(value) && Object.hasOwn(value, name)) walk(value[name], [...path, name], found)
      })
  }
  return walks.length === 0
    ? undefined
    : (value, path, found) => {
        for (const walk of walks) walk(value, path, found)
      }
}

const walks = new WeakMap<object, Walk | null>()

/**
 * The faults of a body that its schema does not tell.
 * @param told what the schema told; with none of that, undeclared concepts are wrong references, and told as such later
 */
export function beyondSchema({ body }: Operation, input: unknown, told: readonly Issue[]): Issue[] {
  let walk = walks.get(body)
  if (walk === undefined) walks.set(body, (walk = walkOf(body as Part) ?? null))
  const found: Issue[] = []
  walk?.(input, [], found)
  const concepts = told.length + found.length === 0 || !Object.hasOwn(body.entries, "assertion") ? [] : undeclaredIn(input)
  return [...found, ...concepts].filter(({ path }) => told.every((other) => other.path !== path))
}
