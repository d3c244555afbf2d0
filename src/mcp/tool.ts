/**
 * What a tool is: the arguments of a call, and JSON Schemas of its input. These only describe it: the service validates
 * it.
 */
import { reading, readSchema } from "../discovery/schemas.ts"
import { agentOperationsOf } from "../discovery/manifest.ts"
import { pathOf } from "../discovery/markdown.ts"
import { gist, indexOf, namedOperation, noSuchName } from "../discovery/named.ts"
import { pathParameters, queryParameters } from "../discovery/openapi-parts.ts"
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import { pathNames } from "../contract/definitions/operation.ts"
import type { Read } from "../contract/definitions/read.ts"
import { isJsonObject, trusted, type JsonObject } from "../contract/json.ts"
import { readable, readNamed, type Sender } from "./calling.ts"
import type { ServiceCaller, Bearer } from "./door.ts"
import { type ToolAnswer, toolAnswer, toolError } from "./tool-answer.ts"
import type { Input } from "../contract/definitions/requests.ts"

// Describes the input of operations and reads, for agents that call them through tools.

/** The name that lists the reads. */
const READS = "reads"
const operationList = (door: ServiceCaller): string =>
  [
    "Operations, for write and rehearse:",
    ...agentOperationsOf(door.bearer === "key" ? "library" : "research").map(
      ({ name, permissions, summary }) => `- ${name} (${permissions.join(" and ")}): ${gist(summary)}`,
    ),
    `The reads, for read: schema with name ${READS}.`,
  ].join("\n")

/** The reads that it may use and a tool can answer. */
const readList = ({ bearer }: ServiceCaller): string =>
  indexOf(readable.filter(({ surface }) => surface !== "discovery" && (bearer === "key" || surface !== "key")))

/** Converts a short schema to the tools' input: adds the ids of the path. */
function asInput({ post, $comment: _, properties = {}, ...schema }: JsonSchema): JsonSchema {
  const ids = typeof post === "string" ? pathNames(post).filter((id) => !Object.hasOwn(properties, id)) : []
  return { ...schema, properties: { ...Object.fromEntries(ids.map((id) => [id, {}])), ...properties } }
}

/** The schemas of some operations, as the service has them. */
async function ofOperations(door: ServiceCaller, names: readonly string[], signal: AbortSignal): Promise<ToolAnswer> {
  const isLibrary = agentOperationsOf("library").some(({ name }) => name === names[0])
  const path = `${pathOf(isLibrary ? "library_schema" : "research_schema")}?compact=1&operation=${names.join(",")}`
  const reply = await door.ask({ method: "GET", path, asBearer: false }, signal)
  if (reply.status >= 400) return toolAnswer(reply, { bytes: 0, rest: "" })
  const schema = trusted<JsonSchema>(reply.text)
  const { operations } = schema
  const short = Array.isArray(operations)
    ? {
        operations: operations.map((each: unknown) => (isJsonObject(each) ? asInput(each) : each)),
        $defs: schema.$defs,
      }
    : asInput(schema)
  return { text: JSON.stringify({ $comment: reading, ...short }), isError: false }
}

/**
 * The schemas of operations, or the parameters of a read; without a name, the list of operations. @param name separated
 * by commas if several
 */
export async function describe(door: ServiceCaller, name: unknown, signal: AbortSignal): Promise<ToolAnswer> {
  if (name === undefined) return { text: operationList(door), isError: false }
  if (name === READS) return { text: readList(door), isError: false }
  const names = (Array.isArray(name) ? name : String(name).split(",")).map((each) => String(each).trim())
  const wrong = names.find((each) => readNamed(each) === undefined && namedOperation(each) === undefined)
  if (wrong !== undefined) return toolError(noSuchName(wrong))
  const reads = names.map(readNamed).filter((read) => read !== undefined)
  const operations = names.filter((each) => readNamed(each) === undefined)
  const described = operations.length > 0 ? await ofOperations(door, operations, signal) : { text: "", isError: false }
  if (described.isError) return described
  return { text: [...reads.map(ofRead), described.text].filter((text) => text !== "").join("\n"), isError: false }
}

/** A read by name, without its path, which a tool fills in. */
function ofRead(read: Read): string {
  const { get: _get, post: _post, ...schema } = readSchema(read)
  return JSON.stringify(schema)
}

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

type InputSchema = {
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
