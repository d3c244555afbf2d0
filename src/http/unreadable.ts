/**
 * Answers what Node cannot parse as a request or would answer itself: with a refusal envelope and the usual headers,
 * after which the connection closes.
 */
import { type IncomingMessage, type Server, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { Refusal } from "../contract/refusals/refusal.ts"
import { type Family, familyOf } from "../contract/versions.ts"
import { commonHeaders, refusalHeaders, refusalText } from "../edge/answers/answer.ts"
import { type ServiceResponse, RequestContext } from "../edge/limits/request-context.ts"

/**
 * Milliseconds before the connection of a refused client is cut. If cut at once, the client might lose the response.
 */
const LINGER = 1_000

/** The methods that any route accepts. */
const ALLOWED = "GET, HEAD, POST, PATCH, DELETE, OPTIONS"

export const malformed = (sentence: string, status: 400 | 417 | 431 = 400): Refusal =>
  new Refusal("malformed_request", sentence, { status })

const headersOf = (refusal: Refusal): Record<string, string> => ({
  ...commonHeaders,
  "content-type": "application/json; charset=utf-8",
  ...refusalHeaders(refusal),
})

/** Answers a request with a refusal without reading it further. @param close whether the connection closes */
export function refuse(
  response: ServiceResponse,
  refusal: Refusal,
  family: Family,
  close = false,
  more: Readonly<Record<string, string>> = {},
): void {
  if (response.context !== null) response.context.refusal = refusal.code
  const body = refusalText(refusal, family)
  const length = String(Buffer.byteLength(body))
  response.writeHead(refusal.status, {
    ...headersOf(refusal),
    ...more,
    "content-length": length,
    ...(close ? { connection: "close" } : {}),
  })
  response.end(body)
}

/** Writes a refusal to a socket without a parsed request, and closes it. */
function refuseRaw(
  socket: Duplex,
  refusal: Refusal,
  family: Family,
  ownHeaders: Readonly<Record<string, string>>,
): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = refusalText(refusal, family)
  const headers = {
    ...headersOf(refusal),
    ...ownHeaders,
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": new RequestContext("").id,
    date: new Date().toUTCString(),
    connection: "close",
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.on("error", () => {})
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join("")}\r\n${body}`)
  setTimeout(() => socket.destroy(), LINGER).unref()
}

interface ParseError extends NodeJS.ErrnoException {
  /** The bytes being parsed when it failed. */
  readonly rawPacket?: Buffer
}

function refusalFor({ code }: ParseError): Refusal {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new Refusal("request_timeout", "The request did not arrive completely in time.", { retryAfter: 1 })
  if (code === "HPE_HEADER_OVERFLOW")
    return malformed("The address and the headers together are longer than 16 KiB.", 431)
  return malformed("The request is not well-formed HTTP/1.1.")
}

/** The family of the path in a malformed request, if its first line can be read. */
function familyIn(packet: Buffer | undefined): Family {
  const path = /^[A-Z]+ (?:https?:\/\/[^/?# ]*)?(\/[^?# ]*)/i.exec(
    packet?.subarray(0, 2_000).toString("latin1") ?? "",
  )?.[1]
  return familyOf(path ?? "/")
}

interface SocketContext {
  readonly onSocket: (socket: Duplex) => ServiceResponse | undefined
  readonly ownHeaders: Readonly<Record<string, string>>
  readonly onAnswered: (status: number) => void
}

/** Answers everything that Node would answer itself or leave unanswered. */
export function answerUnreadable(server: Server, { onSocket, ownHeaders, onAnswered }: SocketContext): void {
  server.on("clientError", (error: ParseError, socket) => {
    const response = onSocket(socket)
    if (response?.req.complete && !response.writableEnded) {
      // The previous request is complete and in progress. Another response would be taken for its own, so only the
      // connection ends.
      response.shouldKeepAlive = false
      return
    }
    if (error.code === "ECONNRESET" || response?.headersSent) {
      socket.destroy()
      return
    }
    const refusal = refusalFor(error)
    const family =
      response === undefined ? familyIn(error.rawPacket) : familyOf((response.req.url ?? "/").split("?")[0] ?? "/")
    onAnswered(refusal.status)
    refuseRaw(socket, refusal, family, ownHeaders)
  })
  server.on("connect", (_request, socket) => {
    onAnswered(405)
    const refusal = new Refusal("method_not_allowed", "This service is not a proxy.", { headers: { allow: ALLOWED } })
    refuseRaw(socket, refusal, "research", ownHeaders)
  })
}

/** Whether there are several Host headers: Node keeps only the first. */
const namesTwoHosts = ({ rawHeaders }: IncomingMessage): boolean => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === "host") hosts += 1
  return hosts > 1
}

const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?$/i

/**
 * A page on another site must not reach a local instance under a host name of its own. @throws Refusal `wrong_host`
 * unless `host` is a loopback name or the base URL's own
 */
function mustBeOwnHost(host: string | null, baseUrl: string): void {
  // A port over 65535 is not a valid address.
  if (
    host !== null &&
    ((LOOPBACK.test(host) && URL.canParse(`http://${host}`)) || host.toLowerCase() === new URL(baseUrl).host)
  )
    return
  throw new Refusal(
    "wrong_host",
    `This service does not answer as ${host ?? "an unnamed host"}. If people reach it under that name, start it with ` +
      `--base-url set to the address they use (now ${baseUrl}).`,
  )
}

/**
 * The path and query of a request. HTTP also allows an absolute address. The host is checked before the framework
 * builds a URL from it, because the framework throws on an invalid one.
 * @throws Refusal
 */
export function targetOf(request: IncomingMessage, baseUrl: string): string {
  const { url = "", method, headers, httpVersion } = request
  if (headers.host === undefined && httpVersion === "1.1") throw malformed("The request names no Host.")
  if (namesTwoHosts(request)) throw malformed("The request names more than one Host.")
  mustBeOwnHost(headers.host ?? null, baseUrl)
  if (url.startsWith("/")) return url
  if (url === "*")
    throw new Refusal("method_not_allowed", `${method} * is not supported.`, { headers: { allow: ALLOWED } })
  const whole = /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url) : null
  if (whole === null || whole.username !== "" || whole.password !== "")
    throw malformed("The address of this request cannot be read.")
  mustBeOwnHost(whole.host, baseUrl)
  return `${whole.pathname}${whole.search}`
}
