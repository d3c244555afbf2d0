/** The listening server around the application: its time limits, its base path, its orderly end. */
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { Duplex } from "node:stream"
import { toNodeHandler } from "h3/node"
import { basePathOf } from "../contract/base-path.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { familyOf } from "../contract/versions.ts"
import { addressOf } from "../edge/limits/address.ts"
import { headersAt } from "../edge/answers/answer.ts"
import { anyOrigin } from "../edge/answers/public-answer.ts"
import { type App, fault } from "../edge/edge.ts"
import { mustBeOwnHost } from "../edge/host.ts"
import { Budgets } from "../edge/limits/budgets.ts"
import { ServiceResponse, RequestContext } from "../edge/limits/request-context.ts"
import { Connections } from "./connections.ts"
import { inTurn } from "./in-turn.ts"
import { answerUnreadable, malformed, refuse, targetOf } from "./unreadable.ts"

/** Milliseconds a client may take for its headers, and for its whole request; a stalled one must not hold a socket. */
export const patience = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2_000 }
/** Milliseconds that requests under way are given when the service ends. */
const GRACE = 10_000

/** The service cannot listen, in a sentence for the person who started it. */
export class ListenError extends Error {
  override readonly name = "ListenError"
}

/** The path of a request without its query. */
const pathOf = (url: string | undefined): string => (url ?? "/").split("?", 1)[0] ?? "/"

/** Answers while the service is still being made ready: a request that nobody listens to would wait for ever. */
function notYet(request: IncomingMessage, response: ServiceResponse): void {
  response.context = new RequestContext("", request.headers["x-request-id"])
  refuse(
    response,
    new Refusal("temporarily_unavailable", "The service is starting.", { retryAfter: 1 }),
    familyOf(pathOf(request.url)),
    true,
  )
}

const opened = (server: Server, place: { readonly port: number; readonly host: string }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(place, () => {
      server.off("error", reject)
      resolve()
    })
  })

/** The port that a server listens on. */
function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("A server that listens has a port.")
  return address.port
}

/** Starts listening; `port` 0 lets the system pick. @throws ListenError */
export async function listen(host: string, port: number, times = patience): Promise<{ server: Server; port: number }> {
  // A missing Host is refused below, in the words of the protocol.
  const server: Server = createServer<typeof IncomingMessage, typeof ServiceResponse>({
    ...times,
    keepAliveTimeout: 20_000,
    requireHostHeader: false,
    ServerResponse: ServiceResponse,
  })
  // Node would leave out the headers above a number; their length is bounded anyway.
  server.maxHeadersCount = 0
  await opened(server, { port, host }).catch((error: NodeJS.ErrnoException) => {
    const why: Record<string, string> = {
      EADDRINUSE: `Port ${port} on ${host} is in use: end the other program, or choose another --port.`,
      EACCES: `Port ${port} on ${host} may not be used by this user: choose another --port.`,
      EADDRNOTAVAIL: `${host} is not an address of this machine: choose another --host.`,
      ENOTFOUND: `${host} is not an address of this machine: choose another --host.`,
    }
    throw new ListenError(why[error.code ?? ""] ?? `Cannot listen on ${host}:${port} (${error.code ?? error.message}).`)
  })
  server.on("request", notYet)
  return { server, port: portOf(server) }
}

/**
 * The path of a request below the base path, which a proxy may have left on or taken off. What is a path of the service as
 * it stands is taken so: under a base path such as `/api` the two look alike.
 */
function withoutBasePath(url: string, basePath: string, isOwn: (path: string) => boolean): string {
  if (basePath === "" || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  if (!/^(?:[/?]|$)/.test(rest) || isOwn(url.split("?")[0] ?? "")) return url
  return rest.startsWith("/") ? rest : `/${rest}`
}

/** Answers requests on a listening server until it is closed. */
export function serveOn(server: Server, app: App, baseUrl: string): () => Promise<void> {
  const basePath = basePathOf({ baseUrl })
  const { rates, metrics, requestLog, trustProxy = false } = app.edge
  const handle = toNodeHandler(app)
  const ownHeaders = headersAt(baseUrl)
  const { budgets = new Budgets() } = app.edge
  const connections = new Connections(server, budgets, trustProxy)
  const underWay = new Set<ServiceResponse>()
  let ending = false

  const over = (request: IncomingMessage, response: ServiceResponse, context: RequestContext, sentBefore: number): void => {
    underWay.delete(response)
    connections.ends(request)
    // One whose head was sent before the end began stays open after its answer.
    if (ending) setImmediate(() => server.closeIdleConnections())
    const milliseconds = performance.now() - context.startedAt
    const status = response.writableFinished ? response.statusCode : 0
    if (metrics !== undefined) {
      metrics.underWay -= 1
      metrics.answered(context.route, request.method ?? "", status, milliseconds)
    }
    if (requestLog?.everyRequest)
      requestLog.request(context, request.method ?? "", status, milliseconds, request.socket.bytesWritten - sentBefore)
  }

  /** Refuses a request outside the framework. What no refusal foresaw ends this request, and not the service. */
  const refuseEarly = (request: IncomingMessage, response: ServiceResponse, context: RequestContext, error: unknown): void => {
    if (!(error instanceof Refusal)) requestLog?.failed(context, error)
    if (response.headersSent) {
      response.destroy()
      return
    }
    const method = request.method ?? ""
    const refusal = error instanceof Refusal ? error : fault(method)
    // A page that may read there may read why it does not, and when to ask again.
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
    const sentBefore = requestLog?.everyRequest ? request.socket.bytesWritten : 0
    response.context = context
    response.ownHeaders = ownHeaders
    response.budgets = budgets
    underWay.add(response)
    if (metrics !== undefined) metrics.underWay += 1
    response.once("close", () => over(request, response, context, sentBefore))
    response.shouldKeepAlive &&= !ending
    try {
      connections.begins(request)
      const target = targetOf(request, (host) => mustBeOwnHost(host, baseUrl))
      const tooMany = rates?.request(context.address) ?? null
      if (tooMany !== null) throw tooMany
      request.url = withoutBasePath(target, basePath, (path) => app.serves(request.method ?? "GET", path))
    } catch (error) {
      refuseEarly(request, response, context, error)
      return
    }
    new Promise((resolve) => resolve(handle(request, response))).catch((error: unknown) => refuseEarly(request, response, context, error))
  })

  server.off("request", notYet)
  server.on("request", answer)
  server.on("checkContinue", (request: IncomingMessage, response: ServiceResponse) => {
    response.shouldKeepAlive &&= !ending
    response.awaitContinue()
    answer(request, response)
  })
  server.on("checkExpectation", (request: IncomingMessage, response: ServiceResponse) => {
    response.context = new RequestContext("", request.headers["x-request-id"])
    response.ownHeaders = ownHeaders
    metrics?.answered(null, request.method ?? "", 417, 0)
    refuse(response, malformed("This service meets no expectation but 100-continue.", 417), familyOf(pathOf(request.url)), true)
  })
  const onSocket = (socket: Duplex) => [...underWay].find((response) => response.socket === socket)
  answerUnreadable(server, { onSocket, ownHeaders, told: (status) => metrics?.answered(null, "", status, 0) })
  return () =>
    new Promise((resolve) => {
      ending = true
      // A connection that is kept open after its answer would be served on, until the grace is over.
      for (const response of underWay) response.shouldKeepAlive = false
      server.close(() => resolve())
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), GRACE).unref()
    })
}
