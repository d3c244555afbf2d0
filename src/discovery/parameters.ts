/** The parameters of paths and queries, as OpenAPI describes them. */
import * as v from "valibot"
import { digest } from "../contract/definitions/work.ts"
import { arxivId, key, plain, username, uuid } from "../contract/schema/fields.ts"
import { type JsonSchema, jsonSchemaOf } from "../contract/definitions/json-schema.ts"
import { aOrAn, objectList } from "../contract/objects/objects.ts"
import { pathNames } from "../contract/definitions/operation.ts"

/** The path parameters that are not UUIDs. */
const pathFields: Readonly<Record<string, v.GenericSchema>> = { key, token: plain(200), arxivId, username, digest }

/** A parameter as OpenAPI describes it. */
export interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
  readonly style?: string
  readonly explode?: boolean
}

/**
 * Describes which object an id belongs to. A versionId may be of any kind of record, a linkId of either kind of link.
 */
function idOf(name: string): { description: string } | Record<string, never> {
  const [first, ...others] = objectList.filter(({ id }) => id === name)
  if (first === undefined) return {}
  const noun = others.length === 0 ? first.noun[0] : name === "versionId" ? "record" : name.replace(/Id$/, "")
  return { description: `The id of ${aOrAn(noun)}.` }
}

const pathParameter = (name: string): Parameter => ({
  name,
  in: "path",
  required: true,
  ...idOf(name),
  schema: jsonSchemaOf(pathFields[name] ?? uuid),
})

export const pathParameters = (path: string): Parameter[] => pathNames(path).map(pathParameter)

/** The schema that describes a query parameter: the one its definition gives, or else that of its text. */
function parameterSchema(schema: v.GenericSchema): JsonSchema {
  const { parameter } = v.getMetadata(schema) as { parameter?: JsonSchema }
  return parameter ?? jsonSchemaOf(schema)
}

type Entry = v.ObjectEntries[string]
const isOptional = (entry: Entry): entry is v.ExactOptionalSchema<v.GenericSchema, undefined> =>
  entry.type === "exact_optional"

function queryParameter(name: string, entry: Entry): Parameter {
  const optional = isOptional(entry)
  const { description, ...schema } = parameterSchema(optional ? entry.wrapped : entry)
  return {
    name,
    in: "query",
    required: !optional,
    ...(typeof description === "string" ? { description } : {}),
    // A list is sent as one value, separated by commas.
    ...(schema.type === "array" ? { style: "form", explode: false } : {}),
    schema,
  }
}

export const queryParameters = (entries: v.ObjectEntries): Parameter[] =>
  Object.entries(entries).map(([name, entry]) => queryParameter(name, entry))
