/**
 * Reads validators: the parts they are made of, the metadata of each part, and the walk over a value along its
 * validator. With it, finds what a body names.
 */
import * as v from "valibot"
import { isObject } from "../json.ts"
import { type Referable, kindsOf, type ObjectKind } from "../objects/objects.ts"
import { type UniqueBy, uuid } from "./fields.ts"
import { pointer } from "./validation.ts"

/** What a field that names an object says about that object. */
export interface Refers {
  readonly named: readonly [Referable, ...Referable[]]
  /** Whether the write is about the object. If so, an unknown id is refused with the 404 of its kind. */
  readonly isSubject: boolean
  /** The sibling property with the id of the object that it must belong to. */
  readonly of?: string
  /** The sibling property that it must differ from. */
  readonly not?: string
}

/** What this contract adds to a validator. */
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

/** Whether a value is a validator; the options of a picklist are not. */
export const isPart = (part: unknown): part is Part => typeof part === "object" && part !== null && "type" in part

export const metadataOf = ({ pipe = [] }: Part): Metadata => Object.assign({}, ...pipe.map(({ metadata }) => metadata))

export type Path = readonly (string | number)[]
type Siblings = Readonly<Record<string, unknown>>
/** Visits the value of one part. @param siblings the object that holds the value */
export type Visitor<Found> = (value: unknown, path: Path, found: Found[], siblings: Siblings) => void
/** Chooses the visitor for a part, if any. The walk ends at that part unless it `descends`. */
type Selector<Found> = (part: Part) => { readonly visit: Visitor<Found>; readonly descends?: boolean } | undefined

/** The visitor for an object's entries; undefined if no entry has one. */
function entriesVisitor<Found>(
  entries: Readonly<Record<string, Part>>,
  select: Selector<Found>,
): Visitor<Found> | undefined {
  const visitors = Object.entries(entries).flatMap(([name, part]) => {
    const visit = visitorOf(part, select)
    return visit === undefined ? [] : [[name, visit] as const]
  })
  if (visitors.length === 0) return undefined
  return (value, path, found) => {
    if (!isObject(value)) return
    for (const [name, visit] of visitors)
      if (Object.hasOwn(value, name)) visit(value[name], [...path, name], found, value)
  }
}

/** The visitor for alternatives: those whose tag matches, or, without a tag, all of them. */
function optionsVisitor<Found>(
  options: readonly Part[],
  tag: unknown,
  select: Selector<Found>,
): Visitor<Found> | undefined {
  const visitors = options.map(
    (option) =>
      [typeof tag === "string" ? option.entries?.[tag]?.literal : undefined, visitorOf(option, select)] as const,
  )
  if (visitors.every(([, visit]) => visit === undefined)) return undefined
  return (value, path, found, siblings) => {
    if (!isObject(value)) return
    for (const [literal, visit] of visitors)
      if (literal === undefined || literal === value[String(tag)]) visit?.(value, path, found, siblings)
  }
}

function visitorWithin<Found>(part: Part, select: Selector<Found>): Visitor<Found> | undefined {
  if (part.entries !== undefined) return entriesVisitor(part.entries, select)
  if (part.options !== undefined) return optionsVisitor(part.options.filter(isPart), part.key, select)
  if (part.wrapped !== undefined) return visitorOf(part.wrapped, select)
  const inner = part.item ?? part.value
  const visit = isPart(inner) ? visitorOf(inner, select) : undefined
  if (visit === undefined) return undefined
  return part.item === undefined
    ? (value, path, found, siblings) => {
        for (const [name, held] of Object.entries(isObject(value) ? value : {}))
          visit(held, [...path, name], found, siblings)
      }
    : (value, path, found, siblings) => {
        for (const [index, held] of (Array.isArray(value) ? value : []).entries())
          visit(held, [...path, index], found, siblings)
      }
}

/** The visitor for a part and all its inner parts; undefined if there is nothing to visit. */
function visitorOf<Found>(part: Part, select: Selector<Found>): Visitor<Found> | undefined {
  const here = select(part)
  if (here !== undefined && here.descends !== true) return here.visit
  const inner = visitorWithin(part, select)
  if (here === undefined || inner === undefined) return here?.visit ?? inner
  return (...at) => {
    here.visit(...at)
    inner(...at)
  }
}

const nothing: Siblings = {}

/**
 * Makes a walk that returns what its visitors find in a value, in the order of the schema. Each schema is prepared only
 * once.
 */
export function walker<Found>(select: Selector<Found>): (schema: object, value: unknown) => Found[] {
  const visitors = new WeakMap<object, Visitor<Found> | undefined>()
  return (schema, value) => {
    const visit = visitors.getOrInsertComputed(schema, () => (isPart(schema) ? visitorOf(schema, select) : undefined))
    const found: Found[] = []
    visit?.(value, [], found, nothing)
    return found
  }
}

/**
 * Every part of a validator, itself first, each with the name of the member that holds it and its JSON Pointer, where
 * `*` is any item or name.
 */
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

// Fields that name an object.

type Rules = Pick<Refers, "of" | "not">

const refersTo = (refers: Refers) => v.pipe(uuid, v.metadata({ refersTo: refers }))

/** The id of an object of one kind, or of one of several: an exact reference. */
export const ref = (named: Referable | Refers["named"], rules: Rules = {}) =>
  refersTo({ named: typeof named === "string" ? [named] : named, isSubject: false, ...rules })

/** The id of the object that a write or read is about, of one kind or of one of several. */
export const subject = (...named: Refers["named"]) => refersTo({ named, isSubject: true })

/** A reference in a body. */
export interface Named {
  readonly refers: Refers
  readonly id: string
  /** A JSON Pointer. */
  readonly path: string
  /** The object that holds it, for rules about its siblings. */
  readonly siblings: Readonly<Record<string, unknown>>
}

const find = walker<Named>((part) => {
  const { refersTo: refers } = metadataOf(part)
  return (
    refers && {
      visit(value, path, found, siblings) {
        if (typeof value === "string") found.push({ refers, id: value, path: pointer(path), siblings })
      },
    }
  )
})

/** The last result: a write needs its references once before it is admitted, and once after. */
let latest: { readonly schema: unknown; readonly body: unknown; readonly found: readonly Named[] } | undefined

/** Everything that a checked body names, in the order of its schema. */
export function namedIn(schema: v.GenericSchema, body: unknown): readonly Named[] {
  if (latest !== undefined && latest.schema === schema && latest.body === body) return latest.found
  const found = find(schema, body)
  latest = { schema, body, found }
  return found
}

/** The references in a schema, at any depth, each with the name of its field. */
export const refersIn = (schema: v.GenericSchema): { readonly name: string; readonly refers: Refers }[] =>
  [...partsOf(schema)].flatMap(({ part, name }) => {
    const { refersTo: refers } = metadataOf(part)
    return refers === undefined ? [] : [{ name, refers }]
  })

/** The kinds of object that a field may name. */
export const kindsIn = ({ named }: Refers): ObjectKind[] => named.flatMap(kindsOf)
