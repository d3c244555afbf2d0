/** Values that a write takes from the receipts of earlier ones: `{"$from": "a", "path": "/targetId"}`. */
import { isJsonObject, isObject, type Json, namesOf } from "../json.ts"
import { pointer } from "../schema/validation.ts"

export interface Reference {
  readonly $from: string
  readonly path: string
}

const isReference = (value: unknown): value is Reference =>
  isObject(value) &&
  typeof value.$from === "string" &&
  typeof value.path === "string" &&
  Object.keys(value).length === 2

/** Every reference in a value, with its JSON Pointer. */
export function referencesIn(value: unknown, at: readonly (string | number)[] = []): [string, Reference][] {
  if (isReference(value)) return [[pointer(at), value]]
  if (Array.isArray(value)) return value.flatMap((item, index) => referencesIn(item, [...at, index]))
  return isObject(value) ? Object.entries(value).flatMap(([name, item]) => referencesIn(item, [...at, name])) : []
}

/** Replaces each reference in a value. @param found returns the replacement of the reference at a JSON Pointer */
export function resolved(
  value: Json,
  found: (reference: Reference, at: string) => Json,
  at: readonly (string | number)[] = [],
): Json {
  if (isReference(value)) return found(value, pointer(at))
  if (Array.isArray(value)) return value.map((item, index) => resolved(item, found, [...at, index]))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolved(item, found, [...at, name])]))
}

/** The part of a receipt at a JSON Pointer; undefined if there is none. */
export function partAt(receipt: Json, path: string): Json | undefined {
  if (path !== "" && !path.startsWith("/")) return undefined
  return namesOf(path).reduce<Json | undefined>(
    (value, name) => (isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    receipt,
  )
}
