/** The schema documents: the JSON Schemas and example bodies of operations. */
import { type JsonSchema, bodySchema, inputSchema, schemaUrl } from "../contract/definitions/json-schema.ts"
import { inCode } from "./markdown.ts"
import { inDigits, andOf, orOf } from "../contract/text.ts"
import { isObject } from "../contract/json.ts"
import { present } from "../contract/typed.ts"
import type { Conditional, Operation, SchemaDocument } from "../contract/definitions/operation.ts"
import { limits } from "../contract/limits.ts"
import { isUuid } from "../contract/schema/fields.ts"
import { Refusal, wrongParameter } from "../contract/refusals.ts"
import { type Family, schemaVersions } from "../contract/service.ts"
import type { Read } from "../contract/definitions/read.ts"
import type { SchemaBundle, SchemaIndex, DiscoveryParameters } from "./routes.ts"
import type { Place } from "./bootstrap.ts"
import { agentOperations, agentOperationsOf } from "./manifest.ts"
import { namedRead, noSuchName } from "./named.ts"
import { pathParameters, queryParameters } from "./openapi-parts.ts"

// Describes a JSON Schema in prose: a row for each property at any depth, with its type, bounds and whether it is
// required.

export interface Row {
  readonly field: string
  readonly type: string
  readonly required: boolean
}

/** `1 to 20`, `at least 1`, `at most 20`, or an empty text. */
function range(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined)
    return least === most ? inDigits(least) : `${inDigits(least)} to ${inDigits(most)}`
  if (least !== undefined) return `at least ${inDigits(least)}`
  return most === undefined ? "" : `at most ${inDigits(most)}`
}

const exact = (value: unknown): string => inCode(JSON.stringify(value))

function stringInWords(schema: JsonSchema): string {
  const name = schema.title ?? schema.description ?? "string"
  const kind = name.includes("<") ? inCode(name) : name
  const length = range(schema.minLength, schema.maxLength)
  return length === "" ? kind : `${kind}, ${length} characters`
}

/** Leaves out the bounds of safe integers, which every whole number has. */
function wholeInWords(schema: JsonSchema): string {
  const bound = (value: number | undefined) =>
    value !== undefined && Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value
  const bounds = range(bound(schema.minimum), bound(schema.maximum))
  return bounds === "" ? "whole number" : `whole number, ${bounds}`
}

function listInWords(schema: JsonSchema): string {
  const item = schema.items
  const of = item === undefined || item.properties !== undefined ? "objects" : `items, each ${typeInWords(item)}`
  return (
    `list of ${range(schema.minItems, schema.maxItems) || "any number of"} ` +
    `${of}${schema.uniqueItems === true ? ", all different" : ""}`
  )
}

/** One object on one line: `{type: "concept", key: key}`. */
function inline(schema: JsonSchema): string {
  const { properties, required = [] } = schema
  if (properties === undefined) return typeInWords(schema)
  const parts = Object.entries(properties).map(
    ([name, value]) =>
      `${name}${required.includes(name) ? "" : "?"}: ${"const" in value ? JSON.stringify(value.const) : inline(value)}`,
  )
  return `{${parts.join("; ")}}`
}

function typeWords(schema: JsonSchema): string {
  switch (schema.type) {
    case "string":
      return stringInWords(schema)
    case "integer":
      return wholeInWords(schema)
    case "number":
      return "number"
    case "boolean":
      return "true or false"
    case "null":
      return "null"
    case "array":
      return listInWords(schema)
    case "object": {
      const names = schema.propertyNames
      return names === undefined ? "object" : `object with names of your choice, each ${typeInWords(names)}`
    }
    default:
      return "any JSON value"
  }
}

/** The type and bounds of a value, in prose. */
export function typeInWords(schema: JsonSchema): string {
  if ("const" in schema) return `exactly ${exact(schema.const)}`
  if (schema.enum !== undefined) return `one of ${schema.enum.map(exact).join(", ")}`
  const forms = schema.oneOf ?? (schema.properties === undefined ? schema.anyOf : undefined)
  if (forms !== undefined) return forms.map(inline).join(", or ")
  return typeWords(schema)
}

/** The properties of an object at any depth; `roles[].value` is `value` of each item of `roles`. */
export function rows(schema: JsonSchema, prefix = ""): Row[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, value]) => {
    const field = `${prefix}${name}`
    return [{ field, type: typeInWords(value), required: required.includes(name) }, ...inside(value, field)]
  })
}

