/** JSON as values, as canonical text, and as text that is carried into answers without being parsed again. */
import { createHash } from "node:crypto"
import canonicalize from "canonicalize"

export type Json = string | number | boolean | null | Json[] | JsonObject
export interface JsonObject {
  [member: string]: Json
}

/** Stands for a text while the rest is written; no string of the service holds NUL. */
const MARK = "\u0000"
const WRITTEN_MARK = JSON.stringify(MARK)
/** The texts that were met while an object was written, in the order they stand in it. */
let met: string[] = []

declare const says: unique symbol
/** JSON text of a `T`, as it is stored. What it says is known to the compiler only. */
export type Stored<T> = string & { readonly [says]: T }

/** JSON text made earlier (stored content, a stored entry) that an answer carries as it is. */
export class JsonText<out T = unknown> {
  declare readonly [says]?: T
  readonly text: string
  constructor(text: Stored<T>) {
    this.text = text
  }
  /** Called while `writeJson` writes what this stands in. */
  toJSON(): string {
    met.push(this.text)
    return MARK
  }
}

/** A value that may hold stored text anywhere inside. */
export type Writable =
  | string
  | number
  | boolean
  | null
  | undefined
  | JsonText
  | readonly Writable[]
  | { readonly [member: string]: Writable }

/** Whether a value has members, as an object or a list has. */
export const isObject = (value: unknown): value is { readonly [member: string]: unknown } => typeof value === "object" && value !== null

/** Whether a value that came as JSON is an object. */
export const isJsonObject = (value: unknown): value is JsonObject => isObject(value) && !Array.isArray(value)

type Scalar = string | number | boolean | null | undefined
/** A `T` in which stored text may stand for any part. */
export type Served<T> =
  | JsonText<T>
  | (unknown extends T
      ? unknown
      : T extends Scalar
        ? T
        : T extends readonly (infer Item)[]
          ? readonly Served<Item>[]
          : { readonly [K in keyof T]: Served<T[K]> })

/** What is left of a value once the stored text in it is parsed. */
export type Said<S> =
  S extends JsonText<infer T>
    ? T
    : unknown extends S
      ? unknown
      : S extends Scalar
        ? S
        : S extends readonly (infer Item)[]
          ? Said<Item>[]
          : { [K in keyof S]: Said<S[K]> }

/** Text that was put together by hand, out of parts that make a `T`. */
export const stored = <T>(text: string): Stored<T> => text as Stored<T>

/** What text says that this service itself wrote from a `T`, in its tables or from one of its threads to another: so it is believed. */
export const trusted = <T>(text: string): T => JSON.parse(text) as T
export const parse = <T>(text: Stored<T>): T => trusted<T>(text)

function plain(value: Writable): unknown {
  if (value instanceof JsonText) return JSON.parse(value.text)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(Object.entries(value).flatMap(([member, inner]) => (inner === undefined ? [] : [[member, plain(inner)]])))
}

/** A value with all stored text in it parsed, as its reader will have it; members that are undefined are left out. */
export const parsed = <T>(value: Served<T>): T => plain(value as Writable) as T

/** JSON text of a value by the engine itself, which is several times faster than walking through it. */
function written(value: Writable): string {
  if (value instanceof JsonText) return value.text
  met = []
  const text = JSON.stringify(value) ?? "null"
  if (met.length === 0) return text
  const [first = "", ...rest] = text.split(WRITTEN_MARK)
  if (rest.length !== met.length) throw new Error("a string of the service holds NUL")
  return rest.reduce((before, after, index) => before + met[index] + after, first)
}

/**
 * JSON text of `value`, with every `JsonText` inside it copied verbatim; members that are undefined are left out.
 * Items of lists are written one by one, so that those without such texts keep the engine's fastest way.
 */
export function writeJson(value: Writable): string {
  if (typeof value !== "object" || value === null || value instanceof JsonText) return written(value)
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`
  let text = ""
  for (const [member, inner] of Object.entries(value)) {
    if (inner === undefined) continue
    text += `${text === "" ? "" : ","}${JSON.stringify(member)}:${Array.isArray(inner) ? `[${inner.map(written).join(",")}]` : written(inner)}`
  }
  return `{${text}}`
}

/** Adds members to the end of an object's JSON text without parsing it. */
export function extendJson(object: string, members: { readonly [member: string]: Writable }): string {
  return joinJson(object, writeJson(members))
}

/** The JSON text of an object with the members of both; they have none in common. */
export function joinJson(object: string, added: string): string {
  if (added === "{}") return object
  return object === "{}" ? added : `${object.slice(0, -1)},${added.slice(1)}`
}

/** RFC 8785 text of a JSON value. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError("only a JSON value has a canonical form")
  return text
}

/** `sha256:` and 64 hex digits over the UTF-8 bytes of `text`. */
export const digestOf = (content: string | Uint8Array): string => `sha256:${createHash("sha256").update(content).digest("hex")}`

/**
 * The first of some items whose texts have room in so many bytes, each written once; one at the least.
 * @param bytes counted in UTF-8
 */
export function fitting<Item>(items: readonly Item[], bytes: number): JsonText<Said<Item>>[] {
  const fit: JsonText<Said<Item>>[] = []
  let left = bytes
  for (const item of items) {
    const text = stored<Said<Item>>(written(item as Writable))
    left -= Buffer.byteLength(text)
    if (left < 0 && fit.length > 0) break
    fit.push(new JsonText(text))
  }
  return fit
}
