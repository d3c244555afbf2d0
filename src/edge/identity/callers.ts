/** Who asks: by a credential, a personal key or a browser's session, and from where a browser may. */
import { getCookie, type H3Event } from "h3"
import { sessionCookie } from "../../contract/operations/actions.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Family } from "../../contract/versions.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Person } from "../../people/people.ts"
import { countedAs } from "../limits/address.ts"
import { type Edge, NotServed } from "../edge.ts"
import { contextOf, type RequestContext } from "../limits/request-context.ts"

/** Step 2 of an agent write. @throws Refusal `browser_origin` */
export function mustNotComeFromBrowser(event: H3Event): void {
  if (event.req.headers.has("origin")) {
    throw new Refusal("browser_origin", "Agent routes do not take requests with an Origin header; people use the browser routes.")
  }
}

/** Where a request comes from, as it is counted and noted. */
export const clientOf = (event: H3Event): string => countedAs(contextOf(event).address)

/** A browser write must come from a page of this service. @throws Refusal `browser_origin` */
export function mustComeFromOwnPage({ baseUrl }: Edge, event: H3Event): void {
  if (event.req.headers.get("origin") !== new URL(baseUrl).origin) {
    throw new Refusal("browser_origin", `Browser routes take writes from ${new URL(baseUrl).origin} only.`)
  }
}

/**
 * Who the bearer credential or key speaks for, within what one caller may ask.
 * @param method as what it is counted, where it is not what it looks like
 * @throws Refusal `not_authenticated`, `too_many_requests`
 */
export function bearer(edge: Edge, family: Family, event: H3Event, method: string = event.req.method): Actor {
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
  edge.rates?.caller(context, context.credentialId ?? context.keyId ?? actor.userId, method)
  if (method === "GET" || method === "HEAD") noteUse(edge, context)
  return actor
}

/**
 * Makes sure that a bearer who waited for an answer may still have it: a credential can be revoked, and can expire, meanwhile.
 * @throws Refusal `not_authenticated`
 */
export const mustStillBeBearer = (edge: Edge, family: Family, event: H3Event): void => void authenticated(edge, family, event)

/** Counts one more write of a caller who is known already. @throws Refusal `too_many_requests` */
export function countWrite(edge: Edge, { userId }: Actor, event: H3Event): void {
  const context = contextOf(event)
  edge.rates?.caller(context, context.credentialId ?? userId, "POST")
}

/** Notes the use of a credential or key: many only read, and their person wants to see that they are in use. The request does not wait for it. A write notes its use in its own transaction. */
function noteUse({ instance: { ledger, tables, world } }: Edge, { credentialId, keyId }: RequestContext): void {
  const at = isoTime(world.now())
  const note = (tokens: Pick<typeof tables.credentials, "isUseDue" | "used">, id: string | null) => {
    if (id !== null && tokens.isUseDue(id, at)) void ledger.transact(() => tokens.used(id, at)).catch(() => undefined)
  }
  note(tables.credentials, credentialId)
  note(tables.library.keys, keyId)
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
  return { ...person, key }
}

/** Who is signed in, or undefined. @throws Refusal `too_many_requests` for more than one person may ask */
export function signedIn({ instance, rates }: Edge, event: H3Event): Person | undefined {
  const context = contextOf(event)
  if (context.person !== undefined) return context.person ?? undefined
  const token = getCookie(event, sessionCookie)
  const person = token === undefined ? undefined : instance.tables.sessions.person(token)
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

/** The operator who asks. @throws NotServed for everybody else: to them nothing is here */
export function mustBeOperator(edge: Edge, event: H3Event): Person {
  const person = signedIn(edge, event)
  if (person !== undefined && edge.instance.tables.people.isOperator(person.userId)) return person
  throw new NotServed()
}

/** A signed-in person acts with every permission. */
export const personActor = ({ userId, username }: Person): Actor => ({ userId, username, grant: null })

/** Who asks with a credential or key, and from no page. @throws Refusal `browser_origin`, `not_authenticated`, `too_many_requests` */
export function agentCaller(edge: Edge, family: Family, event: H3Event): Actor {
  mustNotComeFromBrowser(event)
  return bearer(edge, family, event)
}

/** Who asks from a page of this service. @throws Refusal `browser_origin`, `not_authenticated` */
export function pageCaller(edge: Edge, event: H3Event): Actor {
  mustComeFromOwnPage(edge, event)
  return personActor(mustBeSignedIn(edge, event))
}
