/** What every route has at hand, and how a handler becomes one: refusals rendered, faults told without detail. */
import { getCookie, type H3, type H3Event, type HTTPResponse } from "h3"
import type { Logger } from "pino"
import { Refusal } from "../contract/refusals.ts"
import type { Family } from "../contract/versions.ts"
import type { Instance } from "./instance.ts"
import type { Actor } from "../ledger/actor.ts"
import { isoTime } from "../ledger/world.ts"
import type { Person } from "../people/people.ts"
import { sessionCookie } from "../contract/actions.ts"
import type { Renderer } from "../renderer/renderer.ts"
import { countedAs } from "./address.ts"
import { refused } from "./answer.ts"
import type { Budgets } from "./budgets.ts"
import type { Journal } from "./journal.ts"
import type { Metrics } from "./metrics.ts"
import { contextOf } from "./request-context.ts"
import type { RateLimits } from "./rate-limits.ts"

export interface Edge {
  readonly instance: Instance
  /** Where people and agents reach the service: scheme, host and path, without a slash at the end. */
  readonly baseUrl: string
  readonly softwareVersion: string
  readonly log: Logger
  /** Who is told of what the edge sees; left out, nobody. */
  readonly journal?: Journal
  /** What renders the texts of pages; left out, the pages bring one that works on this thread. */
  readonly renderer?: Renderer
  /** Left out, nothing is counted. */
  readonly metrics?: Metrics
  /** Left out, nobody is limited. */
  readonly rates?: RateLimits
  /** Left out, nothing is bounded by a budget. */
  readonly budgets?: Budgets
  /** Whether the last entry of `X-Forwarded-For` is where a request comes from. */
  readonly trustProxy?: boolean
  /** What opens the metrics to others than callers on this machine. */
  readonly metricsToken?: string
  /** Why no write is taken now, in a sentence; null where they are. Left out, they always are. */
  readonly whyNotReady?: () => Promise<string | null>
}

/** The application, and whether a path as it stands is one of its own. */
export type App = H3 & { readonly edge: Edge; serves(method: string, path: string): boolean }

export type Handler = (event: H3Event) => HTTPResponse | Promise<HTTPResponse>

/** Something went wrong that no refusal foresaw: of a write it is not known whether it was stored, so say that. */
export function fault({ req: { method } }: H3Event): Refusal {
  const isRead = method === "GET" || method === "HEAD"
  const advice = isRead ? "Ask again in a moment." : "Keep the id and the body, and send them again."
  return new Refusal("temporarily_unavailable", `The service failed while it handled this request. ${advice}`, {
    retryAfter: 5,
    committed: isRead ? false : null,
  })
}

/**
 * Lets a handler throw refusals, which are told in the words of its family.
 * @param route the path as the registry writes it
 */
export function refusing(edge: Edge, family: Family, route: string, handler: Handler): Handler {
  return async (event) => {
    contextOf(event).route = route
    try {
      const answer = await handler(event)
      tellOfSignIn(edge, event, answer)
      return answer
    } catch (error) {
      if (error instanceof Refusal) return tellOf(edge, event, error, family)
      edge.journal?.failed(contextOf(event), error)
      return refused(fault(event), family)
    }
  }
}

/** Renders a refusal; the operator hears of those that concern the service or who comes in. */
export function tellOf({ journal }: Edge, event: H3Event, refusal: Refusal, family: Family): HTTPResponse {
  const context = contextOf(event)
  context.refusal = refusal.code
  const isRead = event.req.method === "GET" || event.req.method === "HEAD"
  // A visitor who asks for what is for people only, without any credential, has not tried to come in.
  if (refusal.status === 401 && (!isRead || event.req.headers.has("authorization"))) journal?.turnedAway(context, refusal.message)
  if (refusal.status >= 500 && refusal.code !== "repository_unavailable") journal?.unable(context, refusal)
  return refused(refusal, family)
}

/** Tells of a sign-in by its cookie: by whatever door somebody came in, the journal has it. */
function tellOfSignIn({ journal, instance }: Edge, event: H3Event, answer: HTTPResponse): void {
  const context = contextOf(event)
  if (journal === undefined || event.req.method === "GET" || event.req.method === "HEAD" || context.operation !== null) return
  if (answer.status === 401 || answer.status === 429) {
    journal.turnedAway(context)
    return
  }
  const token = new RegExp(`^${sessionCookie}=([^;]+)`).exec(answer.headers.get("set-cookie") ?? "")?.[1]
  const person = token === undefined ? undefined : instance.tables.sessions.person(token)
  if (person !== undefined) journal.cameIn(context, person.username)
}

