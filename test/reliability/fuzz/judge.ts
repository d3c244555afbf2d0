/** Judges what came back: what must hold of every answer whatever was sent. Each violation is a sentence. */
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { mcpPath } from "../../../src/contract/base-path.ts"
import type { RefusalSpec } from "../../../src/contract/refusals/codes.ts"
import { type RefusalCode, refusals } from "../../../src/contract/refusals/refusal.ts"
import { commonHeaders } from "../../../src/edge/answers/answer.ts"
import { holdToContract } from "../../support/contract.ts"
import { type Answer, headerOf } from "./answers.ts"
import type { Shot } from "./shot.ts"
import type { Outcome } from "./wire.ts"

/** What some attacks write wherever text goes: a page that holds it as it is could hold a script as well. */
export const marker = "<fuzz onload=1>"

/** What the inside of a program looks like. */
const inside: readonly RegExp[] = [
  /\bat [\w.<>$ ]{1,80}\(?(?:node:|file:|\/|[A-Z]:\\)[^\s)]{1,200}:\d+/,
  /node_modules|\/snapshot\/|\/tmp\/|\/work\/|\/root\/|\/home\/|\/proc\//,
  /\b[\w-]+\.(?:ts|mjs|cjs)\b:\d/,
  /SQLITE_[A-Z]+|\bSqliteError\b|\bsqlite\b|\bfts5\b/i,
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+[\w"*(]+[^.]{0,80}\b(?:FROM|VALUES|SET|WHERE)\b/,
  /no such (?:column|table)|syntax error near|malformed MATCH|unterminated string/i,
  /\b(?:TypeError|RangeError|SyntaxError|ReferenceError|AssertionError|HTTPError|ERR_[A-Z_]+|E(?:CONN|PIPE|NOENT|ACCES)[A-Z]*)\b/,
  /HPE_[A-Z_]+/,
  /\[object Object\]/,
  /\bCannot read propert|is not a function|is not iterable/,
]

/** Bytes of a refusal, in an envelope and as a page: whoever sends faults must not make the service write many times as much. */
const MOST_REFUSED = 256 * 1024
const MOST_PAGE = 5 * 1024 * 1024

/** The codes of the registry, as pages tell them. */
const told = /<code>([a-z_]+)<\/code><\/span><span>status ([0-9]{3})</

function leaks(answer: Answer, text: string, sent: string): string[] {
  const whole = `${answer.headers.map(([name, value]) => `${name}: ${value}`).join("\n")}\n${text}`
  return inside.flatMap((look) => {
    const found = look.exec(whole)?.[0]
    // What the sender wrote may come back to them.
    return found === undefined || sent.includes(found) ? [] : [`the inside of the program shows: ${found}`]
  })
}

const isBare = (answer: Answer): boolean => Object.keys(commonHeaders).every((name) => headerOf(answer, name) === null)

/** What was sent, with what stands in it as `%2F` put plainly. */
const plainlySent = ({ pieces }: Shot): string =>
  Buffer.concat(pieces)
    .toString("latin1")
    .replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

/** Whether a shot asks for an address that begins so. Where an attack wrote its addresses itself, they stand in what it sent. */
const asksFor = (given: Shot, start: string): boolean =>
  given.path === null ? plainlySent(given).includes(start) : given.path.startsWith(start)

function commonOnes(given: Shot, answer: Answer): string[] {
  const kept = (asksFor(given, "/assets/") || asksFor(given, "/favicon.ico")) && (answer.status === 200 || answer.status === 304)
  return [
    ...Object.entries(commonHeaders).flatMap(([name, value]) => {
      const values = answer.headers.filter(([each]) => each === name).map(([, given]) => given)
      if (kept && name === "cache-control") return []
      return values.length === 1 && values[0] === value ? [] : [`${name} is ${JSON.stringify(values)} on a ${answer.status}`]
    }),
    ...["server", "x-powered-by", "access-control-allow-credentials"]
      .filter((name) => headerOf(answer, name) !== null)
      .map((name) => `the answer carries ${name}`),
    ...sharedFaults(headerOf(answer, "access-control-allow-origin"), given.path),
  ]
}

/** Paths below which something is read that anybody may read; the patterns of the routes are looked at elsewhere. */
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

/** Pages of other origins read what anybody may, and are let in by nothing else. */
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
  else if (!(spec.status as readonly number[]).includes(status)) faults.push(`a page tells ${code} with status ${status}`)
  return faults
}

