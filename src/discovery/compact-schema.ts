/**
 * The short form of what operations take, for agents that pay for each byte they read. It is JSON Schema too, and takes everything that
 * the whole schema takes: patterns and conditions are said in words, and what is used more than once stands in `$defs`.
 */
import { isObject } from "../contract/json.ts"
import { bodySchema, type JsonSchema } from "../contract/definitions/json-schema.ts"
import type { Conditional, Operation } from "../contract/definitions/operation.ts"
import { limits } from "../contract/limits.ts"
import { isUuid } from "../contract/schema/fields.ts"
import { andOf, inDigits, orOf } from "../contract/text.ts"

/** What holds of every short schema, said once. MCP fills ids in, and says the rest alone. */
export const reading = `A property is required unless \`optional\` names it; no others are taken. {} (or a name alone) is a text of at most ${inDigits(limits.explanation)} characters; where the name ends in Id, a UUID.`
const envelope = (operations: readonly Operation[]): string => {
  const [{ schemaVersion = 0 } = {}] = operations
  const ids = [...new Set(operations.map(({ delivery }) => delivery))]
  return `Each body also has schemaVersion: ${schemaVersion} and ${orOf(ids)}: a fresh UUID that you make.`
}

type Mutable = { -readonly [K in keyof JsonSchema]: JsonSchema[K] } & { optional?: readonly string[] }

/** Bounds that come from how numbers are stored, and tell a reader nothing. */
const isStorageBound = (bound: number): boolean => Math.abs(bound) >= Number.MAX_SAFE_INTEGER
/** A list that may be longer than anybody makes it. */
const isRoomy = (items: number): boolean => items >= limits.materials
const held = (properties: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, short(schema, name)]))

type ShortString = Pick<JsonSchema, "description" | "type" | "maxLength"> & { readonly format?: string }

/** A string: its format or the words for its pattern, and its longest length. */
function shortString({ format, description, title, maxLength }: JsonSchema, name: string): ShortString {
  if (title === "UUID") return /Ids?$/.test(name) ? {} : { format: "uuid" }
  if (description !== undefined && !/\bwithout NUL\b/.test(description)) return { description }
  if (typeof format === "string") return { format }
  return maxLength === limits.explanation ? {} : maxLength === undefined ? { type: "string" } : { maxLength }
}

/** A part in words, as an item of a list or one of several that a value may be: `{kind: 'record', versionId, explanation}`. Of a name alone holds what holds of {}. */
function inWords(schema: JsonSchema, name = ""): string {
  const { type, title, properties, required = [], items, description } = schema
  if (schema.const !== undefined) return `'${schema.const}'`
  if (schema.enum !== undefined) return schema.enum.map((word) => `'${word}'`).join(" | ")
  const options = schema.oneOf ?? schema.anyOf
  if (options !== undefined) return options.map((option) => inWords(option) || "text").join(" | ")
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([member, inner]) => {
      const told = inWords(inner, member)
      return `${member}${required.includes(member) ? "" : "?"}${told === "" ? "" : `: ${told}`}`
    })
    return `{${members.join(", ")}}`
  }
  if (items !== undefined) return `[${inWords(items, name) || (name.endsWith("Ids") ? "uuid" : "text")}]`
  if (typeof schema.additionalProperties === "object") return `{<name>: ${inWords(schema.additionalProperties)}}`
  if (type !== "string") return description ?? type ?? "any JSON"
  if (title === "key") return title
  const { format, description: pattern, maxLength } = shortString(schema, name)
  return pattern ?? format ?? (maxLength === undefined ? "" : `text to ${maxLength}`)
}

/** One part of a schema without what a reader does not need. @param name the property that it is of */
function short(schema: JsonSchema, name = ""): JsonSchema {
  if (schema.const !== undefined) return { const: schema.const }
  if (schema.enum !== undefined) return { enum: schema.enum }
  const { type, properties, items, oneOf, anyOf, additionalProperties, description } = schema
  if (type === "string") return shortString(schema, name)
  const said: Mutable = {}
  const options = oneOf ?? anyOf
  // A value that may hold itself is any JSON.
  if (schema.$ref !== undefined || options?.some(({ items: inner }) => inner?.$ref !== undefined)) return { description: "any JSON" }
  if (options !== undefined) return { description: inWords(schema) }
  if (type !== undefined && properties === undefined && items === undefined) said.type = type
  if (description !== undefined && type !== "object") said.description = description
  for (const bound of ["minimum", "maximum"] as const) {
    const value = schema[bound]
    if (value !== undefined && !isStorageBound(value)) said[bound] = value
  }
  if (items !== undefined) said.items = items.properties === undefined ? short(items, name) : { description: inWords(items) }
  if (schema.minItems) said.minItems = schema.minItems
  if (schema.maxItems !== undefined && !isRoomy(schema.maxItems)) said.maxItems = schema.maxItems
  if (properties !== undefined) {
    said.properties = held(properties)
    const optional = Object.keys(properties).filter((property) => !schema.required?.includes(property))
    if (optional.length > 0) said.optional = optional
  } else if (typeof additionalProperties === "object") {
    const [names, values] = [short(schema.propertyNames ?? {}), short(additionalProperties)]
    if (names.description !== undefined) said.propertyNames = names
    if (values.description !== "any JSON") said.additionalProperties = values
  }
  return said
}

