/**
 * What a tool is: the arguments of a call, and JSON Schemas of its input. These only describe it: the service validates
 * it.
 */
import type { Input } from "../contract/definitions/requests.ts"
import type { Bearer, ServiceCaller } from "./door.ts"
import type { ToolAnswer } from "./tool-answer.ts"
import type { Sender } from "./writing.ts"
import { pathParameters, queryParameters } from "../discovery/parameters.ts"
import type { JsonObject } from "../contract/json.ts"
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import type { Read } from "../contract/definitions/read.ts"

export interface Call {
  readonly door: ServiceCaller
  readonly input: Input
  readonly signal: AbortSignal
  /** The calling program, if it named itself. */
  readonly sender: Sender | undefined
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: InputSchema
  readonly isRead: boolean
  /** The kinds of bearer that have this tool; all if left out. */
  readonly for?: readonly Bearer[]
  /** True: only where the agent's files can be read. False: only where they cannot. */
  readonly needsFiles?: boolean
  call(call: Call): Promise<ToolAnswer>
}

export type InputSchema = {
  readonly type: "object"
  readonly properties: JsonObject
  readonly required?: string[]
}

/**
 * The parts of a parameter's schema that a model needs. Bounds and patterns are left out: the service's refusal names
 * the valid values.
 */
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
export function inputOf(
  reads: readonly Read[],
  described: readonly string[],
  filledIn: readonly string[],
): InputSchema {
  const taken = reads.map((read) => [...pathParameters(read.path), ...queryParameters(read.query.entries)])
  const parameters = new Map(taken.flat().map((parameter) => [parameter.name, parameter]))
  const isNeeded = (name: string) =>
    !filledIn.includes(name) && taken.every((each) => each.some((other) => other.name === name && other.required))
  return object(
    Object.fromEntries(
      described.map((name) => {
        const parameter = parameters.get(name)
        if (parameter === undefined)
          throw new Error(`no read of ${reads.map((read) => read.name).join(", ")} takes ${name}`)
        return [name, brief(parameter.schema)]
      }),
    ),
    described.filter(isNeeded),
  )
}
