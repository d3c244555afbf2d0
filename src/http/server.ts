/** The HTTP server around the application: its connections, time limits, base path, graceful shutdown. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, STATUS_CODES, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { toNodeHandler } from "h3/node"
import { basePathOf, familyOf, type Family } from "../contract/service.ts"
import { FailedError, Refusal } from "../contract/refusals.ts"
import { addressOf, ServiceResponse, RequestContext, sharedBy } from "../edge/limits/request-context.ts"
import { headersAt, commonHeaders, refusalHeaders, refusalText, anyOrigin } from "../edge/answers/answer.ts"
import { type App, fault } from "../edge/edge.ts"
import { Budgets, ANSWERED_OVER_BUDGET, overBudget } from "../edge/limits/budgets.ts"

// Limits the number of open connections. Over the budget, the connection that has been idle longest is closed; if
// none is idle, the first request of the new connection is answered 503. Far over the budget, new connections are
// closed at once. The requests of a connection are handled one at a time.

class Connections {
  readonly #budgets: Budgets
  readonly #byAddress: boolean
  /** Connections without a request in progress, the longest idle first, with the key they count against. */
  readonly #idle = new Map<Socket, string | null>()
  readonly #owners = new WeakMap<Socket, string | null>()
  readonly #over = new WeakSet<Socket>()

  /** @param trustProxy whether all connections come from a proxy, whose address says nothing about the client */
  constructor(server: Server, budgets: Budgets, trustProxy: boolean) {
    this.#budgets = budgets
    this.#byAddress = !trustProxy
    const most = budgets.connections.total + ANSWERED_OVER_BUDGET
    let open = 0
    // The server's maxConnections would apply to each listening socket separately.
    server.on("connection", (socket: Socket) => {
      if (open >= most) return void socket.destroy()
      open += 1
      socket.once("close", () => (open -= 1))
      this.#add(socket)
    })
  }

  #keyOf(socket: Socket): string | null {
    return this.#byAddress && socket.remoteAddress !== undefined
      ? sharedBy(socket.remoteAddress.replace(/^::ffff:/, ""))
      : null
  }

  #add(socket: Socket): void {
    const { connections } = this.#budgets
    const key = this.#keyOf(socket)
    if (connections.isOver(key) && !this.#closeIdle(key, connections.isOver(null))) this.#over.add(socket)
    connections.add(key)
    this.#owners.set(socket, key)
    this.#idle.set(socket, key)
    socket.once("close", () => {
      this.#idle.delete(socket)
      connections.add(key, -1)
    })
  }

  /** Closes an idle connection. @param any whether it may belong to another address @returns whether there was one */
  #closeIdle(key: string | null, any: boolean): boolean {
    for (const [socket, owner] of this.#idle) {
      if (!any && owner !== key) continue
      this.#idle.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }

  /** Marks the connection of a finished request as idle. */
  ends(socket: Socket): void {
    if (!socket.destroyed) this.#idle.set(socket, this.#owners.get(socket) ?? null)
  }

  /** Marks the connection of a new request as busy. @throws Refusal if the connection is over the budget */
  begins({ socket }: IncomingMessage): void {
    this.#idle.delete(socket)
    if (this.#over.has(socket)) throw overBudget("The service has too many connections")
  }
}

/**
 * Answers the pipelined requests of a connection (several before the first response) in order, at most one per turn of
 * the event loop. All at once would be one long task that blocks every other connection.
 */
export function inTurn<R extends ServerResponse>(
  answer: (request: IncomingMessage, response: R) => void,
): (request: IncomingMessage, response: R) => void {
  const last = new WeakMap<Socket, R>()
  /** Connections served in this turn. After an immediate answer, Node reads the next request in the same turn. */
  const served = new WeakSet<Socket>()

  const begin = (request: IncomingMessage, response: R) => {
    const { socket } = request
    if (socket.destroyed) return
    served.add(socket)
    setImmediate(() => served.delete(socket))
    answer(request, response)
  }
  return (request, response) => {
    const { socket } = request
    const before = last.get(socket)
    last.set(socket, response)
    // "finish" is of no use here: it fires while the requests behind are still being parsed.
    response.once("close", () => {
      if (last.get(socket) === response) last.delete(socket)
    })
    const next = () => setImmediate(begin, request, response)
    if (before !== undefined) before.once("close", next)
    else if (served.has(socket)) next()
    else begin(request, response)
  }
}

// Answers what Node cannot parse as a request or would answer itself: with a refusal envelope and the usual headers,
// after which the connection closes.

/**
 * Milliseconds before the connection of a refused client is cut. If cut at once, the client might lose the response.
 */
const LINGER = 1_000

/** The methods that any route accepts. */
const ALLOWED = "GET, HEAD, POST, PATCH, DELETE, OPTIONS"

const malformed = (sentence: string, status: 400 | 417 | 431 = 400): Refusal =>
  new Refusal("malformed_request", sentence, { status })

const headersOf = (refusal: Refusal): Record<string, string> => ({
  ...commonHeaders,
  "content-type": "application/json; charset=utf-8",
  ...refusalHeaders(refusal),
})

/** Answers a request with a refusal without reading it further. @param close whether the connection closes */
function refuse(
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
function answerUnreadable(server: Server, { onSocket, ownHeaders, onAnswered }: SocketContext): void {
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
function targetOf(request: IncomingMessage, baseUrl: string): string {
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

/**
 * Milliseconds that a client may take to send its headers, and its whole request, so that a stalled one does not hold a
 * socket.
 */
export const patience = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2_000 }
/** Milliseconds that requests in progress have to finish at shutdown. */
const GRACE = 10_000

/** The server cannot listen. The message is for the person who started it. */
export class ListenError extends FailedError {
  override readonly name = "ListenError"
}

const pathOf = (url: string | undefined): string => (url ?? "/").split("?", 1)[0] ?? "/"

/** Answers while the service starts: a request without a listener would wait forever. */
function refuseWhileStarting(request: IncomingMessage, response: ServiceResponse): void {
  response.context = new RequestContext("", request.headers["x-request-id"])
  refuse(
    response,
    new Refusal("temporarily_unavailable", "The service is starting.", { retryAfter: 1 }),
    familyOf(pathOf(request.url)),
    true,
  )
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("A server that listens has a port.")
  return address.port
}

/** Starts listening; with `port` 0 the system chooses one. @throws ListenError */
export async function listen(host: string, port: number, times = patience): Promise<{ server: Server; port: number }> {
  // A missing Host is refused later, with the protocol's refusal.
  const server: Server = createServer<typeof IncomingMessage, typeof ServiceResponse>({
    ...times,
    // A client that keeps connections closes an idle one just before this, so its next request meets no closed one.
    keepAliveTimeout: 75_000,
    requireHostHeader: false,
    ServerResponse: ServiceResponse,
  })
  // Above this number Node would drop headers; 0 removes the limit. Their length is limited anyway.
  server.maxHeadersCount = 0
  const listening = async () => once(server.listen({ port, host }), "listening")
  await listening().catch((error: NodeJS.ErrnoException) => {
    const why: Record<string, string> = {
      EADDRINUSE: `Port ${port} on ${host} is in use: end the other program, or choose another --port.`,
      EACCES: `Port ${port} on ${host} may not be used by this user: choose another --port.`,
      EADDRNOTAVAIL: `${host} is not an address of this machine: choose another --host.`,
      ENOTFOUND: `${host} is not an address of this machine: choose another --host.`,
    }
    throw new ListenError(why[error.code ?? ""] ?? `Cannot listen on ${host}:${port} (${error.code ?? error.message}).`)
  })
  server.on("request", refuseWhileStarting)
  return { server, port: portOf(server) }
}

/**
 * The path of a request without the base path, which a proxy may or may not have removed. A path that exists as sent is
 * taken unchanged: under a base path such as `/api` both readings are possible.
 */
function withoutBasePath(url: string, basePath: string, isOwn: (path: string) => boolean): string {
  if (basePath === "" || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  if (!/^(?:[/?]|$)/.test(rest) || isOwn(url.split("?")[0] ?? "")) return url
  return rest.startsWith("/") ? rest : `/${rest}`
}

/** Answers requests on a listening server. @returns a function that shuts down gracefully */
export function serveOn(server: Server, app: App, baseUrl: string): () => Promise<void> {
  const basePath = basePathOf({ baseUrl })
  const { rates, metrics, requestLog, trustProxy = false } = app.edge
  const handle = toNodeHandler(app)
  const ownHeaders = headersAt(baseUrl)
  const { budgets = new Budgets() } = app.edge
  const connections = new Connections(server, budgets, trustProxy)
  const inProgress = new Set<ServiceResponse>()
  let isEnding = false

  /** @param socket the request's own, which it has lost if it was answered before its body had come */
  const finish = (
    { method = "" }: IncomingMessage,
    socket: Socket,
    response: ServiceResponse,
    context: RequestContext,
    sentBefore: number,
  ): void => {
    inProgress.delete(response)
    connections.ends(socket)
    // At shutdown, a connection whose headers were already sent stays open after its response.
    if (isEnding) setImmediate(() => server.closeIdleConnections())
    const milliseconds = performance.now() - context.startedAt
    const status = response.writableFinished ? response.statusCode : 0
    if (metrics !== undefined) {
      metrics.inProgress -= 1
      metrics.answered(context.route, method, status, milliseconds)
    }
    if (requestLog?.everyRequest)
      requestLog.request(context, method, status, milliseconds, socket.bytesWritten - sentBefore)
  }

  /** Refuses a request outside the framework. An unexpected failure ends this request, not the service. */
  const refuseEarly = (
    request: IncomingMessage,
    response: ServiceResponse,
    context: RequestContext,
    error: unknown,
  ): void => {
    if (!(error instanceof Refusal)) requestLog?.failed(context, error)
    if (response.headersSent) {
      response.destroy()
      return
    }
    const method = request.method ?? ""
    const refusal = error instanceof Refusal ? error : fault(method)
    // Pages that may read the response may also read the refusal and its retryAfter.
    const path = withoutBasePath(pathOf(request.url), basePath, (own) => app.serves("OPTIONS", own))
    refuse(
      response,
      refusal,
      familyOf(path),
      refusal.code !== "too_many_requests",
      app.isForEveryOrigin(method || "GET", path) ? anyOrigin : {},
    )
  }

  const answer = inTurn((request: IncomingMessage, response: ServiceResponse): void => {
    const context = new RequestContext(addressOf(request, trustProxy), request.headers["x-request-id"])
    const { socket } = request
    const sentBefore = requestLog?.everyRequest ? socket.bytesWritten : 0
    response.context = context
    response.ownHeaders = ownHeaders
    response.budgets = budgets
    inProgress.add(response)
    if (metrics !== undefined) metrics.inProgress += 1
    response.once("close", () => finish(request, socket, response, context, sentBefore))
    response.shouldKeepAlive &&= !isEnding
    try {
      connections.begins(request)
      const target = targetOf(request, baseUrl)
      const tooMany = rates?.request(context.address) ?? null
      if (tooMany !== null) throw tooMany
      request.url = withoutBasePath(target, basePath, (path) => app.serves(request.method ?? "GET", path))
    } catch (error) {
      refuseEarly(request, response, context, error)
      return
    }
    new Promise((resolve) => resolve(handle(request, response))).catch((error: unknown) =>
      refuseEarly(request, response, context, error),
    )
  })

  server.off("request", refuseWhileStarting)
  server.on("request", answer)
  server.on("checkContinue", (request: IncomingMessage, response: ServiceResponse) => {
    response.shouldKeepAlive &&= !isEnding
    response.awaitContinue()
    answer(request, response)
  })
  server.on("checkExpectation", (request: IncomingMessage, response: ServiceResponse) => {
    response.context = new RequestContext("", request.headers["x-request-id"])
    response.ownHeaders = ownHeaders
    metrics?.answered(null, request.method ?? "", 417, 0)
    refuse(
      response,
      malformed("The only expectation supported is 100-continue.", 417),
      familyOf(pathOf(request.url)),
      true,
    )
  })
  const onSocket = (socket: Duplex) => [...inProgress].find((response) => response.socket === socket)
  answerUnreadable(server, { onSocket, ownHeaders, onAnswered: (status) => metrics?.answered(null, "", status, 0) })
  return () =>
    new Promise((resolve) => {
      isEnding = true
      // Otherwise a keep-alive connection could send more requests until the grace period ends.
      for (const response of inProgress) response.shouldKeepAlive = false
      server.close(() => resolve())
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), GRACE).unref()
    })
}
