/** Registers routes so that a path that exists with other methods answers 405, and GET also answers HEAD. */
import type { H3, H3Event } from "h3"
import type { Withholding } from "../../contract/answers/fields.ts"
import { holdsMark, inAnswers, inPage, withWords } from "../../contract/nouns/withholding.ts"
import { Refusal } from "../../contract/refusals.ts"
import { familyOf } from "../../contract/service.ts"
import { Answer, commonHeaders, Compressor, optionsAnswer, type Open, applyOpenness } from "../answers/answer.ts"
import { mustNotComeFromBrowser, signedIn } from "../identity/callers.ts"
import { type Edge, type Handler, refusing, routePatterns, type Past, type Refused, type Cost } from "../edge.ts"
import { callerKey, sharedBy, contextOf, isReading, nodeSide } from "../limits/request-context.ts"
import { type Moment, pastOf } from "./reads.ts"

// Sends a request to a reader thread. The serving thread keeps authentication and limits.

/**
 * Frees the memory of a body as soon as the system has sent it. V8 counts memory outside its heap as its own: a few
 * long responses would trigger a full collection of this thread's heap, and every request would wait for that.
 */
function freeWhenSent(event: H3Event, { buffer }: Uint8Array<ArrayBuffer>): void {
  const response = nodeSide(event)?.res
  // If the connection broke, the system may still hold the body.
  response?.once("close", () => response.writableFinished && buffer.transfer(0))
}

/** How reader threads answer the requests of a route. */
export interface Offloading {
  readonly cost: Cost
  /** The earlier moment that a request asks for; left out, the route has none. @throws Refusal */
  readonly moment?: (event: H3Event) => Moment | undefined
  /** Receives the body of a read that has one. @throws Refusal */
  readonly body?: (event: H3Event) => Promise<Uint8Array>
  /** Answers what was refused or failed before it reached a reader thread; left out, with an API's refusal. */
  readonly refused?: Refused
}

