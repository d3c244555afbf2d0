/** Sends reads to the service: by name, or by an address from an earlier answer. */
import { agentReads } from "../discovery/manifest.ts"
import { isForBearer, isStreamed, type Read } from "../contract/definitions/read.ts"
import { type Input, readRequest } from "../contract/definitions/requests.ts"
import { documents } from "../documents/index.ts"
import { SUFFIX } from "../edge/answers/as-markdown.ts"
import type { ServiceCaller } from "./door.ts"
import { extendJson } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import { inDigits } from "../contract/text.ts"
import { isTooLong, type Space, type ToolAnswer, toolAnswer, toolError } from "./tool-answer.ts"

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
