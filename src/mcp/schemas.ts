/** JSON Schemas for the tools' input, from the definitions of reads. They only describe it: the service validates it. */
import { pathParameters, queryParameters } from "../discovery/parameters.ts"
import type { JsonObject } from "../contract/json.ts"
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import type { Read } from "../contract/definitions/read.ts"

export type InputSchema = {
  readonly type: "object"
  readonly properties: JsonObject
  readonly required?: string[]
}

/** The parts of a parameter's schema that a model needs. Bounds and patterns are left out: the service's refusal names the valid values. */
function brief({ type, items }: JsonSchema): JsonObject {
  const schema: JsonObject = type === undefined ? {} : { type }
  return items === undefined ? schema : { ...schema, items: brief(items) }
}

export const object = (properties: JsonObject, required: readonly string[] = []): InputSchema => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required: [...required] }),
})

/**
 * The input of a tool that uses one of several reads. The tool also takes the reads' other parameters.
 * @param described the parameters to describe
 * @param filledIn the parameters that get a value if left out
 */
export function inputOf(reads: readonly Read[], described: readonly string[], filledIn: readonly string[]): InputSchema {
  const taken = reads.map((read) => [...pathParameters(read.path), ...queryParameters(read.query.entries)])
  const parameters = new Map(taken.flat().map((parameter) => [parameter.name, parameter]))
  const isNeeded = (name: string) =>
    !filledIn.includes(name) && taken.every((each) => each.some((other) => other.name === name && other.required))
  return object(
    Object.fromEntries(
      described.map((name) => {
        const parameter = parameters.get(name)
        if (parameter === undefined) throw new Error(`no read of ${reads.map((read) => read.name).join(", ")} takes ${name}`)
        return [name, brief(parameter.schema)]
      }),
    ),
    described.filter(isNeeded),
  )
}
