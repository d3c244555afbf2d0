/** The settings and services that routes share, and the wrapper that turns a handler's errors into refusals. */
import { type H3, type H3Event, HTTPError } from "h3"
import type { Logger } from "pino"
import type { Ledger } from "../ledger/write/ledger.ts"
import type { Ask, StorageReadings } from "../ledger/reads/reading.ts"
import type { Db } from "../ledger/storage/database.ts"
import type { World } from "../ledger/world.ts"
import type { TablesOf, domain as ledger } from "../ledger/domains/domain.ts"
import type { domain as library } from "../library/index.ts"
import type { Accounts, ByProvider, domain as people } from "../people/accounts.ts"
import type { Operators } from "../people/acts.ts"
import type { research } from "../research/index.ts"
import type { News } from "../research/inbox/news.ts"
import type { ConcerningPerson } from "../research/inbox/inbox.ts"
import type { domain as rooms } from "../rooms/index.ts"
import type { WebhookActions } from "../rooms/webhooks.ts"
import type { domain as threads } from "../threads/threads.ts"
import { Refusal } from "../contract/refusals.ts"
import type { Family } from "../contract/service.ts"
import { sessionCookie } from "../contract/operations/actions.ts"
import type { Renderer } from "../renderer/renderer.ts"
import { type Answer, refused, type PublicRoute } from "./answers/answer.ts"
import type { Budgets } from "./limits/budgets.ts"
import type { Entrance } from "./sign-in-options.ts"
import type { RequestLog } from "./telemetry/request-log.ts"
import type { Metrics } from "./telemetry/metrics.ts"
import { contextOf, isReading } from "./limits/request-context.ts"
import type { RateLimits } from "./limits/rate-limits.ts"
import type { Reach } from "../rooms/webhook-addresses.ts"
import type { Person } from "../people/people.ts"
import { isUuid } from "../contract/schema/fields.ts"
import { shortened } from "../contract/text.ts"

// Path patterns, and the parameters in a path.

/** Parameters that end in Id but hold ids of other services. */
const FOREIGN = ["arxivId", "paperId"]
const isOwnId = (name: string): boolean => name.endsWith("Id") && !FOREIGN.includes(name)

/**
 * A path in h3's pattern syntax. An old-style arXiv id contains a slash, which gives a second pattern with two
 * segments.
 */
export function routePatterns(path: string): string[] {
  const pattern = path.replace(/\{([a-zA-Z]+)\}/g, ":$1")
  // A DOI may have any number of slashes.
  if (pattern.endsWith("/:paperId")) return [pattern.replace("/:paperId", "/**:paperId")]
  return pattern.includes("/:arxivId") ? [pattern, pattern.replace("/:arxivId", "/:archive/:arxivId")] : [pattern]
}

/** The parameters in the path, with ids in lower case. */
export function pathParams(event: H3Event): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [name, raw] of Object.entries(event.context.params ?? {})) {
    let value = raw
    try {
      value = decodeURIComponent(raw)
    } catch {
      // An undecodable value is looked up unchanged and not found.
    }
    // arXiv ids are case-sensitive: a subject class is in upper case.
    params[name] = isOwnId(name) ? value.toLowerCase() : value
  }
  const { archive, ...ids } = params
  return archive === undefined ? params : { ...ids, arxivId: `${archive}/${ids.arxivId}` }
}

/** Explains a 404 whose cause is an id of the wrong form in the path. */
function explainMalformedId(event: H3Event, refusal: Refusal): Refusal {
  if (refusal.status !== 404 || refusal.code === "unknown_operation") return refusal
  const [name, value] = Object.entries(pathParams(event)).find(([name, value]) => isOwnId(name) && !isUuid(value)) ?? []
  if (value === undefined) return refusal
  const sentence =
    `${name} in the path is "${shortened(value, 60)}", which is not an id: ` +
    "ids are UUIDs such as 0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5e, not labels or names."
  return new Refusal(refusal.code, sentence, refusal.details)
}

