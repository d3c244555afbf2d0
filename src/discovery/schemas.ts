/** The schema documents: the JSON Schemas and example bodies of operations. */
import { compactSchema } from "./compact-schema.ts"
import { inputSchema, type JsonSchema, schemaUrl } from "../contract/definitions/json-schema.ts"
import type { Operation, SchemaDocument } from "../contract/definitions/operation.ts"
import { limits } from "../contract/limits.ts"
import { Refusal, wrongParameter } from "../contract/refusals/refusal.ts"
import { type Family, schemaVersions } from "../contract/versions.ts"
import type { SchemaBundle, SchemaIndex } from "./answers.ts"
import type { Place } from "./facts.ts"
import { agentOperations, agentOperationsOf } from "./manifest.ts"
import type { DiscoveryParameters } from "./routes.ts"

const familyOf = (document: SchemaDocument): Family => (document === "library" ? "library" : "research")
const listed = (document: SchemaDocument): readonly Operation[] =>
  agentOperations.filter((operation) => operation.document === document)

/** @throws Refusal `unknown_operation` */
function mustFind(document: SchemaDocument, name: string): Operation {
  const found = agentOperations.find((operation) => operation.name === name)
  if (found?.document === document) return found
  throw new Refusal(
    "unknown_operation",
    found === undefined
      ? "No operation has this name; without operation the answer lists all of them."
      : `${name} is in the ${found.document} schema.`,
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

/** The operations in a comma-separated list, from any document of their family. @throws Refusal */
function operationsIn(document: SchemaDocument, names: string): readonly Operation[] {
  const named = [...new Set(names.split(",").map((name) => name.trim()))]
  if (named.length > limits.batchWrites) throw wrongParameter("/operation", `holds at most ${limits.batchWrites} names`)
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