/** The Room at the moment that a request asks for: undefined for the present, null if it is refused. */
async function pastFor(edge: Edge, event: H3Event, { moment }: Offloading): Promise<Past | null | undefined> {
  try {
    const requested = moment?.(event)
    return requested && (await pastOf(edge, requested, callerKey(contextOf(event))))
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/**
 * Has a reader thread answer a read or a page.
 * @param path the path pattern from the registry
 * @returns null if this thread must answer: there are no reader threads, or they cannot read the requested moment
 * @throws Refusal 429 if the caller reached a limit, 503 if too many callers wait
 */
async function offload(edge: Edge, event: H3Event, path: string, offloading: Offloading): Promise<Answer | null> {
  const { readers, budgets } = edge
  const { req, url } = event
  const { method } = req
  const receive = method === "POST" ? offloading.body : undefined
  if (readers === undefined || !(isReading(method) || (method === "POST" && receive !== undefined))) return null
  using past = await pastFor(edge, event, offloading)
  if (past === null || past?.file === null) return null
  const context = contextOf(event)
  // The content of a page depends on who is signed in. Public reads are the same for everybody.
  const person = path.startsWith("/api/") ? null : (signedIn(edge, event) ?? null)
  using held = new DisposableStack()
  if (budgets !== undefined) held.defer(budgets.holdRead(sharedBy(context.address)))
  const { address, id } = context
  const body = await receive?.(event)
  const headers = [...req.headers].filter(([name]) => name !== "authorization")
  const response = await readers.answer(
    {
      method,
      target: `${url.pathname}${url.search}`,
      headers,
      ...(body !== undefined && { body }),
      address,
      id,
      person,
      past: past ? { roomId: past.roomId, asOf: past.asOf, file: past.file } : null,
    },
    offloading.cost,
    req.signal,
  )
  if (response === null) return null
  context.refusal = response.refusal
  if (response.body !== null) freeWhenSent(event, response.body)
  return new Answer(response.body, { ...response, isReady: true })
}

export type Method = "GET" | "POST" | "PATCH" | "DELETE"

/** A path pattern of h3 as a regular expression. */
const expressionOf = (route: string): RegExp =>
  new RegExp(
    `^${route
      .replace(/[.]/g, "\\.")
      .replace(/\*\*:[a-zA-Z]+/g, ".+")
      .replace(/:[a-zA-Z]+/g, "[^/]+")}/?$`,
  )

/** The search routes: the read, its page and its feeds. */
const searching = /^(?:\/api\/research)?\/search(?:\/|$)/

const isForOperators = (path: string): boolean => /^(?:\/api|\/web)?\/admin(?:\/|$)/.test(path)

/** The response with each mark replaced. A streamed response replaces its own marks. */
function withoutMarks({ instance }: Pick<Edge, "instance">, answer: Answer): Answer {
  const { body, status, headers } = answer
  if (typeof body !== "string" || !holdsMark(body)) return answer
  const type = headers["content-type"] ?? ""
  const { withheld, people } = instance.tables
  /** Describes one withholding. A person of another instance is shown with its host. */
  function find(key: string): Withholding | undefined {
    const withholding = withheld.of(key)
    const person = withholding && people.withId(withheld.personHere(key) ?? withholding.by.userId)
    return (
      withholding &&
      (person === undefined
        ? withholding
        : { ...withholding, by: { userId: person.userId, username: person.username } })
    )
  }
  const shown = type.startsWith("application/json")
    ? inAnswers(body, find)
    : type.startsWith("text/html")
      ? inPage(body, find)
      : withWords(body)
  return new Answer(shown, { status, headers })
}

export class Routes {
  readonly #app: H3
  readonly #edge: Edge
  readonly #methods = new Map<string, { path: string; methods: Method[]; open: Open | undefined }>()
  readonly #compressor = new Compressor()
  readonly #own: { method: Method; pattern: string; open: Open | undefined }[] = []
  /** The patterns as regular expressions, built on first use. */
  #expressions: RegExp[] | undefined

  constructor(app: H3, edge: Edge) {
    this.#app = app
    this.#edge = edge
  }

  /**
   * @param path with `{name}` for each parameter
   * @param open who may receive its responses, refusals included; left out, only the caller
   * @param offloading how reader threads answer it; left out, this thread answers
   */
  add(method: Method, path: string, handler: Handler, open?: Open, offloading?: Offloading): void {
    const { forward, instance, readers } = this.#edge
    const made: Handler =
      readers === undefined || offloading === undefined
        ? handler
        : async (event) => (await this.#offload(event, path, offloading)) ?? handler(event)
    const here: Handler = searching.test(path) ? (event) => instance.indexed().then(() => made(event)) : made
    const served: Handler =
      forward === undefined ? here : async (event) => (await forward(event, { path, open })) ?? here(event)
    const answered = refusing(this.#edge, familyOf(path), path, served)
    const route = async (event: H3Event) => {
      const made = await answered(event)
      const answer = made.isReady
        ? made
        : await applyOpenness(made.isForAll ? "here" : open, event, withoutMarks(this.#edge, made), this.#compressor)
      return event.req.method === "HEAD" ? answer.headOnly : answer.leaving
    }
    for (const pattern of routePatterns(path)) {
      const known = this.#methods.get(pattern)
      if (known === undefined) this.#methods.set(pattern, { path, methods: [method], open })
      else known.methods.push(method)
      this.#own.push({ method, pattern, open })
      this.#app.on(method, pattern, route)
      if (method === "GET") this.#app.on("HEAD", pattern, route)
    }
  }

  async #offload(event: H3Event, path: string, offloading: Offloading): Promise<Answer | null> {
    try {
      return await offload(this.#edge, event, path, offloading)
    } catch (error) {
      if (offloading.refused === undefined) throw error
      return offloading.refused(event, error)
    }
  }

  has(method: string, path: string): boolean {
    return this.#find(method, path) !== undefined
  }

  isForEveryOrigin(method: string, path: string): boolean {
    return this.#find(method, path)?.open === "everywhere"
  }

  #find(method: string, path: string) {
    const registered = method === "HEAD" ? "GET" : method
    if (this.#expressions?.length !== this.#own.length)
      this.#expressions = this.#own.map(({ pattern }) => expressionOf(pattern))
    const expressions = this.#expressions
    return this.#own.find(
      (route, at) => (method === "OPTIONS" || route.method === registered) && expressions[at]?.test(path),
    )
  }

  /**
   * Answers the remaining methods of all paths: OPTIONS lists the allowed ones, others get 405. OPTIONS on an agent's
   * path refuses pages.
   */
  refuseOtherMethods(): void {
    for (const [pattern, { path, methods, open }] of this.#methods) {
      // The methods of operators' paths would reveal to others that they exist.
      if (isForOperators(path)) continue
      const allow = [...methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])), "OPTIONS"].join(
        ", ",
      )
      const other = refusing(this.#edge, familyOf(path), path, (event) => {
        if (event.req.method !== "OPTIONS")
          throw new Refusal("method_not_allowed", `This path accepts ${allow}.`, { headers: { allow } })
        if (path.startsWith("/api/agent/") && open !== "everywhere") mustNotComeFromBrowser(event)
        return optionsAnswer(allow, open, commonHeaders)
      })
      this.#app.all(pattern, async (event) => (await other(event)).leaving)
    }
  }
}
