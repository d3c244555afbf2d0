/** Gives the schemas that a document repeats a name of their own, and refers to them. */
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import { isObject, trusted } from "../contract/json.ts"
import { reference, typeName } from "./components.ts"
import { numbered } from "./sharing.ts"

/** A schema gets a name if it is repeated this often, with at least this many characters. */
const OFTEN = 2
const LONG = 60

interface Repeated {
  readonly name: string
  count: number
}

const isSchema = (value: unknown): value is JsonSchema => isObject(value) && !("$ref" in value)

const CLOSED = '"additionalProperties":false'

/** The name of an object or a choice by its place, of a text by its title; null for what gets none. */
function nameOf(
  { type, title, properties, anyOf, oneOf, additionalProperties }: JsonSchema,
  place: string,
): string | null {
  // What is sent is closed to other members, or holds something that is.
  const isSent = JSON.stringify([properties, anyOf, oneOf]).includes(CLOSED) || additionalProperties === false
  if (properties !== undefined || anyOf !== undefined || oneOf !== undefined) return isSent ? `${place}Input` : place
  if (type === "string" && title === undefined) return `${place}String`
  return type === "string" ? `${typeName((title ?? "").toLowerCase().replaceAll(" ", "_"))}String` : null
}

/** The schemas directly inside a schema, each with the name that its place suggests. */
function* inside(schema: JsonSchema, name: string): Generator<[JsonSchema, string]> {
  for (const [member, each] of Object.entries(schema.properties ?? {})) yield [each, typeName(member)]
  if (isSchema(schema.items)) yield [schema.items, `${name}Item`]
  for (const each of schema.anyOf ?? schema.oneOf ?? []) yield [each, name]
  if (isSchema(schema.additionalProperties)) yield [schema.additionalProperties, `${name}Value`]
}

/** Puts others in the place of the schemas inside. */
function withInside(schema: JsonSchema, change: (each: JsonSchema) => JsonSchema): JsonSchema {
  const { properties, items, anyOf, oneOf, additionalProperties } = schema
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, change(each)])),
    }),
    ...(isSchema(items) && { items: change(items) }),
    ...(anyOf && { anyOf: anyOf.map(change) }),
    ...(oneOf && { oneOf: oneOf.map(change) }),
    ...(isSchema(additionalProperties) && { additionalProperties: change(additionalProperties) }),
  }
}

/**
 * Names what is repeated in some schemas.
 * @param roots schemas that keep their place, with their names
 * @returns the named schemas, a function that refers to them inside another schema, and one that does so for the whole
 * schema too
 */
export function repeatedIn(roots: readonly (readonly [name: string, schema: JsonSchema])[]): {
  readonly named: Readonly<Record<string, JsonSchema>>
  readonly referring: (schema: JsonSchema) => JsonSchema
  readonly replaced: (schema: JsonSchema) => JsonSchema
} {
  const texts = new Map<JsonSchema, string>()
  const textOf = (schema: JsonSchema): string => {
    const text = texts.get(schema) ?? JSON.stringify(schema)
    texts.set(schema, text)
    return text
  }
  /** Counts the schemas inside; what is inside a repeated one counts once. */
  function counted(known: ReadonlyMap<string, Repeated> | undefined): Map<string, Repeated> {
    const found = new Map<string, Repeated>()
    const look = (schema: JsonSchema, place: string): void => {
      for (const [each, name] of inside(schema, place)) {
        if ("$ref" in each) continue
        const text = textOf(each)
        const before = found.get(text)
        if (before !== undefined) before.count += 1
        else if (text.length >= LONG) {
          const own = nameOf(each, name)
          if (own !== null) found.set(text, { name: own, count: 1 })
        }
        if (before === undefined || known?.has(text) !== true) look(each, name)
      }
    }
    for (const [name, schema] of roots) look(schema, name)
    return new Map([...found].filter(([, { count }]) => count >= OFTEN))
  }
  const often = counted(counted(undefined))

  const taken = new Set(roots.map(([name]) => name.toLowerCase()))
  const names = new Map<string, string>()
  for (const [text, { name }] of often) {
    const own = numbered(name, (each) => taken.has(each.toLowerCase()))
    taken.add(own.toLowerCase())
    names.set(text, own)
  }
  const replaced = (schema: JsonSchema): JsonSchema => {
    const name = "$ref" in schema ? undefined : names.get(textOf(schema))
    return name === undefined ? referring(schema) : reference(name)
  }
  const referring = (schema: JsonSchema): JsonSchema => withInside(schema, replaced)
  const named = Object.fromEntries(
    [...names].map(([text, name]) => [name, referring(trusted<JsonSchema>(text))] as const),
  )
  return { named, referring, replaced }
}
