/** Reads of the contract, asked through a door: by their names, or by an address that an answer gave. */
import { agentReads } from "../discovery/manifest.ts"
import { isText, type Read } from "../contract/definitions/read.ts"
import { type Input, readRequest } from "../contract/definitions/requests.ts"
import { documents } from "../documents/index.ts"
import type { ServiceCaller } from "./door.ts"
import { type ToolAnswer, toolAnswer, toolError } from "./tool-answer.ts"

/** Every read that a program may ask and that answers text. */
export const readable: readonly Read[] = agentReads.filter(({ mediaType }) => isText(mediaType))
const byName = new Map(readable.map((read) => [read.name, read]))
export const readNamed = (name: unknown): Read | undefined => (typeof name === "string" ? byName.get(name) : undefined)

/** A path pattern as an expression; an old-style arXiv id has a slash in it. */
const expressionOf = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replace(/[.]/g, "\\.").replace(/\{(\w+)\}/g, (_, name) => (name === "arxivId" ? "[^?#]+" : "[^/?#]+"))}$`)
const addresses = readable.map((read) => ({ read, expression: expressionOf(read.path) }))
const SUFFIX = ".md"
const pages = Object.keys(documents).map(expressionOf)

const isBearers = ({ surface }: Read): boolean => surface === "credential" || surface === "key"
const howToAskLess = ({ name, path, query }: Read): string =>
  `Ask for less${"limit" in query.entries ? ", with a smaller limit" : ""}, or fetch ${path} over HTTP (the parameters of ${name}: ${Object.keys(query.entries).join(", ")}).`

/** Asks a read. What it is given beyond the ids of its path is its query; whatever is wrong with that the service says. */
export async function askRead(door: ServiceCaller, read: Read, input: Input, signal: AbortSignal): Promise<ToolAnswer> {
  let path: string
  try {
    path = readRequest(read, input).path
  } catch (error) {
    if (error instanceof TypeError) return toolError(`${error.message}.`)
    throw error
  }
  return toolAnswer(await door.ask({ method: "GET", path, asBearer: isBearers(read) }, signal), howToAskLess(read))
}

/** A page of the service as Markdown. @param path as the page has it, with `.md` behind it or not, and its query; undefined for no such page */
export async function askDocument(door: ServiceCaller, path: string, signal: AbortSignal): Promise<ToolAnswer | undefined> {
  const [pathname = "", query] = path.split("?", 2)
  const page = pathname.endsWith(SUFFIX) ? pathname.slice(0, -SUFFIX.length) : pathname
  if (!pages.some((expression) => expression.test(page))) return undefined
  const address = `${page}${SUFFIX}${query === undefined ? "" : `?${query}`}`
  const { status, text } = await door.ask({ method: "GET", path: address, asBearer: false }, signal)
  return { text, isError: status >= 400 }
}

/** A path below the base URL, of an address or a path as answers and documents give them; undefined for one that leads elsewhere. */
export function pathBelow({ baseUrl }: ServiceCaller, address: string): string | undefined {
  const base = new URL(`${baseUrl}/`)
  if (!URL.canParse(address, base)) return undefined
  const { origin, pathname, search } = new URL(address, base)
  const root = base.pathname.slice(0, -1)
  if (origin !== base.origin || !`${pathname}/`.startsWith(`${root}/`)) return undefined
  return `${pathname.slice(root.length)}${search}`
}

/** Asks what stands at an address: a read, or a page as Markdown. */
export async function askAddress(door: ServiceCaller, address: string, signal: AbortSignal): Promise<ToolAnswer> {
  const path = pathBelow(door, address)
  const nothing = toolError(`Nothing that a tool reads is served at ${address.slice(0, 200)}.`)
  if (path === undefined) return nothing
  const [pathname = ""] = path.split("?", 1)
  const read = addresses.find(({ expression }) => expression.test(pathname))?.read
  if (read === undefined) return (await askDocument(door, path, signal)) ?? nothing
  return toolAnswer(await door.ask({ method: "GET", path, asBearer: isBearers(read) }, signal), howToAskLess(read))
}
