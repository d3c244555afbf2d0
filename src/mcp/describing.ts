/** What operations and reads take, for an agent that wants to call one. */
import { agentOperations } from "../discovery/manifest.ts"
import { pathParameters, queryParameters } from "../discovery/parameters.ts"
import { schemaUrl } from "../contract/definitions/json-schema.ts"
import { type Operation, pathNames } from "../contract/definitions/operation.ts"
import type { Read } from "../contract/definitions/read.ts"
import { readable, readNamed } from "./asking.ts"
import type { ServiceCaller } from "./door.ts"
import { type ToolAnswer, toolAnswer, toolError } from "./tool-answer.ts"

const everything = (): string =>
  [
    "# Operations (for write and rehearse)",
    ...agentOperations.map(({ name, permissions, summary }) => `- ${name} (${permissions.join(" and ")}): ${summary}`),
    "\n# Reads (for read)",
    ...readable.map(({ name, summary }) => `- ${name}: ${summary}`),
  ].join("\n")

const ofRead = ({ name, summary, path, query }: Read): string =>
  JSON.stringify({
    read: name,
    summary,
    path,
    parameters: [...pathParameters(path), ...queryParameters(query.entries)].map(
      ({ style: _, explode: __, in: ___, ...parameter }) => parameter,
    ),
  })

/** The schema and the example as the service that is asked has them. */
async function ofOperation(door: ServiceCaller, operation: Operation, signal: AbortSignal): Promise<ToolAnswer> {
  const path = schemaUrl(operation, "")
  const [schema, example] = await Promise.all(
    [`${path}&compact=1`, `${path}&example=1`].map((each) => door.ask({ method: "GET", path: each, asBearer: false }, signal)),
  )
  if (schema === undefined || example === undefined || schema.status >= 400) return toolAnswer(schema ?? { status: 500, text: "" }, "")
  const inPath = pathNames(operation.path).filter((id) => !Object.hasOwn(operation.body.entries, id))
  const head = { operation: operation.name, summary: operation.summary, permissions: operation.permissions }
  const beside = inPath.length === 0 ? "" : `,"idsBesideTheBody":${JSON.stringify(inPath)}`
  return { text: `${JSON.stringify(head).slice(0, -1)}${beside},"example":${example.text},"schema":${schema.text}}`, isError: false }
}

/** One operation or read by its name; without one, a list of all. */
export async function schemaTold(door: ServiceCaller, name: unknown, signal: AbortSignal): Promise<ToolAnswer> {
  if (name === undefined) return { text: everything(), isError: false }
  const operation = agentOperations.find((known) => known.name === name)
  if (operation !== undefined) return ofOperation(door, operation, signal)
  const read = readNamed(name)
  return read === undefined
    ? toolError("No operation or read has this name; schema without a name lists them.")
    : { text: ofRead(read), isError: false }
}
