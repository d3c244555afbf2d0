/** The state of one request, for its response headers, the log and the metrics. */
import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
  STATUS_CODES,
} from "node:http"
import type { H3Event } from "h3"
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
