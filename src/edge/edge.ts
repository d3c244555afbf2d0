/** What every route has at hand, and how a handler becomes one: refusals rendered, faults told without detail. */
import { type H3, type H3Event, HTTPError } from "h3"
import type { Logger } from "pino"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Family } from "../contract/versions.ts"
import type { Instance } from "./served-instance.ts"
import { sessionCookie } from "../contract/operations/actions.ts"
import type { Renderer } from "../renderer/renderer.ts"
import { type Answer, refused } from "./answers/answer.ts"
import type { Budgets } from "./limits/budgets.ts"
import type { Entrance } from "./sign-in-options.ts"
import type { Journal } from "./telemetry/request-log.ts"
import type { PublicRoute } from "./answers/public-answer.ts"
import { explainMalformedId } from "./paths.ts"
import type { Metrics } from "./telemetry/metrics.ts"
import { contextOf } from "./limits/request-context.ts"
import type { Pasts } from "./past-rooms.ts"
import type { RateLimits } from "./limits/rate-limits.ts"
import type { Readers } from "./limits/readers.ts"
import type { Reach } from "../rooms/webhook-addresses.ts"
import type { StorageReadings } from "../ledger/reads/reading.ts"

export interface Edge {
  readonly instance: Instance
  /** Where people and agents reach the service: scheme, host and path, without a slash at the end. */
  readonly baseUrl: string
  readonly softwareVersion: string
  readonly log: Logger
  /** Takes what the edge observes; left out, nobody does. */
  readonly journal?: Journal
  /** What renders the texts of pages; left out, the pages bring one that works on this thread. */
  readonly renderer?: Renderer
  /** Left out, nothing is counted. */
  readonly metrics?: Metrics
  /** What answers as of earlier moments; left out, the application brings what does it on this thread. */
  readonly pasts?: Pasts
  /** Left out, nobody is limited. */
  readonly rates?: RateLimits
  /** Left out, nothing is bounded by a budget. */
  readonly budgets?: Budgets
  /** By which doors people come in; left out, by their passwords, and owners invite. */
  readonly entrance?: Entrance
  /** Whether the last entry of `X-Forwarded-For` is where a request comes from. */
  readonly trustProxy?: boolean
  /** What opens the metrics to others than callers on this machine. */
  readonly metricsToken?: string
  /** Whom to tell of a weakness: an address as security.txt takes it. Left out, the service names nobody. */
  readonly securityContact?: string
  /** Where webhooks may be sent to; left out, public addresses. */
  readonly webhookReach?: Reach
  /** What an operator sees of the data: its files and their disk, and what keeps it. Left out, nothing. */
  readonly storage?: () => StorageReadings
  /** Why no write is taken now, in a sentence; null where they are. Left out, they always are. */
  readonly whyNotReady?: () => Promise<string | null>
  /** Whether another program wrote into the data, so that nothing read from it may be told. Left out, none does. */
  readonly isOverwritten?: () => boolean
  /** Forwards a request that another process answers; null for one that this process answers. Left out, it answers all. */
  readonly forward?: (event: H3Event, route: PublicRoute) => Promise<Answer | null>
  /** Makes pages and expensive answers; left out, this thread makes them. */
  readonly readers?: Readers
  /** Settles once what a read found may be told; left out, at once. @throws Refusal 503 */
  readonly mayBeTold?: (read: string) => Promise<void> | undefined
}

/** The application, and whether a path as it stands is one of its own. */
export type App = H3 & {
  readonly edge: Edge
  serves(method: string, path: string): boolean
  /** Whether pages of every origin may read what is answered there. */
  isForEveryOrigin(method: string, path: string): boolean
}

/** For this caller nothing is served at this address: the answer is the same as for an unknown one. */
export class NotServed extends Error {}

export type Handler = (event: H3Event) => Answer | Promise<Answer>

/** Answers what went wrong before a handler was asked. */
export type Refused = (event: H3Event, error: unknown) => Answer | Promise<Answer>

/** Something went wrong that no refusal foresaw: of a write it is not known whether it was stored, so say that. */
export function fault(method: string): Refusal {
  const isRead = method === "GET" || method === "HEAD"
  const advice = isRead ? "Ask again in a moment." : "Keep the id and the body, and send them again."
  return new Refusal("temporarily_unavailable", `The service failed while it handled this request. ${advice}`, {
    retryAfter: 5,
    committed: isRead ? false : null,
  })
}

/**
 * Lets a handler throw refusals, which become answers in the form of its family.
 * @param route the path as the registry writes it
 */
export function refusing(edge: Edge, family: Family, route: string, handler: Handler): Handler {
  return async (event) => {
    contextOf(event).route = route
    try {
      const answer = await handler(event)
      if (edge.isOverwritten?.()) return refused(fault(event.req.method), family)
      tellOfSignIn(edge, event, answer)
      return answer
    } catch (error) {
      // A write that was not stored is told so.
      const isToldAlready = error instanceof Refusal && error.code === "temporarily_unavailable"
      if (!isToldAlready && edge.isOverwritten?.()) return refused(fault(event.req.method), family)
      if (error instanceof Refusal) return answerRefusal(edge, event, explainMalformedId(event, error), family)
      if (error instanceof NotServed) throw new HTTPError({ status: 404 })
      edge.journal?.failed(contextOf(event), error)
      return refused(fault(event.req.method), family)
    }
  }
}

/** Renders a refusal; the operator hears of those that concern the service or who comes in. */
export function answerRefusal({ journal }: Edge, event: H3Event, refusal: Refusal, family: Family): Answer {
  const context = contextOf(event)
  context.refusal = refusal.code
  const isRead = event.req.method === "GET" || event.req.method === "HEAD"
  // A visitor who asks for what is for people only, without any credential, has not tried to come in.
  if (refusal.status === 401 && (!isRead || event.req.headers.has("authorization"))) journal?.turnedAway(context, refusal.message)
  if (refusal.status >= 500 && refusal.code !== "repository_unavailable") journal?.unable(context, refusal)
  return refused(refusal, family)
}

/** Tells of a sign-in by its cookie: by whatever door somebody came in, the journal has it. */
function tellOfSignIn({ journal, instance }: Edge, event: H3Event, answer: Answer): void {
  const context = contextOf(event)
  const isRead = event.req.method === "GET" || event.req.method === "HEAD"
  // Of what is asked only the way back from the group's provider signs anybody in.
  if (journal === undefined || (isRead && answer.headers["set-cookie"] === undefined) || context.operation !== null) return
  if (answer.status === 401 || answer.status === 429) {
    journal.turnedAway(context)
    return
  }
  const token = new RegExp(`^${sessionCookie}=([^;]+)`).exec(answer.headers["set-cookie"] ?? "")?.[1]
  const person = token === undefined ? undefined : instance.tables.sessions.person(token)
  if (person !== undefined) journal.cameIn(context, person.username)
}
