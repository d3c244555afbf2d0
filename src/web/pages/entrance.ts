/** The pages for set-up, sign-in and invitations, and the way through the identity provider and back. */
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import { entranceOf, readStep, stepCookie, mustHaveProvider, providerNamed } from "../../edge/identity/sign-in.ts"
import { type Content, hiddenInputs, html, to, type Html, attributes, withQuery } from "../html.ts"
import { exactTime } from "../parts/parts.ts"
import {
  ownPath,
  redirectedAway,
  redirected,
  type Shown,
  type Visit,
  type FormHandler,
  type WebPage,
} from "../visit.ts"
import { signedInBy } from "../../edge/requests/actions.ts"
import { clientOf, mustBeSignedIn } from "../../edge/identity/callers.ts"
import { isAdmitted } from "../../edge/sign-in-options.ts"
import { contextOf } from "../../edge/limits/request-context.ts"
import { proposedName, type Identity, ProviderRefusal } from "../../people/provider.ts"

// The inputs of the forms for signing in and for accounts, and the message above a refused one.

/** @param refusal the refusal of the form, which may have found faults in the value */
export function field(
  name: string,
  text: string,
  more: Readonly<Record<string, string | number | boolean | null>>,
  refusal?: Refusal,
  hint?: string,
): Html {
  const isMissing = (message: string) => more.value === "" || message === "must have at least 1 characters"
  const isTaken = name === "username" && refusal?.details.current?.username !== undefined
  const faults = isTaken
    ? [refusal.message]
    : (refusal?.details.issues ?? []).flatMap(({ path, message }) =>
        path !== `/${name}` ? [] : [isMissing(message) ? `${text} is missing.` : `It ${message}.`],
      )
  const isWrong = faults.length > 0
  const described = isWrong ? `${name}-fault` : hint && `${name}-hint`
  return html`<div class="field${isWrong ? " wrong" : ""}"><label for="${name}">${text}</label>
    <input${attributes({
      id: name,
      name,
      required: true,
      "aria-invalid": isWrong ? "true" : null,
      "aria-describedby": described,
      ...more,
    })}>${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}\
${isWrong && html`<p class="fault" id="${name}-fault">${[...new Set(faults)].join(" ")}</p>`}</div>`
}

const NAME_HINT =
  `${limits.usernameMin} to ${limits.usernameMax} letters, digits, dots, dashes and underscores. ` +
  "Others can see it."

const nameField = (value: string, refusal: Refusal | undefined, hint?: string): Html =>
  field(
    "username",
    "Name",
    { autocomplete: "username", value, maxlength: limits.usernameMax, autocapitalize: "none", spellcheck: "false" },
    refusal,
    hint,
  )

/** The message above a refused form. Faults of a field are shown beside the field. @param before what did not happen */
export const refusedBox = (refusal: Refusal | undefined, before = ""): Html | undefined =>
  refusal &&
  html`<div class="refused" role="alert"><p>${before}\
${refusal.code === "invalid_schema" ? "Correct what is marked below." : refusal.message}</p></div>`

// Sign-in through the group's identity provider: the way there and back, the name of a new user, and connected
// accounts.