function inside(schema: JsonSchema, field: string): Row[] {
  if (schema.items !== undefined) return inside(schema.items, `${field}[]`)
  const value = schema.additionalProperties
  return typeof value !== "object" ? rows(schema, `${field}.`) : rows(value, `${field}.<name>.`)
}

/** Collects the named types in a schema, with their meanings, into `known`. */
export function typeNames(schema: unknown, known = new Map<string, string>()): Map<string, string> {
  if (typeof schema !== "object" || schema === null) return known
  const { type, title, description }: { type?: unknown; title?: unknown; description?: unknown } = schema
  if (type === "string" && typeof title === "string" && typeof description === "string") known.set(title, description)
  for (const inner of Object.values(schema)) typeNames(inner, known)
  return known
}

// A short form of the operations' schemas, for agents that pay for every byte. It is still JSON Schema, and accepts
// whatever the full schema accepts: patterns and conditions become prose, and repeated parts move to `$defs`.

/** The rules of every short schema, sent once. Over MCP this is all, because the tools fill in the ids. */
export const reading =
  "A property is required unless `optional` names it; no others are accepted. " +
  `{} (or a name alone) is a text of at most ${inDigits(limits.explanation)} characters; ` +
  "if the name ends in Id, a UUID."
const envelope = (operations: readonly Operation[]): string => {
  const [{ schemaVersion = 0 } = {}] = operations
  const ids = [...new Set(operations.map(({ delivery }) => delivery))]
  return `Each body also has schemaVersion: ${schemaVersion} and ${orOf(ids)}: a fresh UUID that you make.`
}

type Mutable = { -readonly [K in keyof JsonSchema]: JsonSchema[K] } & { optional?: readonly string[] }

/** Bounds that come from how numbers are stored, of no use to a reader. */
const isStorageBound = (bound: number): boolean => Math.abs(bound) >= Number.MAX_SAFE_INTEGER
/** Whether a list's limit is too large to matter. */
const isRoomy = (items: number): boolean => items >= limits.materials
const shortMembers = (properties: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, short(schema, name)]))

type ShortString = Pick<JsonSchema, "description" | "type" | "maxLength"> & { readonly format?: string }

function shortString({ format, description, title, maxLength }: JsonSchema, name: string): ShortString {
  if (title === "UUID") return /Ids?$/.test(name) ? {} : { format: "uuid" }
  if (description !== undefined && !/\bwithout NUL\b/.test(description)) return { description }
  if (typeof format === "string") return { format }
  return maxLength === limits.explanation ? {} : maxLength === undefined ? { type: "string" } : { maxLength }
}

/**
 * A part in one line, as an item of a list or an alternative: `{kind: 'record', versionId, explanation}`. A name alone
 * means the same as {}.
 */