/** What a body must hold beyond its single properties, a sentence each. */
function conditions({ requiredWhen, onlyWhen, atLeastOneOf }: Operation): string[] {
  const sentence = (conditionals: readonly Conditional[], words: string): string[] =>
    [...Map.groupBy(conditionals, ({ when }) => `${when.field} is ${orOf(when.in.map(String))}`)].map(
      ([when, each]) => `${andOf(each.map(({ field }) => field))} ${each.length === 1 ? "is" : "are"} ${words} ${when}.`,
    )
  const same = (one: Conditional) => (other: Conditional) => JSON.stringify(one) === JSON.stringify(other)
  const both = requiredWhen.filter((each) => onlyWhen.some(same(each)))
  const apart = (conditionals: readonly Conditional[]) => conditionals.filter((each) => !both.some(same(each)))
  return [
    ...sentence(apart(requiredWhen), "required when"),
    ...sentence(both, "required when, and taken only when,"),
    ...sentence(apart(onlyWhen), "taken only when"),
    ...(atLeastOneOf.length === 0 ? [] : [`At least one of ${orOf([...atLeastOneOf])} is required.`]),
  ]
}

/** Shorter parts are not worth a name. */
const WORTH_A_NAME = 40

/** Every property of a schema, however deep, with what it takes. */
function* partsOf(value: unknown): Generator<readonly [name: string, part: string]> {
  if (!isObject(value)) return
  for (const [name, inner] of Object.entries(value)) {
    if (name === "properties" && isObject(inner))
      for (const [property, part] of Object.entries(inner)) yield [property, JSON.stringify(part)]
    if (name !== "examples") yield* partsOf(inner)
  }
}

/** Moves what stands more than once into `$defs`, under the name of a property that it is: the shortest first, so that longer ones refer to it. */
function shared<S extends JsonSchema>(schema: S): S {
  const text = JSON.stringify(schema)
  const defined = isObject(schema.$defs) ? schema.$defs : {}
  const [repeated] = [...partsOf(schema)]
    .filter(([name, part]) => part.length >= WORTH_A_NAME && !Object.hasOwn(defined, name) && text.split(part).length > 2)
    .sort(([, one], [, other]) => one.length - other.length)
  if (repeated === undefined) return schema
  const [name, part] = repeated
  const without: S = JSON.parse(text.replaceAll(part, `{"$ref":"#/$defs/${name}"}`))
  return shared({ ...without, $defs: { ...(isObject(without.$defs) && without.$defs), [name]: JSON.parse(part) } })
}

/** A body with each id as what it is the id of. */
function withNamedIds(value: unknown, name = "id"): unknown {
  if (typeof value === "string") return isUuid(value) ? `<${/Ids?$/.test(name) ? name.replace(/s$/, "") : "id"}>` : value
  if (Array.isArray(value)) return value.map((item) => withNamedIds(item, name))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, withNamedIds(inner, member)]))
}

const common = ({ delivery }: Operation): readonly string[] => ["schemaVersion", delivery, "client"]
const without = <T>(members: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)))

function shortOf(operation: Operation): JsonSchema {
  const { name, path, summary, permissions, example, otherExamples } = operation
  const { properties = {}, required = [] } = bodySchema(operation)
  return {
    title: name,
    description: [summary, ...conditions(operation)].join(" "),
    post: path,
    needs: permissions,
    ...short({ type: "object", properties: without(properties, common(operation)), required }),
    examples: [example, ...otherExamples].map((body) => withNamedIds(without(body, common(operation)))),
  }
}

/** The short form of what some operations take: of one its schema, of several a list of them. */
export function compactSchema(operations: readonly Operation[]): JsonSchema {
  const [one, ...others] = operations.map(shortOf)
  const $comment = `${envelope(operations)} ${reading}`
  return shared(others.length === 0 ? { $comment, ...one } : { $comment, operations: [one, ...others] })
}
