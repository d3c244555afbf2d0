/** Describes the input of operations and reads, for agents that call them through tools. */
import { reading } from "../discovery/schemas.ts"
import { agentOperations, agentOperationsOf } from "../discovery/manifest.ts"
import { pathOf } from "../discovery/markdown.ts"
import { pathParameters, queryParameters } from "../discovery/parameters.ts"
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import { pathNames } from "../contract/definitions/operation.ts"
import type { Read } from "../contract/definitions/read.ts"
import { isJsonObject, trusted } from "../contract/json.ts"
import { readable, readNamed } from "./asking.ts"
import type { ServiceCaller } from "./door.ts"
import { type ToolAnswer, toolAnswer, toolError } from "./tool-answer.ts"

/** The name that lists the reads. */
const READS = "reads"
/** The first sentence of a summary, or its text up to the first colon. */
const gist = (summary: string): string => /^.*?(?=[.:;](?:\s|$)|$)/.exec(summary)?.[0] ?? summary

const operationList = (door: ServiceCaller): string =>
  [
    "Operations, for write and rehearse:",
    ...agentOperationsOf(door.bearer === "key" ? "library" : "research").map(
      ({ name, permissions, summary }) => `- ${name} (${permissions.join(" and ")}): ${gist(summary)}`,
    ),
    `The reads, for read: schema with name ${READS}.`,
  ].join("\n")

const readList = (): string => readable.map(({ name, summary }) => `- ${name}: ${gist(summary)}`).join("\n")

const ofRead = ({ name, summary, path, query }: Read): string =>
  JSON.stringify({
    read: name,
    summary,
    parameters: [...pathParameters(path), ...queryParameters(query.entries)].map(
      ({ style: _, explode: __, in: ___, ...parameter }) => parameter,
    ),
  })

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
  if (name === READS) return { text: readList(), isError: false }
  const names = (Array.isArray(name) ? name : String(name).split(",")).map((each) => String(each).trim())
  if (names.length > 0 && names.every((each) => agentOperations.some((known) => known.name === each)))
    return ofOperations(door, names, signal)
  const read = readNamed(names[0])
  return read === undefined || names.length > 1
    ? toolError(
        `No operation or read has this name; schema without a name lists the operations, schema ${READS} the reads.`,
      )
    : { text: ofRead(read), isError: false }
}
