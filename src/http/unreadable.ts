/**
 * What Node cannot read as a request, or would answer in its own way: every answer has the envelope and the headers that
 * all answers have, and the connection ends with it.
 */
import { type IncomingMessage, type Server, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { Refusal } from "../contract/refusals/refusal.ts"
import { type Family, familyOf } from "../contract/versions.ts"
import { commonHeaders, refusalText } from "../edge/answers/answer.ts"
import { type ServiceResponse, RequestContext } from "../edge/limits/request-context.ts"

/** Milliseconds for which a refused client may go on sending before the connection is cut: cut at once, it might lose the answer. */
const LINGER = 1_000

/** The methods that some route takes. */
const ALLOWED = "GET, HEAD, POST, PATCH, DELETE, OPTIONS"

export const malformed = (sentence: string, status: 400 | 417 | 431 = 400): Refusal =>
  new Refusal("malformed_request", sentence, { status })

const headersOf = (refusal: Refusal): Record<string, string> => ({
  ...commonHeaders,
  "content-type": "application/json; charset=utf-8",
  ...(refusal.details.retryAfter === undefined ? {} : { "retry-after": String(refusal.details.retryAfter) }),
  ...refusal.details.headers,
})

/** Answers a request with a refusal without any of it being looked at further. The connection is kept unless `close` says so. */
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

/** Answers on a connection that no request could be made of, and ends it. */
function refuseRaw(socket: Duplex, refusal: Refusal, family: Family, ownHeaders: Readonly<Record<string, string>>): void {
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
  /** What was being read when it failed. */
  readonly rawPacket?: Buffer
}

function refusalFor({ code }: ParseError): Refusal {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new Refusal("request_timeout", "The request did not arrive whole in time.", { retryAfter: 1 })
  if (code === "HPE_HEADER_OVERFLOW") return malformed("The address and the headers together are longer than 16 KiB.", 431)
  return malformed("The request is not well-formed HTTP/1.1.")
}

/** The family of the path that a broken request asks for, as far as its first line is there. */
function familyIn(packet: Buffer | undefined): Family {
  const path = /^[A-Z]+ (?:https?:\/\/[^/?# ]*)?(\/[^?# ]*)/i.exec(packet?.subarray(0, 2_000).toString("latin1") ?? "")?.[1]
  return familyOf(path ?? "/")
}

interface SocketContext {
  /** The answer under way on a connection. */
  readonly onSocket: (socket: Duplex) => ServiceResponse | undefined
  /** Header fields that every answer has. */
  readonly ownHeaders: Readonly<Record<string, string>>
  /** Hears the status of each answer. */
  readonly told: (status: number) => void
}

/** Answers whatever Node would answer by itself or not at all. */
export function answerUnreadable(server: Server, { onSocket, ownHeaders, told }: SocketContext): void {
  server.on("clientError", (error: ParseError, socket) => {
    const response = onSocket(socket)
    if (response?.req.complete && !response.writableEnded) {
      // The request before is whole and under way: no other answer must be taken for its own. The connection ends with it.
      response.shouldKeepAlive = false
      return
    }
    if (error.code === "ECONNRESET" || response?.headersSent) {
      socket.destroy()
      return
    }
    const refusal = refusalFor(error)
    const family = response === undefined ? familyIn(error.rawPacket) : familyOf((response.req.url ?? "/").split("?")[0] ?? "/")
    told(refusal.status)
    refuseRaw(socket, refusal, family, ownHeaders)
  })
  server.on("connect", (_request, socket) => {
    told(405)
    const refusal = new Refusal("method_not_allowed", "This service is not a proxy.", { headers: { allow: ALLOWED } })
    refuseRaw(socket, refusal, "research", ownHeaders)
  })
}

/** Node keeps the first of several. */
const namesTwoHosts = ({ rawHeaders }: IncomingMessage): boolean => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === "host") hosts += 1
  return hosts > 1
}

/**
 * The path and query of a request; a whole address is taken apart, as it must be by HTTP. The host is checked before the
 * framework sees it: the framework makes an address of it, and throws where it makes none.
 * @param mustBeOwn throws for a host that is not this service's
 * @throws Refusal
 */
export function targetOf(request: IncomingMessage, mustBeOwn: (host: string | null) => void): string {
  const { url = "", method, headers, httpVersion } = request
  if (headers.host === undefined && httpVersion === "1.1") throw malformed("The request names no Host.")
  if (namesTwoHosts(request)) throw malformed("The request names more than one Host.")
  mustBeOwn(headers.host ?? null)
  if (url.startsWith("/")) return url
  if (url === "*") throw new Refusal("method_not_allowed", `${method} * is not supported.`, { headers: { allow: ALLOWED } })
  const whole = /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url) : null
  if (whole === null || whole.username !== "" || whole.password !== "") throw malformed("The address of this request cannot be read.")
  mustBeOwn(whole.host)
  return `${whole.pathname}${whole.search}`
}