/** Returns a link to sign in with the provider, if there is one. @param query the parameters of the link */
function toProvider({ edge }: Pick<Visit, "edge">, query: Readonly<Record<string, string>>): Content {
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
  return {
    title: "Your name here",
    status: refusal?.status ?? 200,
    body: html`<h1>Your name here</h1><p class="lead">${providerNamed(edge)} has confirmed who you are. What you write \
here will be shown under this name.</p>
${refusedBox(refusal)}
<form class="stack" method="post" action="${to("/web/provider/join")}">
${nameField(username, refusal, `${NAME_HINT} It cannot be changed later.`)}
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

/** The texts and fields of a sign-in, set-up or invitation form. */
export interface EntranceForm {
  readonly heading: string
  readonly lead: Content
  readonly action: string
  readonly button: string
  readonly hidden?: Readonly<Record<string, string>>
  /** Query parameters of the link to the identity provider. */
  readonly with: Readonly<Record<string, string>>
  readonly isNew: boolean
}

/** Returns the page with the form: a name and a password, and a link to the identity provider if there is one. */
export function entrance(visit: Visit, entering: EntranceForm, username = "", refusal?: Refusal): Shown {
  const { heading: text, lead, action, button, hidden = {}, isNew } = entering
  return {
    title: text,
    status: refusal?.status ?? 200,
    body: html`<h1>${text}</h1><p class="lead">${lead}</p>${refusedBox(refusal)}
${toProvider(visit, entering.with)}${
  entranceOf(visit.edge).passwords &&
  html`<form class="stack" method="post" action="${to(action)}">${hiddenInputs(Object.entries(hidden))}
${nameField(username, refusal, isNew ? NAME_HINT : undefined)}
${field(
  "password",
  "Password",
  { type: "password", autocomplete: isNew ? "new-password" : "current-password", maxlength: limits.passwordMax },
  refusal,
  isNew ? `At least ${limits.passwordMin} characters. A sentence works well.` : undefined,
)}
<div class="buttons"><button>${button}</button></div></form>`
}`,
  }
}

export const signInForm = (next: string): EntranceForm => ({
  heading: "Sign in",
  lead: "Reading needs no account. Accounts are made by invitation.",
  action: "/web/sign-in",
  button: "Sign in",
  hidden: { next },
  with: { next },
  isNew: false,
})
/** @throws Refusal `state_conflict` if there is a user already */
export function setUpForm({ edge }: Visit, token: string): EntranceForm {
  if (edge.instance.tables.people.exist())
    throw new Refusal("state_conflict", "This instance is set up already. Sign in instead.")
  return {
    heading: "Set up this service",
    lead: "You are the first person here and become its operator. The link works once.",
    action: "/web/setup",
    button: "Create the account",
    hidden: { token },
    with: { setup: token },
    isNew: true,
  }
}

export const signInPage = (visit: Visit): Shown => entrance(visit, signInForm(ownPath(visit.parameter("next"))))

/**
 * Whether a refusal means that a set-up or invitation link no longer works, and not that a name or an account is taken.
 */
export const isOfClosedLink = ({ code, details: { current } }: Refusal): boolean =>
  code === "room_unavailable" ||
  (code === "state_conflict" && current?.username === undefined && current?.connected === undefined)

/** The page for a link that was used already or has expired. */
export const closedLink = (refusal: Refusal): Shown => ({
  title: "This link no longer works",
  status: refusal.status,
  body: html`<h1>This link no longer works</h1><p class="lead">${refusal.message}</p>
<p>No account was created. If you have an account here, <a href="${to("/sign-in")}">sign in</a>. If not, ask the \
person who sent you the link for a new invitation.</p>`,
})

/** Returns the page of a set-up or invitation link, or the page for a link that no longer works. */
export function byLink(visit: Visit, formOf: () => EntranceForm, username?: string, refusal?: Refusal): Shown {
  try {
    return entrance(visit, formOf(), username, refusal)
  } catch (error) {
    if (error instanceof Refusal && isOfClosedLink(error)) return closedLink(error)
    throw error
  }
}

export const setUpPage = (visit: Visit): Shown => byLink(visit, () => setUpForm(visit, visit.parameter("token") ?? ""))

export function invitationForm(visit: Visit, token: string): EntranceForm {
  const { invitedBy, room, expiresAt } = visit.edge.instance.accounts.invitation(token)
  return {
    heading: "You are invited",
    lead: html`${invitedBy.username} invites you${
      room === null ? " to this service" : html` to the Room “${room.title}”`
    }. The link works once, until ${exactTime(expiresAt)}.`,
    action: `/web/invitations/${token}`,
    button: "Create the account",
    with: { invitation: token, next: room === null ? "/" : `/rooms/${room.roomId}` },
    isNew: true,
  }
}
export const invitationPage = (visit: Visit): Shown =>
  byLink(visit, () => invitationForm(visit, visit.params.token ?? ""))