/** A refusal whose family cannot be told from the request: the contract holds it to either. */
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

/** A refusal that the OpenAPI document does not name for the route. */
function documentFaults({ target, methods }: Shot, { status }: Answer, text: string): string[] {
  const asked = methods[0] === "HEAD" ? "GET" : methods[0]
  if (target?.refusals == null || asked !== target.method || text === "") return []
  const code = (JSON.parse(text) as { refusal: string }).refusal
  return target.refusals.has(`${status} ${code}`) ? [] : [`${target.name} refuses with ${status} ${code}, which its document does not name`]
}

function redirectFaults(answer: Answer): string[] {
  const location = headerOf(answer, "location") ?? ""
  return /^\/(?![/\\])[^\s\\]*$/.test(location) ? [] : [`it sends on to ${JSON.stringify(location)}`]
}

/** Where nothing of a request can be relied on, neither can its path. */
const plainPath = (path: string | null): string | null =>
  path !== null && /^\/[\w.~/%:@-]*$/.test(path) && !/\/\.{1,2}(?:\/|$)|%|\/\//.test(path) ? path : null

/** Whether a refusal comes before it is known which route is asked; then it is told in the envelope also where pages are. */
function isOfAnyRoute(text: string): boolean {
  const code = (JSON.parse(text || "{}") as { refusal?: string }).refusal ?? ""
  const spec: RefusalSpec | null = Object.hasOwn(refusals, code) ? refusals[code as RefusalCode] : null
  return spec?.when?.includes("any") === true
}

/** What an answer says, unpacked where the request asked for it packed. */
function plainText(answer: Answer): string {
  const { body } = answer
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[headerOf(answer, "content-encoding") ?? ""]
  return (unpack === undefined || body.length === 0 ? body : unpack(body)).toString("utf8")
}

/** Whether it is MCP that refuses, in its own protocol: what such an answer holds is shown in test/mcp. */
const isOfMcp = (given: Shot, text: string): boolean =>
  (given.target === null ? asksFor(given, mcpPath) : given.target.path === mcpPath) && text.startsWith('{"jsonrpc"')

function answerFaults(given: Shot, answer: Answer, index: number): string[] {
  const { target, path, methods, isSound, pieces } = given
  const text = plainText(answer)
  const { status } = answer
  const faults = [...commonOnes(given, answer)]
  // Then it is not the service that answers, and there is no more to look for.
  if (isBare(answer)) return [`a ${status} without any header of the service: ${text.slice(0, 100)}`]
  // A repository that cannot be looked up from here is told so, by the protocol.
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
  return faults
}

/** Everything that is wrong with what came back. */
export function judge(given: Shot, { answers, fault, end, finishedFirst }: Outcome): string[] {
  const faults = answers.flatMap((answer, index) => answerFaults(given, answer, index))
  if (fault !== null && !finishedFirst) faults.push(fault)
  if (end === "stuck") faults.push(`neither an answer nor an end came (${answers.length} answers before)`)
  if (answers.length > given.methods.length && given.isSound) faults.push(`${answers.length} answers to ${given.methods.length} requests`)
  if (given.isSound && given.ending === "keep" && end !== "stuck" && answers.length < given.methods.length && fault === null)
    faults.push(`${answers.length} answers to ${given.methods.length} requests (${end})`)
  return [...new Set(faults)]
}