/** A path pattern as h3 writes it; one more where an old-style arXiv id may stand with its slash as it is, as two parts. */
export function routePatterns(path: string): string[] {
  const pattern = path.replace(/\{([a-zA-Z]+)\}/g, ":$1")
  return pattern.includes("/:arxivId") ? [pattern, pattern.replace("/:arxivId", "/:archive/:arxivId")] : [pattern]
}

/** What stands in the path: ids in lower case, everything else as it is. */
export function pathParams(event: H3Event): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [name, raw] of Object.entries(event.context.params ?? {})) {
    let value = raw
    try {
      value = decodeURIComponent(raw)
    } catch {
      // What cannot be decoded names nothing; it is looked up as it is and not found.
    }
    // A subject class in an arXiv id is in upper case.
    params[name] = name.endsWith("Id") && name !== "arxivId" ? value.toLowerCase() : value
  }
  const { archive, ...ids } = params
  return archive === undefined ? params : { ...ids, arxivId: `${archive}/${ids.arxivId}` }
}

/** Step 2 of an agent write. @throws Refusal `browser_origin` */
export function mustNotComeFromBrowser(event: H3Event): void {
  if (event.req.headers.has("origin")) {
    throw new Refusal("browser_origin", "Agent routes do not take requests with an Origin header; people use the browser routes.")
  }
}

/** A browser write must come from a page of this service. @throws Refusal `browser_origin` */
export function mustComeFromOwnPage({ baseUrl }: Edge, event: H3Event): void {
  if (event.req.headers.get("origin") !== new URL(baseUrl).origin) {
    throw new Refusal("browser_origin", `Browser routes take writes from ${new URL(baseUrl).origin} only.`)
  }
  // Here the sign-in limit looks for whom to count.
  event.context.clientAddress = countedAs(contextOf(event).address)
}

/** Who the bearer credential or key speaks for, within what one caller may ask. @throws Refusal `not_authenticated`, `too_many_requests` */
export function bearer(edge: Edge, family: Family, event: H3Event): Actor {
  const context = contextOf(event)
  let actor: Actor
  try {
    actor = authenticated(edge, family, event)
  } catch (error) {
    if (error instanceof Refusal && event.req.headers.has("authorization")) edge.rates?.refusedCredential(context)
    throw error
  }
  context.userId = actor.userId
  context.credentialId = actor.grant?.credentialId ?? null
  context.keyId = actor.key?.keyId ?? null
  edge.rates?.caller(context, context.credentialId ?? context.keyId ?? actor.userId, event.req.method)
  return actor
}

/** No cookie is ever a fallback. @throws Refusal `not_authenticated` */
function authenticated({ instance }: Edge, family: Family, event: H3Event): Actor {
  const [scheme = "", token = "", ...rest] = (event.req.headers.get("authorization") ?? "").trim().split(/\s+/)
  const { credentials, library } = instance.tables
  if (scheme.toLowerCase() !== "bearer" || token === "" || rest.length > 0) {
    throw new Refusal(
      "not_authenticated",
      family === "library"
        ? "Send a personal key as Authorization: Bearer rrk_…."
        : "Send a Room credential as Authorization: Bearer rrc_….",
    )
  }
  const at = isoTime(instance.world.now())
  if (family === "research") return credentials.authenticate(token, at)
  const { key, ...person } = library.keys.authenticate(token, at)
  // Most keys only read; their person wants to see all the same that they are in use. Nobody waits for that.
  if (library.keys.isUseDue(key.keyId, at)) void instance.ledger.transact(() => library.keys.used(key.keyId, at)).catch(() => undefined)
  return { ...person, key }
}

/** Who is signed in, or undefined. @throws Refusal `too_many_requests` for more than one person may ask */
export function signedIn({ instance, rates }: Edge, event: H3Event): Person | undefined {
  const token = getCookie(event, sessionCookie)
  const person = token === undefined ? undefined : instance.tables.sessions.person(token)
  const context = contextOf(event)
  // A page looks more than once.
  if (person === undefined || context.userId !== null) return person
  context.userId = person.userId
  rates?.caller(context, person.userId, event.req.method)
  return person
}

/** @throws Refusal `not_authenticated` */
export function mustBeSignedIn(edge: Edge, event: H3Event): Person {
  const person = signedIn(edge, event)
  if (person !== undefined) return person
  if (getCookie(event, sessionCookie) !== undefined) edge.rates?.refusedCredential(contextOf(event))
  throw new Refusal("not_authenticated", "Sign in first.")
}

/** A signed-in person acts with every permission. */
export const personActor = ({ userId, username }: Person): Actor => ({ userId, username, grant: null })
