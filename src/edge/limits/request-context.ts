/**
 * The state of one request, for its response headers, the log and the metrics; and the client's address, by which
 * limits count it.
 */
import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
  STATUS_CODES,
} from "node:http"
import { isIP } from "node:net"
import type { H3Event } from "h3"
import ipaddr from "ipaddr.js"
import type { Budgets } from "./budgets.ts"
import type { Person } from "../../people/people.ts"

/** The form of a request id that is accepted from a proxy or client, so that their logs and these can be matched. */
const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/

/** Ten letters and digits: enough to tell requests apart; not a secret. */
const newId = (): string => Math.random().toString(36).slice(2, 12).padEnd(10, "0")

export const isReading = (method: string): method is "GET" | "HEAD" => method === "GET" || method === "HEAD"

export class RequestContext {
  readonly id: string
  readonly address: string
  readonly startedAt = performance.now()
  /** The path pattern from the registry: the real path may hold an invitation's token. Null if no route matched. */
  route: string | null = null
  operation: string | null = null
  refusal: string | null = null
  credentialId: string | null = null
  keyId: string | null = null
  userId: string | null = null
  /** The signed-in person as another thread found them; null if nobody is signed in, undefined if not looked up. */
  person: Person | null | undefined = undefined

  constructor(address: string, requestId?: string | string[]) {
    this.address = address
    this.id = typeof requestId === "string" && WELL_FORMED.test(requestId) ? requestId : newId()
  }
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[]

/** Node's response, with the request's context. */
export class ServiceResponse extends ServerResponse {
  context: RequestContext | null = null
  /** Set while the client waits for 100 Continue: whether to keep the connection after the body. */
  #staysAfterBody: boolean | null = null
  /** The budgets that the body's memory counts against. */
  budgets: Budgets | null = null
  ownHeaders: Readonly<Record<string, string>> = {}

  override writeHead(status: number, reason?: string | Headers, more?: Headers): this {
    const headers = typeof reason === "string" ? more : (more ?? reason)
    const add = (name: string, value: string) => {
      if (Array.isArray(headers)) headers.push(name, value)
      else this.setHeader(name, value)
    }
    for (const name in this.ownHeaders) add(name, this.ownHeaders[name] ?? "")
    if (this.context !== null) add("x-request-id", this.context.id)
    // An empty reason phrase is allowed, but some clients treat such a response as failed.
    return typeof reason === "string"
      ? super.writeHead(status, reason || STATUS_CODES[status], headers)
      : super.writeHead(status, headers)
  }

  /**
   * The client waits for 100 Continue. If it is never sent, nobody can tell where the next request begins, so the
   * connection closes.
   */
  awaitContinue(): void {
    this.#staysAfterBody = this.shouldKeepAlive
    this.shouldKeepAlive = false
  }

  /** Sends 100 Continue if the client waits for it. */
  sendContinue(): void {
    if (this.#staysAfterBody === null) return
    this.shouldKeepAlive = this.#staysAfterBody
    this.#staysAfterBody = null
    this.writeContinue()
  }
}

export interface NodeSide {
  readonly req: IncomingMessage
  readonly res: ServiceResponse
}

const isOwn = (node: { readonly res?: unknown } | undefined): node is NodeSide => node?.res instanceof ServiceResponse
const sideOf = (node: { readonly res?: unknown } | undefined): NodeSide | undefined => (isOwn(node) ? node : undefined)
/** Node's request and response; undefined for a request made inside this process. */
export const nodeSide = (event: H3Event): NodeSide | undefined => sideOf(event.runtime?.node)

/** The context for a request made inside this process on behalf of another one: it keeps that one's address and id. */
export const madeFor = ({ address, id }: RequestContext): { readonly standsFor: RequestContext } => ({
  standsFor: new RequestContext(address, id),
})

/** The context of a request; for one made inside this process, the context passed with it. */
export const contextOf = (event: H3Event): RequestContext =>
  nodeSide(event)?.res.context ??
  (event.context.standsFor instanceof RequestContext ? event.context.standsFor : new RequestContext("unknown"))

// Finds the client's address: the peer of the connection, or the address that a trusted proxy reports.

const plain = (address: string): string =>
  address.startsWith("::ffff:") && isIP(address.slice(7)) === 4 ? address.slice(7) : address

/** The last entry of `X-Forwarded-For`, without its port; undefined if it is not an address. */
function forwarded(header: string): string | undefined {
  const last = header.slice(header.lastIndexOf(",") + 1).trim()
  const address = /^\[([0-9a-fA-F:.]+)\](?::[0-9]+)?$/.exec(last)?.[1] ?? /^([0-9.]+):[0-9]+$/.exec(last)?.[1] ?? last
  return isIP(address) === 0 ? undefined : plain(address)
}

/** @param trustProxy whether to believe the last entry of `X-Forwarded-For`; clients can forge the others */
export function addressOf(
  { socket, headers }: Pick<IncomingMessage, "socket" | "headers">,
  trustProxy: boolean,
): string {
  const named = trustProxy ? headers["x-forwarded-for"] : undefined
  const address = named === undefined ? undefined : forwarded(Array.isArray(named) ? named.join(",") : named)
  return address ?? plain(socket.remoteAddress ?? "unknown")
}

export const isLoopback = (address: string): boolean => address.startsWith("127.") || address === "::1"

/**
 * The first four groups of an IPv6 address. A provider gives a customer that prefix, and the customer chooses the rest.
 */
function network(address: string): string {
  const groups = ipaddr.IPv6.parse(address.split("%", 1)[0] ?? "").parts.slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`
}

/**
 * The key for limits: an IPv4 address, or an IPv6 /64 network, whose owner has more addresses than could be counted.
 */
export const countedAs = (address: string): string =>
  isIP(address) === 6 && address !== "::1" ? network(address) : address

/** The key for what a caller gets one of at a time: who it is known to be, or else its address. */
export const callerKey = (caller: {
  readonly address: string
  readonly credentialId: string | null
  readonly keyId: string | null
  readonly userId: string | null
}): string => caller.credentialId ?? caller.keyId ?? caller.userId ?? countedAs(caller.address)

/** The key for connection and feed limits; null for loopback, where a proxy may connect for all clients. */
export const sharedBy = (address: string): string | null => (isLoopback(address) ? null : countedAs(address))
