/** Validators as those see them who look into one: what it is made of, what is said of each part, and the one walk over a value by it. */
import { isObject } from "../json.ts"
import type { Referable } from "../objects/objects.ts"

/** What a field that names an object says of it. */
export interface Refers {
  readonly named: readonly [Referable, ...Referable[]]
  /** Whether the write is about it: unknown, it is a 404 of its own. */
  readonly isSubject: boolean
  /** What it must belong to: the property beside it that names the whole. */
  readonly of?: string
  /** What it must differ from: a property beside it. */
  readonly not?: string
}

/** Which member identifies an item of a list, and where a repetition is reported: at the second item, or at the list. */
export interface UniqueBy {
  readonly member: string
  readonly at: "item" | "list"
}

/** What this contract says of a validator beside what it takes. */
export interface Metadata {
  readonly refersTo?: Refers
  readonly uniqueBy?: UniqueBy
  readonly uniqueItems?: boolean
}

export interface Part {
  readonly type: string
  readonly entries?: Readonly<Record<string, Part>>
  readonly wrapped?: Part
  readonly item?: Part
  readonly value?: unknown
  readonly options?: readonly unknown[]
  readonly key?: unknown
  readonly literal?: unknown
  readonly pipe?: readonly { readonly type: string; readonly title?: string; readonly metadata?: Metadata }[]
}

/** Whether something is a validator; the values of a list of words are none. */
export const isPart = (part: unknown): part is Part => typeof part === "object" && part !== null && "type" in part

/** All that is said of a validator. */
export const saidOf = ({ pipe = [] }: Part): Metadata => Object.assign({}, ...pipe.map(({ metadata }) => metadata))

export type Path = readonly (string | number)[]
type Beside = Readonly<Record<string, unknown>>
/** Looks at the value of one part. @param beside the object that holds it */
export type Look<Found> = (value: unknown, path: Path, found: Found[], beside: Beside) => void
/** What is looked for at a part: the walk ends there unless it `goesOn`. Undefined: nothing. */
export type Wanted<Found> = (part: Part) => { readonly look: Look<Found>; readonly goesOn?: boolean } | undefined

/** The looks at an object's entries; undefined where nothing is wanted of any. */
function ofEntries<Found>(entries: Readonly<Record<string, Part>>, wanted: Wanted<Found>): Look<Found> | undefined {
  const looks = Object.entries(entries).flatMap(([name, part]) => {
    const look = lookOf(part, wanted)
    return look === undefined ? [] : [[name, look] as const]
  })
  if (looks.length === 0) return undefined
  return (value, path, found) => {
    if (!isObject(value)) return
    for (const [name, look] of looks) if (Object.hasOwn(value, name)) look(value[name], [...path, name], found, value)
  }
}

/** The looks at several objects: at the one whose tag is there, or, without a tag, at all. */
function ofOptions<Found>(options: readonly Part[], tag: unknown, wanted: Wanted<Found>): Look<Found> | undefined {
  const looks = options.map(
    (option) => [typeof tag === "string" ? option.entries?.[tag]?.literal : undefined, lookOf(option, wanted)] as const,
  )
  if (looks.every(([, look]) => look === undefined)) return undefined
  return (value, path, found, beside) => {
    if (!isObject(value)) return
    for (const [literal, look] of looks) if (literal === undefined || literal === value[String(tag)]) look?.(value, path, found, beside)
  }
}

function within<Found>(part: Part, wanted: Wanted<Found>): Look<Found> | undefined {
  if (part.entries !== undefined) return ofEntries(part.entries, wanted)
  if (part.options !== undefined) return ofOptions(part.options.filter(isPart), part.key, wanted)
  if (part.wrapped !== undefined) return lookOf(part.wrapped, wanted)
  const inner = part.item ?? part.value
  const look = isPart(inner) ? lookOf(inner, wanted) : undefined
  if (look === undefined) return undefined
  return part.item === undefined
    ? (value, path, found, beside) => {
        for (const [name, held] of Object.entries(isObject(value) ? value : {})) look(held, [...path, name], found, beside)
      }
    : (value, path, found, beside) => {
        for (const [index, held] of (Array.isArray(value) ? value : []).entries()) look(held, [...path, index], found, beside)
      }
}

/** The walk over a value by its validator; undefined where nothing is wanted anywhere in it. */
function lookOf<Found>(part: Part, wanted: Wanted<Found>): Look<Found> | undefined {
  const here = wanted(part)
  if (here !== undefined && here.goesOn !== true) return here.look
  const inner = within(part, wanted)
  if (here === undefined || inner === undefined) return here?.look ?? inner
  return (...at) => {
    here.look(...at)
    inner(...at)
  }
}

const nothing: Beside = {}

/** Makes the walk for what is wanted: it tells what it found in a value, in the order of the schema. Each schema is looked through once. */
export function walking<Found>(wanted: Wanted<Found>): (schema: object, value: unknown) => Found[] {
  const looks = new WeakMap<object, Look<Found> | null>()
  return (schema, value) => {
    let look = looks.get(schema)
    if (look === undefined) {
      look = (isPart(schema) ? lookOf(schema, wanted) : undefined) ?? null
      looks.set(schema, look)
    }
    const found: Found[] = []
    look?.(value, [], found, nothing)
    return found
  }
}

/** Every part of a validator, itself first, each with the name of the member that it stands in and its JSON Pointer, where `*` is any item or name. */
export function* partsOf(
  part: unknown,
  name = "",
  at = "",
): Generator<{ readonly part: Part; readonly name: string; readonly at: string }> {
  if (!isPart(part)) return
  yield { part, name, at }
  for (const [entry, inner] of Object.entries(part.entries ?? {})) yield* partsOf(inner, entry, `${at}/${entry}`)
  for (const same of [part.wrapped, ...(part.options ?? [])]) yield* partsOf(same, name, at)
  for (const inner of [part.item, part.value]) yield* partsOf(inner, name, `${at}/*`)
}
