/**
 * What a tool is: how it calls the service, the arguments of a call, and JSON Schemas of its input. These only describe
 * it: the service validates it.
 */
import { reading, readSchema } from "../discovery/schemas.ts"
import { agentOperationsOf, agentReads, agentOperations } from "../discovery/manifest.ts"
import { pathOf } from "../discovery/markdown.ts"
import { gist, indexOf, namedOperation, noSuchName } from "../discovery/named.ts"
import { pathParameters, queryParameters } from "../discovery/openapi-parts.ts"
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import { pathNames, type Operation } from "../contract/definitions/operation.ts"
import { type Read, isForBearer, isStreamed } from "../contract/definitions/read.ts"
import { isJsonObject, trusted, type JsonObject, extendJson } from "../contract/json.ts"
import {
  type ServiceCaller,
  type Bearer,
  NoAnswer,
  type ToolAnswer,
  toolAnswer,
  toolError,
  isTooLong,
  type Space,
} from "./tool-answer.ts"
import { type Input, readRequest, delivery, withIdsApart } from "../contract/definitions/requests.ts"
import { documents } from "../documents/index.ts"
import { SUFFIX } from "../edge/answers/as-markdown.ts"
import { limits } from "../contract/limits.ts"
import { inDigits } from "../contract/text.ts"
import { batch } from "../contract/operations/batch.ts"
import { unquoted } from "../contract/schema/validation.ts"

// Calls of the service's own routes: reads, by name or by an address from an earlier answer, and an agent's writes.

/** The reads that programs may use and that answer text. */
export const readable: readonly Read[] = agentReads.filter(({ mediaType }) => !isStreamed(mediaType))
const byName = new Map(readable.map((read) => [read.name, read]))
export const readNamed = (name: unknown): Read | undefined => (typeof name === "string" ? byName.get(name) : undefined)

