/** The HTTP server around the application: time limits, base path, graceful shutdown. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { toNodeHandler } from "h3/node"
import { basePathOf } from "../contract/base-path.ts"
import { FailedError } from "../contract/faults.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { familyOf } from "../contract/versions.ts"
import { addressOf } from "../edge/limits/address.ts"
import { headersAt } from "../edge/answers/answer.ts"
import { anyOrigin } from "../edge/answers/public-answer.ts"
import { type App, fault } from "../edge/edge.ts"
import { Budgets } from "../edge/limits/budgets.ts"
import { ServiceResponse, RequestContext } from "../edge/limits/request-context.ts"
import { Connections, inTurn } from "./connections.ts"
import { answerUnreadable, malformed, refuse, targetOf } from "./unreadable.ts"

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
