/**
 * The short form of an operation's schema, for agents that pay for each byte they read. It is JSON Schema too, and takes everything that
 * the whole schema takes: patterns are said in words, conditions are sentences, and what is used more than once stands in `$defs`.
 */
import { isObject } from "../contract/json.ts"
import { bodySchema, type JsonSchema } from "../contract/definitions/json-schema.ts"
import type { Conditional, Operation } from "../contract/definitions/operation.ts"
import { andOf, orOf } from "../contract/text.ts"

/** What holds of every object of a short schema, said once. */
const READING = "Without `required` all properties of an object are; no others are taken."

type Mutable = { -readonly [K in keyof JsonSchema]: JsonSchema[K] }

/** Bounds that come from how numbers are stored, and tell a reader nothing. */
const isStorageBound = (bound: number): boolean => Math.abs(bound) >= Number.MAX_SAFE_INTEGER
const held = (names: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(names).map(([name, schema]) => [name, short(schema)]))

/** A string: its format or the words for its pattern, and its longest length. */
function shortString({ format, description, title, maxLength }: JsonSchema): JsonSchema {
  if (title === "UUID") return { format: "uuid" }
  if (description !== undefined && !/\bwithout NUL\b/.test(description)) return { description }
  if (format !== undefined) return { format }
  return maxLength === undefined ? { type: "string" } : { maxLength }
}

/** One part of a schema without what a reader does not need. */
function short(schema: JsonSchema): JsonSchema {
  if (schema.$ref !== undefined) return {}
  if (schema.const !== undefined) return { const: schema.const }
  if (schema.enum !== undefined) return { enum: schema.enum }
  const { type, properties, items, oneOf, anyOf, additionalProperties, description } = schema
  if (type === "string") return shortString(schema)
  const said: Mutable = {}
  const options = oneOf ?? anyOf
  // A value that may hold itself is any JSON.
  if (options?.some(({ items: inner }) => inner?.$ref !== undefined)) return {}
  if (options !== undefined) return { anyOf: options.map(short) }
  if (type !== undefined && properties === undefined && items === undefined) said.type = type
  if (description !== undefined && type !== "object") said.description = description
  for (const bound of ["minimum", "maximum"] as const) {
    const value = schema[bound]
    if (value !== undefined && !isStorageBound(value)) said[bound] = value
  }
  if (items !== undefined) said.items = short(items)
  if (schema.minItems) said.minItems = schema.minItems
  if (schema.maxItems !== undefined) said.maxItems = schema.maxItems
  if (schema.uniqueItems === true) said.uniqueItems = true
  if (properties !== undefined) {
    said.properties = held(properties)
    const required = schema.required ?? []
    if (required.length < Object.keys(properties).length) said.required = required
  } else if (typeof additionalProperties === "object") {
    const [names, values] = [short(schema.propertyNames ?? {}), short(additionalProperties)]
    if (names.description !== undefined) said.propertyNames = names
    if (Object.keys(values).length > 0) said.additionalProperties = values
  }
  return said
}

/** What a body must hold beyond its single properties, a sentence each. */
function conditions({ requiredWhen, onlyWhen, atLeastOneOf }: Operation): string[] {
  const sentences = (conditionals: readonly Conditional[], verb: string): string[] =>
    [...Map.groupBy(conditionals, ({ when }) => `${when.field} is ${orOf(when.in.map(String))}`)].map(
      ([when, each]) => `${andOf(each.map(({ field }) => field))} ${each.length === 1 ? "is" : "are"} ${verb} ${when}.`,
    )
  return [
    ...sentences(requiredWhen, "required when"),
    ...sentences(onlyWhen, "taken only when"),
    ...(atLeastOneOf.length === 0 ? [] : [`At least one of ${orOf([...atLeastOneOf])} is required.`]),
  ]
}

/** Shorter parts are not worth a name. */
const WORTH_A_NAME = 40

/** What tells one alternative from the others. */
const tagOf = (alternative: JsonSchema): string =>
  String(alternative.properties?.type?.const ?? alternative.properties?.kind?.const ?? "other")

/** Every property and alternative of a schema, however deep, with what it takes. */
function* partsOf(value: unknown): Generator<readonly [name: string, part: string]> {
  if (!isObject(value)) return
  for (const [name, inner] of Object.entries(value)) {
    if (name === "properties" && isObject(inner))
      for (const [property, part] of Object.entries(inner)) yield [property, JSON.stringify(part)]
    if (name === "anyOf" && Array.isArray(inner)) for (const part of inner) yield [tagOf(part), JSON.stringify(part)]
    yield* partsOf(inner)
  }
}

/** Moves what stands more than once into `$defs`, under the name of the property or alternative that it is: the shortest first, so that longer ones refer to it. */
function shared(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema)
  const defined = isObject(schema.$defs) ? schema.$defs : {}
  const [repeated] = [...partsOf(schema)]
    .filter(([name, part]) => part.length >= WORTH_A_NAME && !Object.hasOwn(defined, name) && text.split(part).length > 2)
    .sort(([, one], [, other]) => one.length - other.length)
  if (repeated === undefined) return schema
  const [name, part] = repeated
  const without: JsonSchema = JSON.parse(text.replaceAll(part, `{"$ref":"#/$defs/${name}"}`))
  return shared({ ...without, $defs: { ...(isObject(without.$defs) && without.$defs), [name]: JSON.parse(part) } })
}

/** The short form of what an operation takes. */
export function compactSchema(operation: Operation): JsonSchema {
  const whole = bodySchema(operation)
  const { client: _client, ...properties } = whole.properties ?? {}
  const said = [operation.summary, READING, ...conditions(operation)]
  const { required = [] } = whole
  return shared({ title: operation.name, description: said.join(" "), ...short({ type: "object", properties, required }) })
}