function inWords(schema: JsonSchema, name = ""): string {
  const { type, title, properties, required = [], items, description } = schema
  if (schema.const !== undefined) return `'${schema.const}'`
  if (schema.enum !== undefined) return schema.enum.map((word) => `'${word}'`).join(" | ")
  const options = schema.oneOf ?? schema.anyOf
  if (options !== undefined) return options.map((option) => inWords(option) || "text").join(" | ")
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([member, inner]) => {
      const words = inWords(inner, member)
      return `${member}${required.includes(member) ? "" : "?"}${words === "" ? "" : `: ${words}`}`
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

/** A part of a schema, reduced to what a reader needs. @param name the property's name */
function short(schema: JsonSchema, name = ""): JsonSchema {
  if (schema.const !== undefined) return { const: schema.const }
  if (schema.enum !== undefined) return { enum: schema.enum }
  const { type, properties, items, oneOf, anyOf, additionalProperties, description } = schema
  if (type === "string") return shortString(schema, name)
  const result: Mutable = {}
  const options = oneOf ?? anyOf
  // A recursive value becomes "any JSON".
  if (schema.$ref !== undefined || options?.some(({ items: inner }) => inner?.$ref !== undefined))
    return { description: "any JSON" }
  // An object of which nothing is required has no condition that only a schema can state.
  const isLoose = properties !== undefined && name !== "" && (schema.required ?? []).length === 0
  if (options !== undefined || isLoose) return { description: inWords(schema) }
  if (type !== undefined && properties === undefined && items === undefined) result.type = type
  if (description !== undefined && type !== "object") result.description = description
  for (const bound of ["minimum", "maximum"] as const) {
    const value = schema[bound]
    if (value !== undefined && !isStorageBound(value)) result[bound] = value
  }
  if (items !== undefined)
    result.items = items.properties === undefined ? short(items, name) : { description: inWords(items) }
  if (schema.minItems) result.minItems = schema.minItems
  if (schema.maxItems !== undefined && !isRoomy(schema.maxItems)) result.maxItems = schema.maxItems
  if (properties !== undefined) {
    result.properties = shortMembers(properties)
    const optional = Object.keys(properties).filter((property) => !schema.required?.includes(property))
    if (optional.length > 0) result.optional = optional
  } else if (typeof additionalProperties === "object") {
    const [names, values] = [short(schema.propertyNames ?? {}), short(additionalProperties)]
    if (names.description !== undefined) result.propertyNames = names
    if (values.description !== "any JSON") result.additionalProperties = values
  }
  return result
}

/** The conditions between a body's properties, as sentences. */
function conditions({ requiredWhen, onlyWhen, atLeastOneOf }: Operation): string[] {
  const sentence = (conditionals: readonly Conditional[], words: string): string[] =>
    [...Map.groupBy(conditionals, ({ when }) => `${when.field} is ${orOf(when.in.map(String))}`)].map(
      ([when, each]) =>
        `${andOf(each.map(({ field }) => field))} ${each.length === 1 ? "is" : "are"} ${words} ${when}.`,
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

/** The shortest part, in characters, worth a definition of its own. */
const WORTH_A_NAME = 40

/** All properties of a schema at any depth, with their schemas as JSON. */
function* partsOf(value: unknown): Generator<readonly [name: string, part: string]> {
  if (!isObject(value)) return
  for (const [name, inner] of Object.entries(value)) {
    if (name === "properties" && isObject(inner))
      for (const [property, part] of Object.entries(inner)) yield [property, JSON.stringify(part)]
    if (name !== "examples") yield* partsOf(inner)
  }
}

/**
 * Moves repeated parts into `$defs`, under the name of a property that has them: the shortest first, so that longer
 * ones refer to it.
 */
function shared<S extends JsonSchema>(schema: S): S {
  const text = JSON.stringify(schema)
  const defined = isObject(schema.$defs) ? schema.$defs : {}
  const [repeated] = [...partsOf(schema)]
    .filter(
      ([name, part]) => part.length >= WORTH_A_NAME && !Object.hasOwn(defined, name) && text.split(part).length > 2,
    )
    .sort(([, one], [, other]) => one.length - other.length)
  if (repeated === undefined) return schema
  const [name, part] = repeated
  const without: S = JSON.parse(text.replaceAll(part, `{"$ref":"#/$defs/${name}"}`))
  return shared({ ...without, $defs: { ...(isObject(without.$defs) && without.$defs), [name]: JSON.parse(part) } })
}

function withNamedIds(value: unknown, name = "id"): unknown {
  if (typeof value === "string")
    return isUuid(value) ? `<${/Ids?$/.test(name) ? name.replace(/s$/, "") : "id"}>` : value
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

/** The short schema of one operation, or a list for several. */
function compactSchema(operations: readonly Operation[]): JsonSchema {
  const [one, ...others] = operations.map(shortOf)
  const $comment = `${envelope(operations)} ${reading}`
  return shared(others.length === 0 ? { $comment, ...one } : { $comment, operations: [one, ...others] })
}

/** A read as a schema: its path, its parameters with their bounds, and the forms of its answer. */
export function readSchema({
  name,
  summary,
  method,
  path,
  query,
  surface,
  permissions,
  cursor,
  formats,
}: Read): JsonSchema {
  const parameters = [...pathParameters(path), ...queryParameters(query.entries)]
  const needs = surface === "credential" || surface === "key" ? { needs: [surface, ...permissions] } : {}
  return {
    title: name,
    description: summary,
    [method.toLowerCase()]: path,
    ...needs,
    ...(cursor !== null && { cursor }),
    forms: ["json", "markdown", ...Object.keys(formats).filter((form) => form !== "markdown")],
    type: "object",
    properties: Object.fromEntries(
      parameters.map(({ name: parameter, schema, description }) => [
        parameter,
        { ...short(schema, parameter), ...(description !== undefined && { description }) },
      ]),
    ),
    required: parameters.flatMap(({ name: parameter, required }) => (required ? [parameter] : [])),
  }
}

const familyOf = (document: SchemaDocument): Family => (document === "library" ? "library" : "research")
const listed = (document: SchemaDocument): readonly Operation[] =>
  agentOperations.filter((operation) => operation.document === document)

/** @throws Refusal `unknown_operation` */
function mustFind(document: SchemaDocument, name: string): Operation {
  const found = agentOperations.find((operation) => operation.name === name)
  if (found?.document === document) return found
  throw new Refusal(
    "unknown_operation",
    found === undefined ? noSuchName(name) : `${name} is in the ${found.document} schema.`,
  )
}

/** The operations of a document, with the addresses of their schemas and examples. */
export const schemaIndex = (document: SchemaDocument, { baseUrl }: Place): SchemaIndex => ({
  schemaVersion: schemaVersions[familyOf(document)],
  operations: listed(document).map((operation) => {
    const url = schemaUrl(operation, baseUrl)
    return { name: operation.name, schemaUrl: url, exampleUrl: `${url}&example=1` }
  }),
})

/** Schemas asked for at a time. */
const MOST_NAMES = 20

/** The operations in a comma-separated list, from any document of their family. @throws Refusal */
function operationsIn(document: SchemaDocument, names: string): readonly Operation[] {
  const named = [...new Set(names.split(",").map((name) => name.trim()))]
  if (named.length > MOST_NAMES) throw wrongParameter("/operation", `holds at most ${MOST_NAMES} names`)
  return named.map(
    (name) =>
      agentOperationsOf(familyOf(document)).find((operation) => operation.name === name) ?? mustFind(document, name),
  )
}

/** The JSON Schema of an operation's body. @throws Refusal `unknown_operation` */
export const schemaOf = (document: SchemaDocument, name: string, { baseUrl }: Place): JsonSchema =>
  inputSchema(mustFind(document, name), baseUrl)

/** An example body of an operation. @throws Refusal `unknown_operation` */
export const example = (document: SchemaDocument, name: string): JsonSchema => mustFind(document, name).example

/** All operations of a document with their schemas and example bodies. */
export const bundle = (document: SchemaDocument, { baseUrl }: Place): SchemaBundle => ({
  schemaVersion: schemaVersions[familyOf(document)],
  operations: listed(document).map((operation) => ({
    name: operation.name,
    inputSchema: inputSchema(operation, baseUrl),
    exampleBody: operation.example,
  })),
})

/**
 * The answer of a schema route. @throws Refusal `unknown_operation`; `invalid_parameter` for parameters that cannot be
 * combined
 */
export function schemaAnswer(document: SchemaDocument, query: DiscoveryParameters<"research_schema">, place: Place) {
  const { operation } = query
  const names = operation?.split(",").map((name) => name.trim()) ?? []
  const described = names
    .map(namedRead)
    .filter((read) => read !== undefined)
    .slice(0, MOST_NAMES)
    .map(readSchema)
  const operations = names.filter((name) => namedRead(name) === undefined)
  if (described.length > 0) {
    if (query.example !== undefined) throw wrongParameter("/example", "is of operations, and this is a read")
    if (operations.length > 0)
      return { reads: described, ...compactSchema(operationsIn(document, operations.join(","))) }
    return described.length > 1 ? { reads: described } : present(described[0])
  }
  if (query.compact !== undefined) {
    if (query.bundle !== undefined || query.example !== undefined)
      throw wrongParameter("/compact", "can be combined only with operation")
    if (operation === undefined) throw wrongParameter("/operation", "is required with compact")
    return compactSchema(operationsIn(document, operation))
  }
  if (query.bundle !== undefined) {
    if (operation === undefined && query.example === undefined) return bundle(document, place)
    throw wrongParameter("/bundle", "cannot be combined: it holds every schema and every example")
  }
  if (operation !== undefined)
    return query.example === undefined ? schemaOf(document, operation, place) : example(document, operation)
  if (query.example !== undefined) throw wrongParameter("/operation", "is required with example")
  return schemaIndex(document, place)
}
