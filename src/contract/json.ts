/** JSON as values, as canonical text, and as ready-made text that answers embed without parsing it. */
import { hash } from "node:crypto"
import canonicalize from "canonicalize"

export type Json = string | number | boolean | null | Json[] | JsonObject
export interface JsonObject {
  [member: string]: Json
}

/** Replaces an embedded text during serialisation. No string of the service contains NUL. */
const MARK = "\u0000"
const WRITTEN_MARK = JSON.stringify(MARK)
/** The embedded texts found during serialisation, in order. */
let embedded: string[] = []

declare const parsedAs: unique symbol
/** The stored JSON text of a `T`. Only the compiler knows the type. */
export type Stored<T> = string & { readonly [parsedAs]: T }

/** JSON text made earlier (stored content, a stored entry) that an answer embeds verbatim. */
export class JsonText<out T = unknown> {
  declare readonly [parsedAs]?: T
  readonly text: string
  constructor(text: Stored<T>) {
    this.text = text
  }
  /** Called by `JSON.stringify`. */
  toJSON(): string {
    embedded.push(this.text)
    return MARK
  }
}

/** A value that may contain stored text at any depth. */
export type Writable =
  | string
  | number
  | boolean
  | null
  | undefined
  | JsonText
  | readonly Writable[]
  | { readonly [member: string]: Writable }

/** Whether a value is an object or a list. */
export const isObject = (value: unknown): value is { readonly [member: string]: unknown } =>
  typeof value === "object" && value !== null

export const isJsonObject = (value: unknown): value is JsonObject => isObject(value) && !Array.isArray(value)

/** The value at a JSON Pointer; undefined if there is none. */
export function valueAt(value: Json | undefined, path: string): Json | undefined {
  return namesOf(path).reduce(memberOf, value)
}
/** A member of an object, or an item of a list by its number. */
export const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  !isObject(value) || !Object.hasOwn(value, name) ? undefined : Array.isArray(value) ? value[Number(name)] : value[name]
/** The names in a JSON Pointer. */
export const namesOf = (path: string): string[] =>
  path === ""
    ? []
    : path
        .slice(1)
        .split("/")
        .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))

/** Narrows a value read from a request to an object. @throws Error if it is not one: a fault of the service */
export function jsonObject(value: unknown): JsonObject {
  if (isJsonObject(value)) return value
  throw new Error("the value must be an object")
}

type Scalar = string | number | boolean | null | undefined
/** A `T` in which any part may be stored text. */
export type Served<T> =
  | JsonText<T>
  | (unknown extends T
      ? unknown
      : T extends Scalar
        ? T
        : T extends readonly (infer Item)[]
          ? readonly Served<Item>[]
          : { readonly [K in keyof T]: Served<T[K]> })

/** The type of a value after the stored text in it is parsed. */
export type Parsed<S> =
  S extends JsonText<infer T>
    ? T
    : unknown extends S
      ? unknown
      : S extends Scalar
        ? S
        : S extends readonly (infer Item)[]
          ? Parsed<Item>[]
          : { [K in keyof S]: Parsed<S[K]> }

/** Marks text built by hand as the JSON text of a `T`. */
export const stored = <T>(text: string): Stored<T> => text as Stored<T>

/** Parses text that this service wrote from a `T`, in its tables or between its threads, without validating it. */
export const trusted = <T>(text: string): T => JSON.parse(text) as T
export const parse = <T>(text: Stored<T>): T => trusted<T>(text)

/** How a member is defined whose name would set the object's prototype. */
const DATA = { enumerable: true, configurable: true, writable: true }

const isList = (value: Writable): value is readonly Writable[] => Array.isArray(value)

function plain(value: Writable): unknown {
  if (value instanceof JsonText) return JSON.parse(value.text)
  if (typeof value !== "object" || value === null) return value
  if (isList(value)) return value.map(plain)
  const object: { [member: string]: unknown } = {}
  for (const member of Object.keys(value)) {
    const inner = value[member]
    if (inner === undefined) continue
    if (member === "__proto__") Object.defineProperty(object, member, { ...DATA, value: plain(inner) })
    else object[member] = typeof inner === "object" ? plain(inner) : inner
  }
  return object
}

/** Parses all stored text in a value and drops undefined members, as its reader will receive it. */
export const parsed = <T>(value: Served<T>): T => plain(value as Writable) as T

/** The JSON text of a value, made by the engine: several times faster than a recursive walk. */
function written(value: Writable): string {
  if (value instanceof JsonText) return value.text
  embedded = []
  const text = JSON.stringify(value) ?? "null"
  if (embedded.length === 0) return text
  const [first = "", ...rest] = text.split(WRITTEN_MARK)
  if (rest.length !== embedded.length) throw new Error("a string of the service holds NUL")
  return rest.reduce((before, after, index) => before + embedded[index] + after, first)
}

/**
 * The JSON text of `value`, with every `JsonText` in it copied verbatim; undefined members are left out.
 * Items of lists are written one by one, so that items without such text keep the engine's fast path.
 */
export function writeJson(value: Writable): string {
  if (typeof value !== "object" || value === null || value instanceof JsonText) return written(value)
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`
  let text = ""
  for (const [member, inner] of Object.entries(value)) {
    if (inner === undefined) continue
    text +=
      `${text === "" ? "" : ","}${JSON.stringify(member)}:` +
      `${Array.isArray(inner) ? `[${inner.map(written).join(",")}]` : written(inner)}`
  }
  return `{${text}}`
}

/** Adds members to the end of an object's JSON text without parsing it. */
export function extendJson(object: string, members: { readonly [member: string]: Writable }): string {
  return joinJson(object, writeJson(members))
}

/** Joins the JSON texts of two objects that have no member in common. */
export function joinJson(object: string, added: string): string {
  if (added === "{}") return object
  return object === "{}" ? added : `${object.slice(0, -1)},${added.slice(1)}`
}

/** The RFC 8785 text of a JSON value. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError("only a JSON value has a canonical form")
  return text
}

/** `sha256:` and 64 hex digits over the UTF-8 bytes of `text`. */
export const digestOf = (content: string | Uint8Array): string => `sha256:${hash("sha256", content)}`

/** The first items whose JSON texts fit in `bytes` of UTF-8, at least one. Each is written once. */
export function fitting<Item>(items: readonly Item[], bytes: number): JsonText<Parsed<Item>>[] {
  const fit: JsonText<Parsed<Item>>[] = []
  let left = bytes
  for (const item of items) {
    const text = stored<Parsed<Item>>(written(item as Writable))
    left -= Buffer.byteLength(text)
    if (left < 0 && fit.length > 0) break
    fit.push(new JsonText(text))
  }
  return fit
}

/** Returns all texts in a value, and the names of its members. */
export const textsIn = (value: Json | undefined): string[] =>
  typeof value === "string"
    ? [value]
    : isObject(value)
      ? Object.entries(value).flatMap(([name, held]) => [name, ...textsIn(held)])
      : []
