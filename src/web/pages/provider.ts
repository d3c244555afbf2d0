/**
 * Sign-in through the group's identity provider: the way there and back, the name of a new user, and connected
 * accounts.
 */
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { signedInBy } from "../../edge/requests/actions.ts"
import { clientOf, mustBeSignedIn } from "../../edge/identity/callers.ts"
import { readStep, stepCookie, mustHaveProvider, providerNamed } from "../../edge/identity/sign-in.ts"
import { isAdmitted } from "../../edge/sign-in-options.ts"
import { contextOf } from "../../edge/limits/request-context.ts"
import { proposedName, type Identity, ProviderRefusal } from "../../people/provider/provider.ts"
import { withQuery } from "../addresses.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { field, refusedBox } from "../parts/entrance-field.ts"
import { redirectedAway, ownPath, redirected } from "../redirect.ts"
import type { FormHandler, Shown, Visit, WebPage } from "../visit.ts"

/** Returns a link to sign in with the provider, if there is one. @param query the parameters of the link */
export function toProvider({ edge }: Pick<Visit, "edge">, query: Readonly<Record<string, string>>): Content {
  const name = providerNamed(edge)
  return (
    name && html`<p><a class="button" href="${to(withQuery("/sign-in/provider", query))}">Continue with ${name}</a></p>`
  )
}

/** Calls the provider, logs why it fails, and counts refused sign-ins. */
async function callProvider<T>({ edge, event }: Visit, work: () => Promise<T>): Promise<T> {
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
export const startAtProvider: FormHandler = async (visit) => {
  const { edge, event, parameter } = visit
  const { provider } = mustHaveProvider(edge)
  const connecting = parameter("connect") === undefined ? null : mustBeSignedIn(edge, event).userId
  const [setUp, invitation] = [parameter("setup"), parameter("invitation")]
  const by = setUp !== undefined ? { setUp } : invitation !== undefined ? { invitation } : null
  if (by !== null) edge.instance.accounts.mustAdmit(by)
  const { address, asked: request } = await callProvider(visit, () => provider.begin())
  const next = ownPath(parameter("next")).slice(0, limits.title)
  return redirectedAway(address, stepCookie(edge, { step: "asked", asked: request, by, connecting, next }))
}

/** Verifies what a browser brings back from the provider, and signs the person in. */
export const providerReturn: FormHandler = async (visit) => {
  const { edge, event, url, person } = visit
  const { provider, admits } = mustHaveProvider(edge)
  const began = readStep(edge, event, "asked")
  const identity = await callProvider(visit, () => provider.finish(url.search, began.asked))
  if (began.connecting !== null) {
    if (person?.userId !== began.connecting)
      throw new Refusal(
        "state_conflict",
        "You are no longer signed in as the user who began this. Sign in and connect the account again.",
      )
    return confirmed(visit, { step: "connecting", identity, userId: person.userId })
  }
  const known = await signedInBy(edge, event, identity)
  if (known !== undefined) return redirected(visit, began.next, known)
  const by = began.by ?? (isAdmitted(admits, identity) ? ("admitted" as const) : null)
  if (by === null) return () => strangerPage(provider.name, identity)
  const cookie = stepCookie(edge, { step: "newcomer", identity, by, next: began.next })
  return () => ({ ...joinForm(visit, proposedName(identity.called)), headers: cookie })
}

/** The name or address of an account, to recognise it by. */
const accountOf = ({ called, email }: Identity): Content =>
  called === null && email === null ? null : html` (${called ?? email})`

function confirmed(visit: Visit, step: { step: "connecting"; identity: Identity; userId: string }): WebPage {
  const name = providerNamed(visit.edge)
  return () => ({
    title: "Connect an account",
    headers: stepCookie(visit.edge, step),
    body: html`<h1>Connect an account</h1>\
<p class="lead">You will also be able to sign in as ${visit.person?.username} with the account at ${name}\
${accountOf(step.identity)}.</p>
<form class="stack" method="post" action="${to("/web/provider/connect")}"><div class="buttons">\
<button>Connect account</button><a class="button quiet" href="${to("/account")}">Cancel</a></div></form>`,
  })
}

function strangerPage(name: string, identity: Identity): Shown {
  return {
    title: "Not a member yet",
    status: 403,
    body: html`<h1>This account is not connected to a user</h1>
<p class="lead">Your account at ${name}${accountOf(identity)} is not connected to an account here. To create one, you \
need an invitation.</p>
<p>If you have an account here, sign in with your password and connect the two on your account page. Otherwise ask a \
member for an invitation and follow its link.</p>
<p><a href="${to("/sign-in")}">Sign in</a></p>`,
  }
}

/** Returns the form in which a new user chooses a name. */
export function joinForm({ edge }: Pick<Visit, "edge">, username: string, refusal?: Refusal): Shown {
  const hint =
    `${limits.usernameMin} to ${limits.usernameMax} letters, digits, dots and dashes. ` +
    "Others can see it. It cannot be changed later."
  return {
    title: "Your name here",
    status: refusal?.status ?? 200,
    body: html`<h1>Your name here</h1><p class="lead">${providerNamed(edge)} has confirmed who you are. What you write \
here will be shown under this name.</p>
${refusedBox(refusal)}
<form class="stack" method="post" action="${to("/web/provider/join")}">
${field(
  "username",
  "Name",
  {
    autocomplete: "username",
    value: username,
    maxlength: limits.usernameMax,
    autocapitalize: "none",
    spellcheck: "false",
  },
  refusal,
  hint,
)}
<div class="buttons"><button>Create the account</button></div></form>`,
  }
}

/** The section of the account page that connects or disconnects the provider's account. */
export function providerSection({ edge, person }: Visit): Html | null {
  const name = providerNamed(edge)
  if (name === undefined || person === undefined) return null
  const { password, issuer } = edge.instance.byProvider.signInMethods(person.userId)
  const state =
    issuer === null
      ? html`<p>You can also sign in with your account at ${name}.</p><p>\
<a class="button quiet" href="${to("/sign-in/provider?connect=1")}">Connect your account at ${name}</a></p>`
      : html`<p>You sign in with an account at ${name}${password ? "" : ". You have no password here"}.</p>${
          password &&
          edge.entrance?.passwords === true &&
          html`<form method="post" action="${to("/web/provider/disconnect")}">\
<button class="quiet">Disconnect account</button></form>`
        }`
  return html`<section aria-labelledby="provider"><h2 id="provider">${name}</h2>${state}</section>`
}