/** A path pattern as a regular expression. An old-style arXiv id contains a slash. */
const expressionOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.]/g, "\\.")
      .replace(/\{(\w+)\}/g, (_, name) => (name === "arxivId" ? "[^?#]+" : "[^/?#]+"))}$`,
  )
const addresses = readable.map((read) => ({ read, expression: expressionOf(read.path) }))
const withoutSuffix = (path: string): string => (path.endsWith(SUFFIX) ? path.slice(0, -SUFFIX.length) : path)
const pages = Object.keys(documents).map(expressionOf)

/** The options of a read, apart from its parameters. */
export interface ReadOptions {
  readonly signal: AbortSignal
  /** The most bytes that the answer may have. */
  readonly bytes: number
}

/** The size of an answer, and how an agent gets the rest of it. */
function spaceOf({ name, path, query }: Read, bytes: number): Space {
  const parts = "parts" in query.entries ? ", with parts to choose from" : ""
  const rest =
    bytes < limits.toolAnswerMost
      ? `For more ask read ${name} with bytes up to ${inDigits(limits.toolAnswerMost)}${parts}.`
      : `Ask for less${parts}, or fetch ${path} over HTTP.`
  return { bytes, rest }
}

/**
 * The number of items that fit, estimated from their average size; undefined if the text is no page or has only one
 * item.
 */
function itemsThatFit(text: string, bytes: number): number | undefined {
  const { items }: { items?: unknown } = JSON.parse(text)
  if (!Array.isArray(items) || items.length < 2) return undefined
  return Math.max(1, Math.floor((items.length * bytes * 0.9) / Buffer.byteLength(text)))
}

async function askPage(
  door: ServiceCaller,
  read: Read,
  { path, body }: { readonly path: string; readonly body?: string },
  { signal, bytes }: ReadOptions,
): Promise<ToolAnswer> {
  const ask = (at: string) => {
    const asBearer = isForBearer(read, new URLSearchParams(at.split("?", 2)[1]).has("exclude"))
    return door.ask({ method: read.method, path: at, asBearer, ...(body !== undefined && { body }) }, signal)
  }
  const space = spaceOf(read, bytes)
  const reply = await ask(path)
  const isPage = "limit" in read.query.entries && reply.text.startsWith("{") && isTooLong(reply, space)
  const fit = isPage ? itemsThatFit(reply.text, bytes - 200) : undefined
  if (fit === undefined) return toolAnswer(reply, space)
  const [pathname = "", query] = path.split("?", 2)
  const parameters = new URLSearchParams(query)
  parameters.set("limit", String(fit))
  const shorter = await ask(`${pathname}?${parameters}`)
  if (shorter.status >= 400 || isTooLong(shorter, { ...space, bytes: bytes - 200 })) return toolAnswer(reply, space)
  const cut = `A page of ${fit} items, so that it fits. links.next is the next page. ${space.rest}`
  return { text: extendJson(shorter.text, { cut }), isError: false }
}

/** Sends a read. Input that is no id of its path becomes its query, which the service validates. */
export async function askRead(
  door: ServiceCaller,
  read: Read,
  input: Input,
  options: ReadOptions,
): Promise<ToolAnswer> {
  let request: ReturnType<typeof readRequest>
  try {
    request = readRequest(read, input)
  } catch (error) {
    if (error instanceof TypeError) return toolError(`${error.message}.`)
    throw error
  }
  return askPage(door, read, request, options)
}

/**
 * Reads a page as Markdown. @param path the page's path, with or without `.md`, and its query @returns undefined if
 * there is no such page
 */
export async function askDocument(
  door: ServiceCaller,
  path: string,
  { signal, bytes }: ReadOptions,
): Promise<ToolAnswer | undefined> {
  const [pathname = "", query] = path.split("?", 2)
  const page = withoutSuffix(pathname)
  if (!pages.some((expression) => expression.test(page))) return undefined
  const address = `${page}${SUFFIX}${query === undefined ? "" : `?${query}`}`
  const { status, text } = await door.ask({ method: "GET", path: address, asBearer: false }, signal)
  const rest = `For more ask again with bytes up to ${inDigits(limits.toolAnswerMost)}.`
  return status >= 400 ? { text, isError: true } : toolAnswer({ status, text }, { bytes, rest })
}

/** The path below the base URL, from an address or path in an answer; undefined for an address outside the service. */
export function pathBelow({ baseUrl }: ServiceCaller, address: string): string | undefined {
  const base = new URL(`${baseUrl}/`)
  if (!URL.canParse(address, base)) return undefined
  const { origin, pathname, search } = new URL(address, base)
  const root = base.pathname.slice(0, -1)
  if (origin !== base.origin || !`${pathname}/`.startsWith(`${root}/`)) return undefined
  return `${pathname.slice(root.length)}${search}`
}

/** Reads an address: a read, or a page as Markdown. */
export async function askAddress(door: ServiceCaller, address: string, options: ReadOptions): Promise<ToolAnswer> {
  const path = pathBelow(door, address)
  const nothing = toolError(`Tools can read nothing at ${address.slice(0, 200)}.`)
  if (path === undefined) return nothing
  const [pathname = ""] = path.split("?", 1)
  const read = addresses.find(({ expression }) => expression.test(withoutSuffix(pathname)))?.read
  return read === undefined
    ? ((await askDocument(door, path, options)) ?? nothing)
    : askPage(door, read, { path }, options)
}

/** The calling program, as it named itself. */
interface Sender {
  readonly name: string
  readonly version: string
}

interface Sending {
  readonly rehearse: boolean
  readonly sender: Sender | undefined
  readonly signal: AbortSignal
}

function clientBlock(sender: Sender | undefined): Input | undefined {
  if (sender === undefined) return undefined
  const fields = Object.entries({ name: sender.name, version: sender.version }).map(([member, text]) => [
    member,
    [...text].slice(0, limits.clientField).join("").trim(),
  ])
  const kept = fields.filter(([, text]) => text !== "")
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/**
 * Sends a write, a batch, or a rehearsal. The service validates it. If no response arrives, the answer names the ids to
 * send again.
 */
export async function send(door: ServiceCaller, input: Input, sending: Sending): Promise<ToolAnswer> {
  try {
    return await ("writes" in input ? sendBatch(door, input, sending) : sendOne(door, input, sending))
  } catch (error) {
    if (error instanceof TypeError) return toolError(`${error.message}.`)
    throw error
  }
}

/** @throws TypeError for an operation or input that cannot be sent */
function operationOf({ operation: name, input: given }: Input): {
  readonly operation: Operation
  readonly input: Input
} {
  const operation = agentOperations.find((known) => known.name === name)
  if (operation === undefined) throw new TypeError("There is no such operation; schema without a name lists them")
  const input = unquoted(given)
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw new TypeError("input must be an object: the operation's body and the ids of its path")
  return { operation, input: { ...input } }
}

/** The query of a write: receipts are small unless requested whole. */
const queryOf = ({ receipt }: Input, rehearse: boolean): string =>
  `?${[...(rehearse ? ["rehearse=1"] : []), `receipt=${receipt === "whole" ? "whole" : "small"}`].join("&")}`

async function sendOne(door: ServiceCaller, call: Input, { rehearse, sender, signal }: Sending): Promise<ToolAnswer> {
  const { operation, input } = operationOf(call)
  const { path, body, deliveryId } = delivery(operation, operation.path, input, clientBlock(sender))
  const retryHint = `Send the same input again with ${operation.delivery} ${deliveryId}: it is stored only once.`
  const fields = `The fields of ${operation.name}: schema.`
  return deliver(door, { path: `${path}${queryOf(call, rehearse)}`, body, retryHint, rehearse, signal, fields })
}

async function sendBatch(door: ServiceCaller, call: Input, { rehearse, sender, signal }: Sending): Promise<ToolAnswer> {
  const writes = unquoted(call.writes)
  if (!Array.isArray(writes)) throw new TypeError("writes must be a list of {operation, input, as?}")
  const sent = writes.map((write: Input) => {
    const { operation, input } = operationOf(write)
    const { params, body } = withIdsApart(operation, input, clientBlock(sender))
    return { ...("as" in write ? { as: write.as } : {}), operation: operation.name, params, body }
  })
  const retryHint =
    "Send the same writes again, each with its id: " +
    `${sent.map(({ body }) => body.requestId ?? body.clientMessageId).join(", ")}.`
  return deliver(door, {
    path: `${batch.path}${queryOf(call, rehearse)}`,
    body: JSON.stringify({ writes: sent }),
    retryHint,
    rehearse,
    signal,
    fields: "The fields of an operation: schema.",
  })
}

interface PreparedWrite extends Omit<Sending, "sender"> {
  readonly path: string
  readonly body: string
  /** The advice if it is uncertain whether the write was stored. */
  readonly retryHint: string
  /** The advice that names the tool describing the fields. */
  readonly fields: string
}

async function deliver(
  door: ServiceCaller,
  { path, body, retryHint, fields, rehearse, signal }: PreparedWrite,
): Promise<ToolAnswer> {
  try {
    const reply = await door.ask({ method: "POST", path, body, asBearer: true }, signal)
    const isUncertain = reply.status >= 400 && !rehearse && /"committed":null/.test(reply.text)
    // Receipts requested whole are not cut. A batch has enough receipts to be cut otherwise.
    return toolAnswer(
      reply,
      { bytes: limits.toolAnswerMost, rest: "Ask for small receipts." },
      reply.status === 422 ? `${fields}\n` : isUncertain ? `${retryHint}\n` : "",
    )
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return toolError(rehearse ? error.message : `${error.message}. Whether it was stored is uncertain. ${retryHint}`)
  }
}

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
