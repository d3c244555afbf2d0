/** Authenticates callers by credential, personal key or session, and checks the origin of browser requests. */
import { getCookie, type H3Event } from "h3"
import { sessionCookie } from "../../contract/operations/actions.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Family } from "../../contract/service.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Person } from "../../people/people.ts"
import { countedAs, contextOf, isReading, type RequestContext } from "../limits/request-context.ts"
import { type Edge, NotServed } from "../edge.ts"

/** Step 2 of an agent write: refuses requests from browser pages. @throws Refusal `browser_origin` */
export function mustNotComeFromBrowser(event: H3Event): void {
  if (event.req.headers.has("origin")) {
    throw new Refusal(
      "browser_origin",
      "Agent routes refuse requests with an Origin header; pages use the browser routes.",
    )
  }
}

/** The client's address as limits count it and logs show it. */
export const clientOf = (event: H3Event): string => countedAs(contextOf(event).address)

/** A browser write must come from a page of this service. @throws Refusal `browser_origin` */
export function mustComeFromOwnPage({ baseUrl }: Edge, event: H3Event): void {
  if (event.req.headers.get("origin") !== new URL(baseUrl).origin) {
    throw new Refusal("browser_origin", `Browser routes accept writes only from ${new URL(baseUrl).origin}.`)
  }
}

/**
 * Authenticates the bearer credential or key, and counts the request against the caller's rate limit.
 * @param method the method to count, if it differs from the request's
 * @throws Refusal `not_authenticated`, `too_many_requests`
 */
export function bearer(edge: Edge, family: Family, event: H3Event, method: string = event.req.method): Actor {
  const actor = counting(edge, event, () => authenticated(edge, family, event))
  return counted(edge, event, actor, method)
}

/** Counts a bearer who is refused. */
function counting(edge: Edge, event: H3Event, look: () => Actor): Actor {
  try {
    return look()
  } catch (error) {
    if (error instanceof Refusal && event.req.headers.has("authorization"))
      edge.rates?.refusedCredential(contextOf(event))
    throw error
  }
}

/** Counts the request of a bearer. */
function counted(edge: Edge, event: H3Event, actor: Actor, method: string): Actor {
  const context = contextOf(event)
  context.userId = actor.userId
  context.credentialId = actor.grant?.credentialId ?? null
  context.keyId = actor.key?.keyId ?? null
  edge.rates?.caller(context, context.credentialId ?? context.keyId ?? actor.userId, method)
  if (isReading(method)) noteUse(edge, context)
  return actor
}

/**
 * Checks that a bearer who waited for an answer may still receive it: a credential can expire or be revoked meanwhile.
 * @throws Refusal `not_authenticated`
 */
export const mustStillBeBearer = (edge: Edge, family: Family, event: H3Event): void =>
  void authenticated(edge, family, event)

/** Counts one more write of an authenticated caller. @throws Refusal `too_many_requests` */
export function countWrite(edge: Edge, { userId }: Actor, event: H3Event): void {
  const context = contextOf(event)
  edge.rates?.caller(context, context.credentialId ?? userId, "POST")
}

/**
 * Records that a credential or key was used for a read, so that its owner sees that it is in use. The request does not
 * wait for this. A write records its use in its own transaction.
 */
function noteUse({ instance: { ledger, tables, world } }: Edge, { credentialId, keyId }: RequestContext): void {
  const at = isoTime(world.now())
  const note = (tokens: Pick<typeof tables.credentials, "isUseDue" | "used">, id: string | null) => {
    if (id !== null && tokens.isUseDue(id, at)) void ledger.transact(() => tokens.used(id, at)).catch(() => undefined)
  }
  note(tables.credentials, credentialId)
  note(tables.library.keys, keyId)
}

/** Authenticates the bearer token. A cookie is never a fallback. @throws Refusal `not_authenticated` */
function authenticated({ instance }: Edge, family: Family, event: H3Event, by?: "recognised"): Actor {
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
  if (family === "research") return credentials.authenticate(token, at, by)
  const { key, ...person } = library.keys.authenticate(token, at, by)
  return { ...person, key }
}

/** The signed-in person, or undefined. @throws Refusal `too_many_requests` */
export function signedIn({ instance, rates }: Edge, event: H3Event): Person | undefined {
  const context = contextOf(event)
  if (context.person !== undefined) return context.person ?? undefined
  const token = getCookie(event, sessionCookie)
  const person = token === undefined ? undefined : instance.tables.sessions.person(token)
  // A page calls this more than once; count it once.
  if (person === undefined || context.userId !== null) return person
  context.userId = person.userId
  rates?.caller(context, person.userId, event.req.method)
  return person
}

/** Checks the same of a person, whose session can have ended meanwhile. @throws Refusal `not_authenticated` */
export function mustStillBeSignedIn({ instance }: Edge, event: H3Event): void {
  const token = getCookie(event, sessionCookie)
  if (token === undefined || instance.tables.sessions.person(token) === undefined)
    throw new Refusal("not_authenticated", "Your session has ended. Nothing was stored. Sign in again.")
}

/** @throws Refusal `not_authenticated` */
export function mustBeSignedIn(edge: Edge, event: H3Event): Person {
  const person = signedIn(edge, event)
  if (person !== undefined) return person
  if (getCookie(event, sessionCookie) !== undefined) edge.rates?.refusedCredential(contextOf(event))
  throw new Refusal("not_authenticated", "Sign in first.")
}

/** The signed-in operator. @throws NotServed for everybody else, who must not learn that the address exists */
export function mustBeOperator(edge: Edge, event: H3Event): Person {
  const person = signedIn(edge, event)
  if (person !== undefined && edge.instance.tables.people.isOperator(person.userId)) return person
  throw new NotServed()
}

/** The actor for a signed-in person, who has every permission. */
export const personActor = ({ userId, username }: Person): Actor => ({ userId, username, grant: null })

/** Authenticates an agent's request. @throws Refusal `browser_origin`, `not_authenticated`, `too_many_requests` */
export function agentCaller(edge: Edge, family: Family, event: H3Event): Actor {
  mustNotComeFromBrowser(event)
  return bearer(edge, family, event)
}

/**
 * Runs one write of an agent, who is recognised from an earlier request if possible: the write's transaction confirms
 * the credential anyway. A write that is refused is refused first of all for a credential that ended meanwhile.
 * @throws Refusal `browser_origin`, `not_authenticated`, `too_many_requests`, or that of the write
 */
export async function writingAgent<T>(
  edge: Edge,
  family: Family,
  event: H3Event,
  write: (actor: Actor) => Promise<T>,
): Promise<T> {
  mustNotComeFromBrowser(event)
  const actor = counting(edge, event, () => authenticated(edge, family, event, "recognised"))
  try {
    return await write(counted(edge, event, actor, event.req.method))
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) counting(edge, event, () => authenticated(edge, family, event))
    throw error
  }
}

/** Authenticates a request from a page of this service. @throws Refusal `browser_origin`, `not_authenticated` */
export function pageCaller(edge: Edge, event: H3Event): Actor {
  mustComeFromOwnPage(edge, event)
  return personActor(mustBeSignedIn(edge, event))
}
