/** One request on its way through the edge: what is known of it, for its answer's header, the log and the metrics. */
import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse, STATUS_CODES } from "node:http"
import type { H3Event } from "h3"
import type { Budgets } from "./budgets.ts"
import type { OffloadedRequest } from "./readers.ts"

/** An id that somebody before this service gave is kept, so that their logs and these can be read together. */
const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/

/** Ten letters and digits: enough to tell requests apart, and no secret. */
const newId = (): string => Math.random().toString(36).slice(2, 12).padEnd(10, "0")

export class RequestContext {
  readonly id: string
  readonly address: string
  readonly startedAt = performance.now()
  /** The path as the registry writes it: the real one may hold the token of an invitation. Null where nothing is served. */
  route: string | null = null
  /** The name of the write. */
  operation: string | null = null
  /** The code of the refusal. */
  refusal: string | null = null
  credentialId: string | null = null
  keyId: string | null = null
  userId: string | null = null
  /** Who is signed in, where another thread has looked it up; null for nobody. */
  person: OffloadedRequest["person"] | undefined = undefined

  constructor(address: string, givenId?: string | string[]) {
    this.address = address
    this.id = typeof givenId === "string" && WELL_FORMED.test(givenId) ? givenId : newId()
  }
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[]

/** Node's answer to a request, which also carries the request's id. */
export class Answering extends ServerResponse {
  context: RequestContext | null = null
  /** Set while the client holds its body back: whether the connection stays once the body has come. */
  #staysAfterBody: boolean | null = null
  /** What its body's memory is taken from. */
  budgets: Budgets | null = null
  /** Header fields that every answer of this service has beside those of its own. */
  ownHeaders: Readonly<Record<string, string>> = {}

  override writeHead(status: number, reason?: string | Headers, more?: Headers): this {
    const headers = typeof reason === "string" ? more : (more ?? reason)
    const add = (name: string, value: string) => {
      if (Array.isArray(headers)) headers.push(name, value)
      else this.setHeader(name, value)
    }
    for (const name in this.ownHeaders) add(name, this.ownHeaders[name] ?? "")
    if (this.context !== null) add("x-request-id", this.context.id)
    // An empty reason phrase is allowed, but there are programs that count such an answer as failed.
    return typeof reason === "string" ? super.writeHead(status, reason || STATUS_CODES[status], headers) : super.writeHead(status, headers)
  }

  /** The client holds its body back until it is asked for it. If it never is, nobody can tell where the next request would begin. */
  holdBodyBack(): void {
    this.#staysAfterBody = this.shouldKeepAlive
    this.shouldKeepAlive = false
  }

  /** Asks for a body that was held back. */
  letBodyCome(): void {
    if (this.#staysAfterBody === null) return
    this.shouldKeepAlive = this.#staysAfterBody
    this.#staysAfterBody = null
    this.writeContinue()
  }
}

export interface NodeSide {
  readonly req: IncomingMessage
  readonly res: Answering
}

const isOwn = (node: { readonly res?: unknown } | undefined): node is NodeSide => node?.res instanceof Answering
const sideOf = (node: { readonly res?: unknown } | undefined): NodeSide | undefined => (isOwn(node) ? node : undefined)
/** Node's own request and answer; undefined for a request that was made inside this process. */
export const nodeSide = (event: H3Event): NodeSide | undefined => sideOf(event.runtime?.node)

/** What a request that is made inside this process brings along: it stands for the one that it is made for, and comes from where that came from. */
export const madeFor = ({ address, id }: RequestContext): { readonly standsFor: RequestContext } => ({
  standsFor: new RequestContext(address, id),
})

/** What is known of a request; of one made inside this process, what was said of it. */
export const contextOf = (event: H3Event): RequestContext =>
  nodeSide(event)?.res.context ??
  (event.context.standsFor instanceof RequestContext ? event.context.standsFor : new RequestContext("unknown"))
