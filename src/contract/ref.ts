/** Fields that name an object, and the walk over a body that finds what it names. */
import { isObject } from "./json.ts"
import * as v from "valibot"
import { uuid } from "./fields.ts"
import { kindsOf, type ObjectKind, type Referable } from "./objects.ts"
import { pointer } from "./validation.ts"

interface Rules {
  /** What it must belong to: the property beside it that names the whole. */
  readonly of?: string
  /** What it must differ from: a property beside it. */
  readonly not?: string
}

/** What a field that names an object says of it. */
export interface Refers extends Rules {
  readonly named: readonly [Referable, ...Referable[]]
  /** Whether the write is about it: unknown, it is a 404 of its own. */
  readonly isSubject: boolean
}

const refersTo = (refers: Refers) => v.pipe(uuid, v.metadata({ refersTo: refers }))

/** The id of an object of one kind, or of one of several: an exact reference. */
export const ref = (named: Referable | Refers["named"], rules: Rules = {}) =>
  refersTo({ named: typeof named === "string" ? [named] : named, isSubject: false, ...rules })

/** The id of the object, of one kind or of one of several, that a write or read is about. */
export const subject = (...named: Refers["named"]) => refersTo({ named, isSubject: true })

/** What a metadata action says of the object a field names; undefined for other ones. */
export const refersOf = (metadata: object): Refers | undefined => (metadata as { readonly refersTo?: Refers }).refersTo

/** A validator, as far as the walk looks into it. */
interface Part {
  readonly type: string
  readonly entries?: Readonly<Record<string, Part>>
  readonly wrapped?: Part
  readonly item?: Part
  readonly value?: Part
  readonly options?: readonly unknown[]
  readonly key?: unknown
  readonly literal?: unknown
  readonly pipe?: readonly { readonly metadata?: object }[]
}

/** What a body names at one place. */
export interface Named {
  readonly refers: Refers
  readonly id: string
  /** A JSON Pointer. */
  readonly path: string
  /** The object that holds it, for rules that look beside it. */
  readonly beside: Readonly<Record<string, unknown>>
}

type Path = readonly (string | number)[]
type Walk = (value: unknown, path: Path, beside: Named["beside"], found: Named[]) => void
const none = {}

const isPart = (part: unknown): part is Part => typeof part === "object" && part !== null
const marked = ({ pipe = [] }: Part): Refers | undefined =>
  pipe.map(({ metadata }) => metadata && refersOf(metadata)).find((refers) => refers !== undefined)

/** The walk of an object's entries; undefined where none of them names anything. */
function ofEntries(entries: Readonly<Record<string, Part>>): Walk | undefined {
  const walks = Object.entries(entries).flatMap(([name, part]) => {
    const walk = walkOf(part)
    return walk === undefined ? [] : [[name, walk] as const]
  })
  if (walks.length === 0) return undefined
  return (value, path, _beside, found) => {
    if (!isObject(value)) return
    for (const [name, walk] of walks) if (Object.hasOwn(value, name)) walk(value[name], [...path, name], value, found)
  }
}

/** The walk of several objects: the one whose tag is there, or, without a tag, all whose properties are. */
function ofOptions(options: readonly Part[], tag: unknown): Walk | undefined {
  const walks = options.map((option) => [typeof tag === "string" ? option.entries?.[tag]?.literal : undefined, walkOf(option)] as const)
  if (walks.every(([, walk]) => walk === undefined)) return undefined
  return (value, path, beside, found) => {
    if (!isObject(value)) return
    for (const [literal, walk] of walks) if (literal === undefined || literal === value[String(tag)]) walk?.(value, path, beside, found)
  }
}

function walkOf(part: Part): Walk | undefined {
  const refers = marked(part)
  if (refers !== undefined)
    return (value, path, beside, found) => {
      if (typeof value === "string") found.push({ refers, id: value, path: pointer(path), beside })
    }
  if (part.entries !== undefined) return ofEntries(part.entries)
  if (part.options !== undefined) return ofOptions(part.options.filter(isPart), part.key)
  if (part.wrapped !== undefined) return walkOf(part.wrapped)
  const inner = part.item ?? part.value
  const walk = isPart(inner) ? walkOf(inner) : undefined
  if (walk === undefined) return undefined
  return part.item === undefined
    ? (value, path, beside, found) => {
        for (const [name, held] of Object.entries(isObject(value) ? value : {})) walk(held, [...path, name], beside, found)
      }
    : (value, path, beside, found) => {
        for (const [index, held] of (Array.isArray(value) ? value : []).entries()) walk(held, [...path, index], beside, found)
      }
}

const walks = new WeakMap<object, Walk | null>()

/** What was looked through last: a write is asked for what it names once before it is admitted, and once after. */
let latest: { readonly schema: unknown; readonly body: unknown; readonly found: readonly Named[] } | undefined

/** Everything that a checked body names, in the order of its schema. */
export function namedIn(schema: v.GenericSchema, body: unknown): readonly Named[] {
  if (latest !== undefined && latest.schema === schema && latest.body === body) return latest.found
  let walk = walks.get(schema)
  if (walk === undefined) {
    walk = (isPart(schema) ? walkOf(schema) : undefined) ?? null
    walks.set(schema, walk)
  }
  const found: Named[] = []
  walk?.(body, [], none, found)
  latest = { schema, body, found }
  return found
}

/** What the fields of a schema name, each with its own name, at whatever depth. */
export function refersIn(schema: v.GenericSchema): { readonly name: string; readonly refers: Refers }[] {
  const seen = (part: unknown, name: string): { name: string; refers: Refers }[] => {
    if (!isPart(part)) return []
    const refers = marked(part)
    if (refers !== undefined) return [{ name, refers }]
    return [
      ...Object.entries(part.entries ?? {}).flatMap(([entry, inner]) => seen(inner, entry)),
      ...[part.wrapped, part.item, part.value, ...(part.options ?? [])].flatMap((inner) => seen(inner, name)),
    ]
  }
  return seen(schema, "")
}

/** The kinds of object that a field may name. */
export const kindsIn = ({ named }: Refers): ObjectKind[] => named.flatMap(kindsOf)
