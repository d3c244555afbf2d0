/** Which ways of signing in are enabled, and the cookie that carries a sign-in through the identity provider. */
import * as v from "valibot"
import type { Edge } from "../edge.ts"
import { getCookie, type H3Event } from "h3"
import { Refusal } from "../../contract/refusals.ts"
import type { Admission } from "../../people/joining.ts"
import type { Person } from "../../people/people.ts"
import type { SignInRequest } from "../../people/provider.ts"
import type { Entrance } from "../sign-in-options.ts"

// The cookies that this service sets.

/**
 * A cookie limited to this service's path, because several services may share a host; `Secure` behind https. @param
 * maxAge in seconds; 0 deletes the cookie
 */
export function cookieOf(
  { baseUrl }: Pick<Edge, "baseUrl">,
  name: string,
  value: string,
  maxAge: number,
): { "set-cookie": string } {
  const { protocol, pathname } = new URL(baseUrl)
  const secure = protocol === "https:" ? "; Secure" : ""
  const path = pathname.replace(/(?<=.)\/$/, "")
  return { "set-cookie": `${name}=${value}; Max-Age=${maxAge}; Path=${path}; HttpOnly; SameSite=Lax${secure}` }
}

const usual: Entrance = { passwords: true, invitations: "owners" }
export const entranceOf = ({ entrance = usual }: Pick<Edge, "entrance">): Entrance => entrance

/** The display name of the identity provider, if there is one. */
export const providerNamed = (edge: Pick<Edge, "entrance">): string | undefined =>
  entranceOf(edge).provider?.provider.name

/** @throws Refusal `state_conflict` if sign-in with a password is disabled */
export function mustTakePasswords(edge: Edge): void {
  if (entranceOf(edge).passwords) return
  throw new Refusal("state_conflict", `Sign-in with a password is disabled. Sign in with ${providerNamed(edge)}.`, {
    current: { passwords: "off" },
  })
}

/** Whether a person may create invitations. For an invitation into a Room they must also own it. */
export function mayInvite(edge: Pick<Edge, "entrance" | "instance">, { userId, isOperator }: Person): boolean {
  const { invitations } = entranceOf(edge)
  if (isOperator || invitations === "everyone") return true
  return invitations === "owners" && edge.instance.tables.members.ownsAny(userId)
}

const needed: Readonly<Record<Entrance["invitations"], string>> = {
  operator: "Only an operator of this service can invite.",
  owners: "Only owners of Rooms and operators of this service can invite.",
  everyone: "",
}

/** @throws Refusal `role_required` */
export function mustBeInviter(edge: Edge, person: Person): void {
  if (mayInvite(edge, person)) return
  const { invitations } = entranceOf(edge)
  throw new Refusal("role_required", needed[invitations], {
    current: { needed: invitations === "operator" ? ["operator"] : ["owner", "operator"] },
  })
}

const newcomer: v.GenericSchema<unknown, Admission> = v.union([
  v.strictObject({ setUp: v.string() }),
  v.strictObject({ invitation: v.string() }),
  v.literal("admitted"),
])
const identity = v.strictObject({
  issuer: v.string(),
  subject: v.string(),
  called: v.nullable(v.string()),
  email: v.nullable(v.string()),
})
/**
 * The state of a sign-in through the provider, kept in a cookie on the way to the provider and back to the page that
 * asks for confirmation.
 */
const stepSchema = v.variant("step", [
  v.strictObject({
    step: v.literal("asked"),
    asked: v.strictObject({ state: v.string(), nonce: v.string(), verifier: v.string() }) satisfies v.GenericSchema<
      unknown,
      SignInRequest
    >,
    /** What entitles the person to create an account; null if nothing does. */
    by: v.nullable(newcomer),
    /** The signed-in user who connects the provider to their account; null for a sign-in. */
    connecting: v.nullable(v.string()),
    next: v.string(),
  }),
  v.strictObject({ step: v.literal("newcomer"), identity, by: newcomer, next: v.string() }),
  v.strictObject({ step: v.literal("connecting"), identity, userId: v.string() }),
])
type SignInStep = v.InferOutput<typeof stepSchema>
type Step = SignInStep["step"]
const isOf = <S extends Step>(one: SignInStep, step: S): one is Extract<SignInStep, { step: S }> => one.step === step

const COOKIE = "research_room_provider"
/** Seconds that a step may take. */
const PATIENCE = 600

/** @throws Refusal `unknown_operation` if no provider is configured */
export function mustHaveProvider(edge: Pick<Edge, "entrance">): NonNullable<Entrance["provider"]> {
  const { provider } = entranceOf(edge)
  if (provider === undefined) throw new Refusal("unknown_operation", "This service has no identity provider.")
  return provider
}

/** The cookie that holds a step. */
export const stepCookie = (edge: Edge, step: SignInStep) =>
  cookieOf(edge, COOKIE, mustHaveProvider(edge).encrypter.encrypt(step, PATIENCE), PATIENCE)

/**
 * Reads the step from the cookie. @throws Refusal `not_authenticated` if the cookie is missing, expired or for another
 * step
 */
export function readStep<S extends Step>(edge: Edge, event: H3Event, step: S): Extract<SignInStep, { step: S }> {
  const { provider, encrypter } = mustHaveProvider(edge)
  const read = v.safeParse(stepSchema, encrypter.decrypt(getCookie(event, COOKIE) ?? ""))
  if (read.success && isOf(read.output, step)) return read.output
  throw new Refusal(
    "not_authenticated",
    `This sign-in with ${provider.name} expired, or was started in another browser. Start it again.`,
  )
}
