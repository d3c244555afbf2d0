/** The input of tools as JSON Schema, from the definitions of what they call. The service checks it: here it is only described. */
import { pathParameters, queryParameters } from "../discovery/parameters.ts"
import type { JsonObject } from "../contract/json.ts"
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import type { Read } from "../contract/definitions/read.ts"

export type InputSchema = {
  readonly type: "object"
  readonly properties: JsonObject
  readonly required?: string[]
  readonly additionalProperties: false
}

/** Words that a list may hold before it is described without them: a wrong one is refused with the right ones. */
const MOST_WORDS = 16

/** What a model needs of a schema; patterns are for programs. */
function brief(schema: JsonSchema): JsonObject {
  const { type, format, enum: words, items, minimum, maximum, maxLength } = schema
  const said: JsonObject = {}
  if (type !== undefined) said.type = type
  if (typeof format === "string") said.format = format
  if (words !== undefined && words.length <= MOST_WORDS) said.enum = [...words]
  if (items !== undefined) said.items = brief(items)
  for (const [name, bound] of Object.entries({ minimum, maximum, maxLength })) if (bound !== undefined) said[name] = bound
  return said
}

export const object = (properties: JsonObject, required: readonly string[] = []): InputSchema => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required: [...required] }),
  additionalProperties: false,
})

/** What some reads take, of which one is asked: the ids of their paths and their queries, but for the form of the answer. */
export function inputOf(reads: readonly Read[]): InputSchema {
  const taken = reads.map((read) => [...pathParameters(read.path), ...queryParameters(read.query.entries)])
  const parameters = taken.flat().filter(({ name }) => name !== "format")
  const needed = parameters.filter(({ name }) => taken.every((each) => each.some((other) => other.name === name && other.required)))
  return object(Object.fromEntries(parameters.map(({ name, schema }) => [name, brief(schema)])), [
    ...new Set(needed.map(({ name }) => name)),
  ])
}
