/** Coming in by the group's identity provider: the way there, the way back, and what a person says of themselves then. */
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { signedInBy } from "../../edge/requests/actions.ts"
import { clientOf, mustBeSignedIn } from "../../edge/identity/callers.ts"
import { readStep, stepCookie, mustHaveProvider, providerNamed } from "../../edge/identity/sign-in.ts"
import { isAdmitted } from "../../edge/sign-in-options.ts"
import { contextOf } from "../../edge/limits/request-context.ts"
import { proposedName } from "../../people/provider/names.ts"
import { type Identity, ProviderRefusal } from "../../people/provider/provider.ts"
import { withQuery } from "../addresses.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { field } from "../parts/entrance-field.ts"
import { redirectedAway, ownPath, redirected } from "../redirect.ts"
import type { Sent, Shown, Visit, WebPage } from "../visit.ts"

/** The link by which somebody goes to the provider; null where there is none. @param given with what they come */
export function toProvider({ edge }: Pick<Visit, "edge">, given: Readonly<Record<string, string>>): Html | null {
  const name = providerNamed(edge)
  return name === undefined
    ? null
    : html`<p><a class="button" href="${to(withQuery("/sign-in/provider", given))}">Continue with ${name}</a></p>`
}

/** Does what asks the provider; what went wrong is in the log in the words of who found it. */
async function asked<T>({ edge, event }: Visit, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProviderRefusal) edge.requestLog?.authenticationFailed(contextOf(event), error.why)
    if (error instanceof Refusal && error.status === 401) {
      edge.rates?.refusedCredential(contextOf(event))
      await edge.instance.accounts.failedByProvider(clientOf(event))
    }
    throw error
  }
}

/** Sends a browser to the provider. */
export const startAtProvider: Sent = async (visit) => {
  const { edge, event, url } = visit
  const { provider } = mustHaveProvider(edge)
  const given = (name: string) => url.searchParams.get(name) ?? undefined
  const connecting = given("connect") === undefined ? null : mustBeSignedIn(edge, event).userId
  const [setUp, invitation] = [given("setup"), given("invitation")]
  const by = setUp !== undefined ? { setUp } : invitation !== undefined ? { invitation } : null
  if (by !== null) edge.instance.accounts.mustAdmit(by)
  const { address, asked: waited } = await asked(visit, () => provider.begin())
  const next = ownPath(given("next")).slice(0, limits.title)
  return redirectedAway(address, stepCookie(edge, { step: "asked", asked: waited, by, connecting, next }))
}

/** Verifies what a browser brings back from the provider, and signs the person in. */
export const providerReturn: Sent = async (visit) => {
  const { edge, event, url, person } = visit
  const { provider, admits } = mustHaveProvider(edge)
  const began = readStep(edge, event, "asked")
  const identity = await asked(visit, () => provider.finish(url.search, began.asked))
  if (began.connecting !== null) {
    if (person?.userId !== began.connecting)
      throw new Refusal("state_conflict", "You are no longer signed in as the user who began this. Sign in and connect the account again.")
    return confirmed(visit, { step: "connecting", identity, userId: person.userId })
  }
  const known = await signedInBy(edge, event, identity)
  if (known !== undefined) return redirected(visit, began.next, known)
  const by = began.by ?? (isAdmitted(admits, identity) ? ("admitted" as const) : null)
  if (by === null) return () => strangerPage(provider.name, identity)
  const cookie = stepCookie(edge, { step: "newcomer", identity, by, next: began.next })
  return () => ({ ...joinForm(visit, proposedName(identity.called)), headers: cookie })
}

/** How somebody knows an account again. */
const accountOf = ({ called, email }: Identity): Content => (called === null && email === null ? null : html` (${called ?? email})`)

function confirmed(visit: Visit, step: { step: "connecting"; identity: Identity; userId: string }): WebPage {
  const name = providerNamed(visit.edge)
  return () => ({
    title: "Another way in",
    headers: stepCookie(visit.edge, step),
    body: html`<h1>Another way in</h1><p class="lead">From now on the account at ${name}${accountOf(step.identity)} also opens yours here, ${visit.person?.username}.</p>
<form class="stack" method="post" action="${to("/web/provider/connect")}"><div class="buttons"><button>Connect it</button><a class="button quiet" href="${to("/account")}">Cancel</a></div></form>`,
  })
}

function strangerPage(name: string, identity: Identity): Shown {
  return {
    title: "Not a member yet",
    status: 403,
    body: html`<h1>No user signs in with this account</h1>
<p class="lead">${name} knows you${accountOf(identity)}, but no account here is connected with yours there, and it takes an invitation to make one.</p>
<p>If you have an account here, sign in with its password and connect the two on your account page. Otherwise ask a member for an invitation and follow its link.</p>
<p><a href="${to("/sign-in")}">Sign in</a></p>`,
  }
}

/** Asks somebody new what they want to be called here. */
export function joinForm({ edge }: Pick<Visit, "edge">, username: string, refusal?: Refusal): Shown {
  const faults = (refusal?.details.issues ?? []).filter(({ path }) => path === "/username").map(({ message }) => message)
  const hint = `${limits.usernameMin} to ${limits.usernameMax} letters, digits, dots, dashes. Others see it; it cannot be changed later.`
  return {
    title: "Your name here",
    status: refusal?.status ?? 200,
    body: html`<h1>Your name here</h1><p class="lead">${providerNamed(edge)} vouches for you. What you say here will stand under this name.</p>
${refusal === undefined ? null : html`<div class="refused" role="alert"><p>${faults.length > 0 ? "Some of this needs correcting." : refusal.message}</p></div>`}
<form class="stack" method="post" action="${to("/web/provider/join")}">
${field("username", "Name", { autocomplete: "username", value: username, maxlength: limits.usernameMax, autocapitalize: "none", spellcheck: "false" }, faults, hint)}
<div class="buttons"><button>Create the account</button></div></form>`,
  }
}

/** On the account page: the way in by the provider, given or taken back. */
export function providerSection({ edge, person }: Visit): Html | null {
  const name = providerNamed(edge)
  if (name === undefined || person === undefined) return null
  const { password, issuer } = edge.instance.byProvider.waysOf(person.userId)
  const state =
    issuer === null
      ? html`<p>You can also sign in with your account at ${name}.</p><p><a class="button quiet" href="${to("/sign-in/provider?connect=1")}">Connect your account at ${name}</a></p>`
      : html`<p>You sign in with an account at ${name}${password ? "" : "; you have no password here"}.</p>${
          password && edge.entrance?.passwords === true
            ? html`<form method="post" action="${to("/web/provider/disconnect")}"><button class="quiet">Disconnect it</button></form>`
            : null
        }`
  return html`<section aria-labelledby="provider"><h2 id="provider">${name}</h2>${state}</section>`
}
