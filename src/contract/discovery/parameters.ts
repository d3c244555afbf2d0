/** The parameters of paths and queries as OpenAPI describes them. */
import * as v from "valibot"
import { arxivId, key, plain, username, uuid } from "../fields.ts"
import { type JsonSchema, jsonSchemaOf } from "../json-schema.ts"
import { pathNames } from "../operation.ts"

/** What stands in a path and is no id. */
const pathFields: Readonly<Record<string, v.GenericSchema>> = { key, token: plain(200), arxivId, username }

const pathParameter = (name: string): JsonSchema => ({
  name,
  in: "path",
  required: true,
  schema: jsonSchemaOf(pathFields[name] ?? uuid),
})

/** The names in a path pattern, each with what may stand there. */
export const pathParameters = (path: string): JsonSchema[] => pathNames(path).map(pathParameter)

/** What a query parameter means where its definition says so, or else the text it is. */
function parameterSchema(schema: v.GenericSchema): JsonSchema {
  const { parameter } = v.getMetadata(schema) as { parameter?: JsonSchema }
  return parameter ?? jsonSchemaOf(schema)
}

function queryParameter(name: string, entry: v.GenericSchema): JsonSchema {
  const optional = entry.type === "exact_optional"
  const { description, ...schema } = parameterSchema(optional ? (entry as unknown as { wrapped: v.GenericSchema }).wrapped : entry)
  return {
    name,
    in: "query",
    required: !optional,
    ...(typeof description === "string" ? { description } : {}),
    // A list is written with commas between its words.
    ...(schema.type === "array" ? { style: "form", explode: false } : {}),
    schema,
  }
}

/** The parameters of a query. */
export const queryParameters = (entries: v.ObjectEntries): JsonSchema[] =>
  Object.entries(entries).map(([name, entry]) => queryParameter(name, entry as v.GenericSchema))
