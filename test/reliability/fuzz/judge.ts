/** Judges an answer: rules that hold for every answer, whatever was sent. Each violation is a sentence. */
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { mcpPath } from "../../../src/contract/service.ts"
import { type RefusalSpec, type RefusalCode, refusals } from "../../../src/contract/refusals.ts"
import { commonHeaders } from "../../../src/edge/answers/answer.ts"
import { SUFFIX } from "../../../src/edge/answers/as-markdown.ts"
import { holdToContract } from "../../support/contract.ts"
import { type Answer, headerOf } from "./answers.ts"
import type { Shot } from "./shot.ts"
import type { Outcome } from "./wire.ts"

/** Markup that some attacks put into every text: a page that contains it unescaped could contain a script as well. */
export const marker = "<fuzz onload=1>"

/** The kind of a violation: its sentence without the numbers and ids. */
export const kindOf = (what: string): string =>
  what
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}[0-9a-f-]*/gi, "id")
    .replace(/[0-9]+/g, "n")
    .slice(0, 120)

/** Signs of a program's internals, such as stack traces. */
const inside: readonly RegExp[] = [
  /\bat [\w.<>$ ]{1,80}\(?(?:node:|file:|\/|[A-Z]:\\)[^\s)]{1,200}:\d+/,
  /node_modules|\/snapshot\/|\/tmp\/|\/work\/|\/root\/|\/home\/|\/proc\//,
  /\b[\w-]+\.(?:ts|mjs|cjs)\b:\d/,
  /SQLITE_[A-Z]+|\bSqliteError\b|\bsqlite\b|\bfts5\b/i,
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+[\w"*(]+[^.]{0,80}\b(?:FROM|VALUES|SET|WHERE)\b/,
  /no such (?:column|table)|syntax error near|malformed MATCH|unterminated string/i,
  /\b(?:Type|Range|Syntax|Reference|Assertion|HTTP)Error\b/,
  /\b(?:ERR_[A-Z_]+|E(?:CONN|PIPE|NOENT|ACCES)[A-Z]*)\b/,
  /HPE_[A-Z_]+/,
  /\[object Object\]/,
  /\bCannot read propert|is not a function|is not iterable/,
]

/**
 * Bytes of a refusal, in an envelope and as a page: an invalid request must not make the service send many times as
 * much.
 */
const MOST_REFUSED = 256 * 1024
const MOST_PAGE = 5 * 1024 * 1024

/** The codes of the registry, as on pages. */
const told = /<code>([a-z_]+)<\/code><\/span><span>status ([0-9]{3})</

function leaks(answer: Answer, text: string, sent: string): string[] {
  const whole = `${answer.headers.map(([name, value]) => `${name}: ${value}`).join("\n")}\n${text}`
  return inside.flatMap((look) => {
    const found = look.exec(whole)?.[0]
    // The sender's own text may be repeated.
    return found === undefined || sent.includes(found) ? [] : [`the inside of the program shows: ${found}`]
  })
}

const isBare = (answer: Answer): boolean => Object.keys(commonHeaders).every((name) => headerOf(answer, name) === null)

/** The request with `%2F` decoded. */
const plainlySent = ({ pieces }: Shot): string =>
  Buffer.concat(pieces)
    .toString("latin1")
    .replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

/**
 * Whether a shot requests an address with this beginning. If an attack wrote its addresses itself, they are in the
 * bytes sent.
 */
const asksFor = (given: Shot, start: string): boolean =>
  given.path === null ? plainlySent(given).includes(start) : given.path.startsWith(start)

function commonOnes(given: Shot, answer: Answer): string[] {
  const kept =
    (asksFor(given, "/assets/") || asksFor(given, "/favicon.ico")) && (answer.status === 200 || answer.status === 304)
  return [
    ...Object.entries(commonHeaders).flatMap(([name, value]) => {
      const values = answer.headers.filter(([each]) => each === name).map(([, given]) => given)
      if (kept && name === "cache-control") return []
      return values.length === 1 && values[0] === value
        ? []
        : [`${name} is ${JSON.stringify(values)} on a ${answer.status}`]
    }),
    ...["server", "x-powered-by", "access-control-allow-credentials"]
      .filter((name) => headerOf(answer, name) !== null)
      .map((name) => `the answer carries ${name}`),
    ...sharedFaults(headerOf(answer, "access-control-allow-origin"), given.path),
  ]
}

/** Paths with public reads below them; the patterns of the routes are tested elsewhere. */
const shared = [
  "/api/research",
  "/api/health",
  "/api/manifest",
  "/api/openapi.json",
  "/api/agent/library/schema",
  "/.well-known/",
  "/llms.txt",
  "/research_room.py",
  "/skill.zip",
]

/** Pages of other origins read what is public, and are authorised for nothing else. */
function sharedFaults(origin: string | null, path: string | null): string[] {
  if (origin === null) return []
  const plain = plainPath(path)
  const isShared = origin === "*" && (plain === null || shared.some((each) => plain.includes(each)))
  return isShared ? [] : [`${origin} may read ${path}`]
}

function pageFaults({ status }: Answer, text: string): string[] {
  if (text === "") return []
  const faults = /^<!doctype html>/i.test(text) ? [] : [`a page is no document: ${text.slice(0, 80)}`]
  if (text.includes(marker)) faults.push("a page holds markup of its visitor as it is")
  const [, code, said] = told.exec(text) ?? []
  if (code === undefined) return faults
  if (Number(said) !== status) faults.push(`a page says status ${said} and has ${status}`)
  const spec = Object.hasOwn(refusals, code) ? refusals[code as RefusalCode] : null
  if (spec === null) faults.push(`${code} is no refusal of the registry`)
  else if (!(spec.status as readonly number[]).includes(status))
    faults.push(`a page tells ${code} with status ${status}`)
  return faults
}

/** A refusal whose family cannot be derived from the request: it must match either. */
function envelopeFaults(method: string, response: Response, text: string, path: string | null): string[] {
  const families = path === null ? ["/", "/api/library/"] : [path]
  const faults = families.map((each) => {
    try {
      holdToContract(method, each, response, text)
      return null
    } catch (error) {
      return (error as Error).message.split("\n")[0] ?? "is not as the contract says"
    }
  })
  return faults.includes(null) ? [] : [faults[0] as string]
}

/** A refusal that the OpenAPI document does not list for the route. */
function documentFaults({ target, methods }: Shot, { status }: Answer, text: string): string[] {
  const asked = methods[0] === "HEAD" ? "GET" : methods[0]
  if (target?.refusals == null || asked !== target.method || text === "") return []
  const code = (JSON.parse(text) as { refusal: string }).refusal
  return target.refusals.has(`${status} ${code}`)
    ? []
    : [`${target.name} refuses with ${status} ${code}, which its document does not name`]
}

function redirectFaults(answer: Answer): string[] {
  const location = headerOf(answer, "location") ?? ""
  return /^\/(?![/\\])[^\s\\]*$/.test(location) ? [] : [`it sends on to ${JSON.stringify(location)}`]
}

/** If the request is not reliable, its path is not either. */
const plainPath = (path: string | null): string | null =>
  path !== null && /^\/[\w.~/%:@-]*$/.test(path) && !/\/\.{1,2}(?:\/|$)|%|\/\//.test(path) ? path : null

const isJson = (type: string): boolean => type.startsWith("application/json")

/** Whether a refusal comes before the route is known; it is then in the envelope even for pages. */
function isOfAnyRoute(text: string): boolean {
  const code = (JSON.parse(text || "{}") as { refusal?: string }).refusal ?? ""
  const spec: RefusalSpec | null = Object.hasOwn(refusals, code) ? refusals[code as RefusalCode] : null
  return spec?.when?.includes("any") === true
}

/** The body of an answer, decompressed if the request asked for compression. */
function plainText(answer: Answer): string {
  const { body } = answer
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[headerOf(answer, "content-encoding") ?? ""]
  return (unpack === undefined || body.length === 0 ? body : unpack(body)).toString("utf8")
}

/** Whether MCP refuses, in its own protocol: test/mcp covers such answers. */
const isOfMcp = (given: Shot, text: string): boolean =>
  (given.target === null ? asksFor(given, mcpPath) : given.target.path === mcpPath) && text.startsWith('{"jsonrpc"')

function answerFaults(given: Shot, answer: Answer, index: number): string[] {
  const { target, path, methods, isSound, pieces } = given
  const text = plainText(answer)
  const { status } = answer
  const faults = [...commonOnes(given, answer)]
  // Then the answer is not the service's, and there is nothing more to check.
  if (isBare(answer)) return [`a ${status} without any header of the service: ${text.slice(0, 100)}`]
  // The protocol has a refusal for a repository that cannot be looked up from here.
  const isElsewhere = status === 503 && text.includes('"refusal":"repository_unavailable"')
  if (status >= 500 && !isElsewhere) faults.push(`status ${status} to ${given.attack}: ${text.slice(0, 200)}`)
  if (status >= 400) faults.push(...leaks(answer, text, Buffer.concat(pieces).toString("utf8")))
  if (status === 304) return text === "" ? faults : [...faults, "what has not changed is sent again"]
  if (status >= 300 && status < 400) return [...faults, ...redirectFaults(answer)]
  const type = headerOf(answer, "content-type") ?? ""
  if (status >= 400 && text.length > (type.startsWith("text/html") ? MOST_PAGE : MOST_REFUSED))
    faults.push(`a refusal of ${text.length} characters to ${Buffer.concat(pieces).length} bytes`)
  const where = isSound ? plainPath(path) : null
  if (type.startsWith("text/html")) {
    if (where?.startsWith("/api/")) faults.push("an address of the API answers with a page")
    return [...faults, ...pageFaults(answer, text)]
  }
  const method = methods[index] ?? "GET"
  if (isOfMcp(given, text)) return faults
  if (status >= 400 || (where !== null && target !== null && !target.isPage && !target.isOther)) {
    const headers = new Headers(answer.headers.map(([name, value]) => [name, value] as [string, string]))
    const broken = envelopeFaults(method, new Response(status === 204 ? null : text, { status, headers }), text, where)
    faults.push(...broken)
    if (status >= 400 && where !== null && broken.length === 0) faults.push(...documentFaults(given, answer, text))
  }
  if (status >= 400 && isSound && target?.isPage && target.method === method && !isOfAnyRoute(text))
    faults.push(`a page is refused with ${type || "nothing"}`)
  const isOfPage = target?.path.endsWith(SUFFIX) && !target.path.startsWith("/api/")
  if (status >= 400 && isSound && isOfPage && target?.method === method && isJson(type) && !isOfAnyRoute(text))
    faults.push(`the document of a page is refused with ${type}`)
  return faults
}

/** All violations of an answer. */
export function judge(given: Shot, { answers, fault, end, finishedFirst }: Outcome): string[] {
  const faults = answers.flatMap((answer, index) => answerFaults(given, answer, index))
  if (fault !== null && !finishedFirst) faults.push(fault)
  if (end === "stuck") faults.push(`neither an answer nor an end came (${answers.length} answers before)`)
  if (answers.length > given.methods.length && given.isSound)
    faults.push(`${answers.length} answers to ${given.methods.length} requests`)
  if (
    given.isSound &&
    given.ending === "keep" &&
    end !== "stuck" &&
    answers.length < given.methods.length &&
    fault === null
  )
    faults.push(`${answers.length} answers to ${given.methods.length} requests (${end})`)
  return [...new Set(faults)]
}
