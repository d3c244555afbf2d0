/** The listening server around the application: its time limits, its base path, its orderly end. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { toNodeHandler } from "h3/node"
import { writeJson } from "../contract/json.ts"
import { Refusal } from "../contract/refusals.ts"
import { familyOf } from "../contract/versions.ts"
import { commonHeaders } from "./answer.ts"
import type { App } from "./app.ts"

/** Milliseconds a client may take for its headers, and for its whole request; a stalled one must not hold a socket. */
export const patience = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2_000 }
/** Milliseconds that requests under way are given when the service ends. */
const GRACE = 10_000

/** The service cannot listen, in a sentence for the person who started it. */
export class ListenError extends Error {
  override readonly name = "ListenError"
}

/** Answers while the service is still being made ready: a request that nobody listens to would wait for ever. */
function notYet(request: IncomingMessage, response: ServerResponse): void {
  const refusal = new Refusal("temporarily_unavailable", "The service is starting.", { retryAfter: 1 })
  response.writeHead(refusal.status, {
    ...commonHeaders,
    "content-type": "application/json; charset=utf-8",
    "retry-after": "1",
    connection: "close",
  })
  response.end(writeJson(refusal.envelope(familyOf((request.url ?? "/").split("?")[0] ?? "/"))))
}

/** Starts listening; `port` 0 lets the system pick. @throws ListenError */
export async function listen(host: string, port: number, times = patience): Promise<{ server: Server; port: number }> {
  const server = createServer({ ...times, keepAliveTimeout: 20_000 })
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why: Record<string, string> = {
        EADDRINUSE: `Port ${port} on ${host} is in use: end the other program, or choose another --port.`,
        EACCES: `Port ${port} on ${host} may not be used by this user: choose another --port.`,
        EADDRNOTAVAIL: `${host} is no address of this machine: choose another --host.`,
        ENOTFOUND: `${host} is no address of this machine: choose another --host.`,
      }
      reject(new ListenError(why[error.code ?? ""] ?? `Cannot listen on ${host}:${port} (${error.code ?? error.message}).`))
    })
    server.listen(port, host, resolve)
  })
  server.on("request", notYet)
  return { server, port: (server.address() as AddressInfo).port }
}

/**
 * The path of a request below the base path, which a proxy may have left on or taken off. What is a path of the service as
 * it stands is taken so: under a base path such as `/api` the two look alike.
 */
function withoutBasePath(url: string, basePath: string, isOwn: (path: string) => boolean): string {
  if (basePath === "" || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  if (!/^(?:[/?]|$)/.test(rest) || isOwn(url.split("?")[0] as string)) return url
  return rest.startsWith("/") ? rest : `/${rest}`
}

/** Answers requests on a listening server until it is closed. */
export function serveOn(server: Server, app: App, baseUrl: string): () => Promise<void> {
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, "")
  const handle = toNodeHandler(app)
  const underWay = new Set<ServerResponse>()
  let ending = false
  server.off("request", notYet)
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    underWay.add(response)
    response.once("close", () => underWay.delete(response))
    response.shouldKeepAlive &&= !ending
    request.url = withoutBasePath(request.url ?? "/", basePath, (path) => app.serves(request.method ?? "GET", path))
    void handle(request, response)
  })
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
