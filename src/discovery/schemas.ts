/** The schema documents: which operations stand in each, their JSON Schemas, and their example bodies. */
import { compactSchema } from "./compact-schema.ts"
import { inputSchema, type JsonSchema, schemaUrl } from "../contract/definitions/json-schema.ts"
import type { Operation, SchemaDocument } from "../contract/definitions/operation.ts"
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { schemaVersions } from "../contract/versions.ts"
import type { SchemaBundle, SchemaIndex } from "./answers.ts"
import { agentOperations, agentOperationsOf } from "./manifest.ts"

export type { SchemaDocument }

/** Operations that a compact answer may tell of. */
const MOST = limits.batchWrites

interface Place {
  readonly baseUrl: string
}

const versionOf = (document: SchemaDocument): number => schemaVersions[document === "library" ? "library" : "research"]
const listed = (document: SchemaDocument): readonly Operation[] => agentOperations.filter((operation) => operation.document === document)

/** @throws Refusal `unknown_operation` */
function mustFind(document: SchemaDocument, name: string): Operation {
  const found = listed(document).find((operation) => operation.name === name)
  if (found !== undefined) return found
  const elsewhere = agentOperations.find((operation) => operation.name === name)
  throw new Refusal(
    "unknown_operation",
    elsewhere === undefined
      ? "No operation has this name; without operation the answer lists those there are."
      : `${name} stands in the ${elsewhere.document} schema.`,
  )
}

/** The operations of a document, with where their schemas and examples are. */
export const schemaIndex = (document: SchemaDocument, { baseUrl }: Place): SchemaIndex => ({
  schemaVersion: versionOf(document),
  operations: listed(document).map((operation) => {
    const url = schemaUrl(operation, baseUrl)
    return { name: operation.name, schemaUrl: url, exampleUrl: `${url}&example=1` }
  }),
})

/** The operations of a list with commas between them, of either document of their family. @throws Refusal */
function operationsIn(document: SchemaDocument, names: string): readonly Operation[] {
  const named = [...new Set(names.split(",").map((name) => name.trim()))]
  if (named.length > MOST) throw apart("/operation", `holds at most ${MOST} names`)
  const family = document === "library" ? "library" : "research"
  return named.map((name) => agentOperationsOf(family).find((operation) => operation.name === name) ?? mustFind(document, name))
}

/** The JSON Schema of one operation's body. @throws Refusal `unknown_operation` */
export const schemaOf = (document: SchemaDocument, name: string, { baseUrl }: Place): JsonSchema =>
  inputSchema(mustFind(document, name), baseUrl)

/** A body that one operation takes. @throws Refusal `unknown_operation` */
export const example = (document: SchemaDocument, name: string): JsonSchema => mustFind(document, name).example

/** Every operation of a document with its schema and its example body. */
export const bundle = (document: SchemaDocument, { baseUrl }: Place): SchemaBundle => ({
  schemaVersion: versionOf(document),
  operations: listed(document).map((operation) => ({
    name: operation.name,
    inputSchema: inputSchema(operation, baseUrl),
    exampleBody: operation.example,
  })),
})

export interface SchemaQuery {
  readonly operation?: string
  readonly example?: "1"
  readonly bundle?: "1"
  readonly compact?: "1"
}

/**
 * What a schema route answers to its checked parameters.
 * @throws Refusal `unknown_operation`; `invalid_parameter` when the parameters do not go together
 */
export function schemaAnswer(document: SchemaDocument, query: SchemaQuery, place: Place): SchemaIndex | SchemaBundle | JsonSchema {
  const { operation } = query
  if (query.compact !== undefined) {
    if (query.bundle !== undefined || query.example !== undefined) throw apart("/compact", "goes with operation alone")
    if (operation === undefined) throw apart("/operation", "is required with compact")
    return compactSchema(operationsIn(document, operation))
  }
  if (query.bundle !== undefined) {
    if (operation === undefined && query.example === undefined) return bundle(document, place)
    throw apart("/bundle", "stands alone: it holds every schema and every example")
  }
  if (operation !== undefined) return query.example === undefined ? schemaOf(document, operation, place) : example(document, operation)
  if (query.example !== undefined) throw apart("/operation", "is required with example")
  return schemaIndex(document, place)
}

const apart = (path: string, message: string) =>
  new Refusal("invalid_parameter", `${path.slice(1)} ${message}.`, { issues: [{ path, message }] })