// Requests that reader threads answer for the serving thread, so that one long answer blocks nobody.

/** The cost of an answer: "page" takes milliseconds, "expensive" grows with the data it reads. */
export type Cost = "page" | "expensive"

/** A Room at an earlier moment, in a file. */
export interface StoredPast {
  readonly roomId: string
  readonly asOf: { readonly sequence: number; readonly acceptedAt: string }
  readonly file: string
}

/** A request as sent to a reader thread, with the caller that the serving thread identified. */
export interface OffloadedRequest {
  readonly method: "GET" | "HEAD" | "POST"
  /** Path and query, below the base path. */
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  /** The body of a read that has one. */
  readonly body?: Uint8Array
  readonly address: string
  readonly id: string
  readonly person: Person | null
  /**
   * The Room at the earlier moment that the request asks for. The serving thread keeps the file until the response
   * arrives.
   */
  readonly past: StoredPast | null
}

/** The response, ready to send. */
export interface OffloadedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | null
  readonly refusal: string | null
}

export interface Readers {
  /**
   * Has a reader thread answer a request.
   * @param signal aborted when the caller disconnects
   * @returns null if the calling thread must answer
   * @throws Refusal 503 while the service shuts down
   */
  answer(request: OffloadedRequest, cost: Cost, signal: AbortSignal): Promise<OffloadedResponse> | null
}

// The parts of an instance that routes use. `src/app` puts the instance together.

/** The tables of the domains, for authentication and for what pages show to the person signed in. */
type Tables = TablesOf<[typeof ledger, typeof people, typeof rooms, typeof threads, ...typeof research, typeof library]>

interface Instance {
  readonly instanceId: string
  /** The instances it was restored from, oldest first. */
  readonly lineage: readonly string[]
  readonly world: World
  /** The connection that reads the tables. */
  readonly db: Db
  /** The latest time given to a write that the clock has not reached; null if there is none. */
  readonly datedAhead: () => string | null
  readonly ledger: Ledger
  /** Resolves when the search index holds all earlier writes. */
  readonly indexed: () => Promise<void>
  readonly ask: Ask
  readonly accounts: Accounts
  readonly byProvider: ByProvider
  readonly operators: Operators
  readonly webhooks: WebhookActions
  /** What others did in a person's Rooms that concerns them, as of a time in milliseconds. */
  readonly concerning: ConcerningPerson
  /** The activity of Rooms, for feeds. */
  readonly news: News
  readonly tables: Tables
}

/** A Room at an earlier moment, until disposed. Its clock is set to the time of the entry. */
export interface Past extends Omit<StoredPast, "file">, Disposable {
  /** Null if only this thread can read it. */
  readonly file: string | null
  readonly instance: Instance
}

/** Restores Rooms as they were. */
export interface Pasts {
  /**
   * @param sequence the sequence of an entry of the Room's activity
   * @param caller who restores at most one at a time
   * @throws Refusal 422 for an entry that does not exist or is too far back, 503 if too many are being restored
   */
  of(roomId: string, sequence: number, caller?: string | null): Promise<Past>
}

export interface Edge {
  readonly instance: Instance
  /** Where people and agents reach the service: scheme, host and path, without a slash at the end. */
  readonly baseUrl: string
  readonly softwareVersion: string
  readonly log: Logger
  readonly requestLog?: RequestLog
  /** Renders the texts of pages; left out, the pages render on this thread. */
  readonly renderer?: Renderer
  /** Left out, nothing is counted. */
  readonly metrics?: Metrics
  /** Answers reads of earlier moments; left out, the application answers them on this thread. */
  readonly pasts?: Pasts
  /** Left out, there are no rate limits. */
  readonly rates?: RateLimits
  /** Left out, there are no budgets. */
  readonly budgets?: Budgets
  /** The ways to sign in; left out, passwords, and owners may invite. */
  readonly entrance?: Entrance
  /** Whether to take the client's address from the last entry of `X-Forwarded-For`. */
  readonly trustProxy?: boolean
  /** The token that lets other machines read the metrics. */
  readonly metricsToken?: string
  /** The contact for security reports in security.txt; left out, there is none. */
  readonly securityContact?: string
  /** The addresses that webhooks may use; left out, public ones. */
  readonly webhookReach?: Reach
  /** The state of the data files and their disk, for operators. */
  readonly storage?: () => StorageReadings
  /** A sentence that says why no write is accepted now; null if writes are accepted. Left out, they always are. */
  readonly whyNotReady?: () => Promise<string | null>
  /** Forwards a request to another process; null if this process answers it. Left out, this process answers all. */
  readonly forward?: (event: H3Event, route: PublicRoute) => Promise<Answer | null>
  /** Reader threads for pages and expensive answers; left out, this thread answers them. */
  readonly readers?: Readers
  /** Resolves when the result of a read may be sent; left out, at once. @throws Refusal 503 */
  readonly mayBeSent?: (read: string) => Promise<void> | undefined
}

