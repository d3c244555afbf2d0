/**
 * Reads validators: the parts they are made of, the metadata of each part, and the walk over a value along its
 * validator.
 */
import { isObject } from "../json.ts"
import type { Referable } from "../objects/objects.ts"

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

/**
 * The member that identifies an item of a list, and where a duplicate is reported: at the second item, or at the list.
 */
export interface UniqueBy {
  readonly member: string
  readonly at: "item" | "list"
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
