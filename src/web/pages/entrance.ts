/** The pages for set-up, sign-in and invitations. */
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { entranceOf } from "../../edge/identity/sign-in.ts"
import { type Content, hiddenInputs, html, to } from "../html.ts"
import { field, refusedBox } from "../parts/entrance-field.ts"
import { exactTime } from "../parts/parts.ts"
import { ownPath } from "../redirect.ts"
import type { Shown, Visit } from "../visit.ts"
import { toProvider } from "./provider.ts"

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
  isNew
    ? `${limits.usernameMin} to ${limits.usernameMax} letters, digits, dots, dashes and underscores. Others can see it.`
    : undefined,
)}
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