/** The HTTP application. */
export type App = H3 & {
  readonly edge: Edge
  serves(method: string, path: string): boolean
  isForEveryOrigin(method: string, path: string): boolean
}

/** This caller may not know that the address exists: the response is the one for an unknown address. */
export class NotServed extends Error {}

export type Handler = (event: H3Event) => Answer | Promise<Answer>

/** Answers a failure that happened before the handler ran. */
export type Refused = (event: H3Event, error: unknown) => Answer | Promise<Answer>

/** The refusal for an unexpected failure. It is unknown whether a write was stored, so `committed` is null. */
export const fault = (
  method: string,
  what = "The service failed while it handled this request",
  retryAfter = 5,
): Refusal =>
  new Refusal(
    "temporarily_unavailable",
    `${what}. ${isReading(method) ? "Ask again in a moment." : "Send exactly the same request again."}`,
    { retryAfter, committed: isReading(method) ? false : null },
  )

/**
 * Wraps a handler: the refusals that it throws become responses in the form of its family.
 * @param route the path pattern from the registry
 */
export function refusing(edge: Edge, family: Family, route: string, handler: Handler): Handler {
  return async (event) => {
    contextOf(event).route = route
    try {
      const answer = await handler(event)
      logSignIn(edge, event, answer)
      return answer
    } catch (error) {
      if (error instanceof Refusal) return answerRefusal(edge, event, explainMalformedId(event, error), family)
      if (error instanceof NotServed) throw new HTTPError({ status: 404 })
      edge.requestLog?.failed(contextOf(event), error)
      return refused(fault(event.req.method), family)
    }
  }
}

/** Renders a refusal, and logs those that concern the service or authentication. */
export function answerRefusal({ requestLog }: Edge, event: H3Event, refusal: Refusal, family: Family): Answer {
  const context = contextOf(event)
  context.refusal = refusal.code
  // A visitor without a credential who reads what needs one has not tried to sign in.
  if (refusal.status === 401 && (!isReading(event.req.method) || event.req.headers.has("authorization")))
    requestLog?.authenticationFailed(context, refusal.message)
  if (refusal.status >= 500 && refusal.code !== "repository_unavailable") requestLog?.couldNotServe(context, refusal)
  return refused(refusal, family)
}

/** Logs a sign-in, recognised by its cookie, whichever route it used. */
function logSignIn({ requestLog, instance }: Edge, event: H3Event, answer: Answer): void {
  const context = contextOf(event)
  // Of the reads only the return from the identity provider signs anybody in.
  if (
    requestLog === undefined ||
    (isReading(event.req.method) && answer.headers["set-cookie"] === undefined) ||
    context.operation !== null
  )
    return
  if (answer.status === 401 || answer.status === 429) {
    requestLog.authenticationFailed(context)
    return
  }
  const token = new RegExp(`^${sessionCookie}=([^;]+)`).exec(answer.headers["set-cookie"] ?? "")?.[1]
  const person = token === undefined ? undefined : instance.tables.sessions.person(token)
  if (person !== undefined) requestLog.signedIn(context, person.username)
}
