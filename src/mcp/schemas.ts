/** The input of tools as JSON Schema, from the definitions of what they call. The service checks it: here it is only described. */
import { pathParameters, queryParameters } from "../discovery/parameters.ts"
import type { JsonObject } from "../contract/json.ts"
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import type { Read } from "../contract/definitions/read.ts"

export type InputSchema = {
  readonly type: "object"
  readonly properties: JsonObject
  readonly required?: string[]
}

/** What a model needs of a parameter; bounds and patterns are for programs, and a wrong word is refused with the right ones. */
function brief({ type, items }: JsonSchema): JsonObject {
  const said: JsonObject = type === undefined ? {} : { type }
  return items === undefined ? said : { ...said, items: brief(items) }
}

export const object = (properties: JsonObject, required: readonly string[] = []): InputSchema => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required: [...required] }),
})

/**
 * What some reads take, of which one is asked. They take what else the reads take, too.
 * @param told the parameters that are told
 * @param given those that are filled in where they are left out
 */
export function inputOf(reads: readonly Read[], told: readonly string[], given: readonly string[]): InputSchema {
  const taken = reads.map((read) => [...pathParameters(read.path), ...queryParameters(read.query.entries)])
  const parameters = new Map(taken.flat().map((parameter) => [parameter.name, parameter]))
  const isNeeded = (name: string) =>
    !given.includes(name) && taken.every((each) => each.some((other) => other.name === name && other.required))
  return object(
    Object.fromEntries(
      told.map((name) => {
        const parameter = parameters.get(name)
        if (parameter === undefined) throw new Error(`no read of ${reads.map((read) => read.name).join(", ")} takes ${name}`)
        return [name, brief(parameter.schema)]
      }),
    ),
    told.filter(isNeeded),
  )
}
