/** How people come in: set-up, signing in and out, invitations, and one's own account. */
import type { Answer } from "../../edge/answer.ts"
import { type ActionName, actions, type FormAction, type OperatorAction } from "../../contract/actions.ts"
import { limits } from "../../contract/limits.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { Refusal } from "../../contract/refusals.ts"
import { acting, type Done } from "../../edge/actions.ts"
import { brought, entranceOf, mayInvite } from "../../edge/coming-in.ts"
import { readFormBody } from "../../edge/body.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { act } from "../parts/actions.ts"
import { field } from "../parts/entrance-field.ts"
import { stateBadge } from "../parts/marks.ts"
import { command, actionButton, empty, exactTime, facts, heading, table, time } from "../parts/parts.ts"
import { ownPath, redirected } from "../redirect.ts"
import type { Sent, Shown, Visit, WebPage } from "../visit.ts"
import { joinedWords } from "../words.ts"
import { joinForm, providerSection, toProvider } from "./provider.ts"

interface Entrance {
  readonly heading: string
  readonly lead: Content
  readonly action: string
  readonly button: string
  readonly hidden?: Readonly<Record<string, string>>
  /** With what somebody comes who goes on to the provider. */
  readonly with: Readonly<Record<string, string>>
  readonly isNew: boolean
}

/** A refusal in a sentence for the person; what is wrong with a field is told beside it. */
const said = ({ code, message }: Refusal): string => (code === "invalid_schema" ? "Some of this needs correcting." : message)

/** The one form of set-up, signing in and accepting an invitation: a name and a password, and the way by the provider where there is one. */
function entrance(visit: Visit, entering: Entrance, username = "", refusal?: Refusal): Shown {
  const { heading: text, lead, action, button, hidden = {}, isNew } = entering
  const faults = (name: string) => faultsOf(refusal, name)
  return {
    title: text,
    status: refusal?.status ?? 200,
    body: html`<h1>${text}</h1><p class="lead">${lead}</p>${refusal === undefined ? null : html`<div class="refused" role="alert"><p>${said(refusal)}</p></div>`}
${toProvider(visit, entering.with)}${
  !entranceOf(visit.edge).passwords
    ? null
    : html`<form class="stack" method="post" action="${to(action)}">${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${field("username", "Name", { autocomplete: "username", value: username, maxlength: limits.usernameMax, autocapitalize: "none", spellcheck: "false" }, faults("username"), isNew ? `${limits.usernameMin} to ${limits.usernameMax} letters, digits, dots, dashes; others see it.` : undefined)}
${field("password", "Password", { type: "password", autocomplete: isNew ? "new-password" : "current-password", maxlength: limits.passwordMax }, faults("password"), isNew ? `At least ${limits.passwordMin} characters; a sentence is good.` : undefined)}
<div class="buttons"><button>${button}</button></div></form>`
}`,
  }
}

const signInForm = (next: string): Entrance => ({
  heading: "Sign in",
  lead: "Reading needs no account. Accounts are made by invitation.",
  action: "/web/sign-in",
  button: "Sign in",
  hidden: { next },
  with: { next },
  isNew: false,
})
const setUpForm = (token: string): Entrance => ({
  heading: "Set this service up",
  lead: "You are the first person here, and its operator. The link works once.",
  action: "/web/setup",
  button: "Create the account",
  hidden: { token },
  with: { setup: token },
  isNew: true,
})

export const signInPage = (visit: Visit): Shown => entrance(visit, signInForm(ownPath(visit.url.searchParams.get("next"))))

export function setUpPage(visit: Visit): Shown {
  if (visit.edge.instance.tables.people.exist()) throw new Refusal("state_conflict", "This instance is set up already; sign in instead.")
  return entrance(visit, setUpForm(visit.url.searchParams.get("token") ?? ""))
}

function invitationForm(visit: Visit, token: string): Entrance {
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
export const invitationPage = (visit: Visit): Shown => entrance(visit, invitationForm(visit, visit.params.token ?? ""))

const faultsOf = (refusal: Refusal | undefined, name: string): string[] =>
  (refusal?.details.issues ?? []).filter(({ path }) => path === `/${name}`).map(({ message }) => message)

const passwordForm = (refusal?: Refusal): Html => {
  const faults = (name: string) => faultsOf(refusal, name)
  const common = { type: "password", maxlength: limits.passwordMax }
  return html`<form class="stack" method="post" action="${to("/web/password")}">
    ${field("currentPassword", "Current password", { ...common, autocomplete: "current-password" }, faults("currentPassword"))}
    ${field("password", "New password", { ...common, autocomplete: "new-password" }, faults("password"), `At least ${limits.passwordMin} characters. Every other browser is signed out.`)}
    <div class="buttons"><button class="quiet">Change the password</button></div></form>`
}

/** The parts of how somebody is cited, as the form asks for them: the name of each, what it is called, and a hint. */
const parts = [
  ["name", "Name", "As you want to be cited, such as Ada Lovelace. Left empty, it is your name here."],
  ["givenName", "Given names", "With a family name, for styles that sort and shorten by them."],
  ["familyName", "Family name", undefined],
  ["orcid", "ORCID", "Such as 0000-0002-1825-0097. It is shown as what you say of yourself: nobody asks ORCID."],
] as const

const descriptionForm = (given: Readonly<Record<string, string | null>>, refusal?: Refusal): Html =>
  html`<form class="stack" method="post" action="${to("/web/description")}">
    ${parts.map(([name, text, hint]) => field(name, text, { required: false, value: given[name] ?? "", maxlength: limits.title, autocomplete: "off" }, faultsOf(refusal, name), hint))}
    <div class="buttons"><button class="quiet">Be cited so</button></div></form>`

/** A form of an action: how its fields are read, and what is shown when it is done or refused. */
interface Form<N extends ActionName> {
  /** The body that the fields stand for; left out where there are none. */
  readonly body?: (given: URLSearchParams, visit: Visit) => object
  /** What follows, looked for before anything is done. @throws Refusal */
  readonly next: (visit: Visit, given: URLSearchParams) => (done: Done<N>) => Answer | WebPage
  /** The page that tells of a refusal; left out, the one that tells of any. */
  readonly refused?: (visit: Visit, given: URLSearchParams, refusal: Refusal) => Shown
}

/** On to another page, with what the action sets. */
const onTo = (visit: Visit, path: string) => (done: Done<ActionName>) => redirected(visit, path, done.headers)

const nameAndPassword = (given: URLSearchParams) => ({
  username: (given.get("username") ?? "").trim(),
  password: given.get("password") ?? "",
})

/** A form by which somebody comes in. */
const comingIn = <N extends "sign_in" | "set_up" | "accept_invitation">(
  formOf: (visit: Visit, given: URLSearchParams) => Entrance,
  next: Form<N>["next"],
  more: (given: URLSearchParams) => object = () => ({}),
): Form<N> => ({
  body: (given) => ({ ...nameAndPassword(given), ...more(given) }),
  next,
  refused: (visit, given, refusal) => entrance(visit, formOf(visit, given), nameAndPassword(given).username, refusal),
})

/** The link of an invitation, shown once. */
const invitationShown =
  (roomId: string | null): ((done: Done<"invite">) => WebPage) =>
  ({ answer: { link, expiresAt } }) =>
  () => ({
    title: "Invitation",
    body: html`<h1>An invitation</h1>
      <div class="banner warn" role="status"><strong>Shown once.</strong><p>Send the link to one person. It makes one account${roomId === null ? "" : ", a member of the Room"}, until ${exactTime(expiresAt)}.</p>
      </div>
      ${command(link)}<p><a href="${to(roomId === null ? "/account" : `/rooms/${roomId}/people`)}">Back</a></p>`,
  })

/** What an operator does to a person leads back to the list of people. */
const operated: Form<OperatorAction> = { next: (visit) => onTo(visit, "/admin/people") }

const forms: { readonly [N in FormAction]: Form<N> } = {
  sign_in: comingIn(
    (_visit, given) => signInForm(ownPath(given.get("next"))),
    (visit, given) => onTo(visit, ownPath(given.get("next"))),
  ),
  set_up: comingIn(
    (_visit, given) => setUpForm(given.get("token") ?? ""),
    (visit) => onTo(visit, "/"),
    (given) => ({ token: given.get("token") ?? "" }),
  ),
  accept_invitation: comingIn(
    (visit) => invitationForm(visit, visit.params.token ?? ""),
    (visit) => {
      const { room } = visit.edge.instance.accounts.invitation(visit.params.token ?? "")
      return onTo(visit, room === null ? "/" : `/rooms/${room.roomId}`)
    },
  ),
  join_by_provider: {
    body: (given) => ({ username: (given.get("username") ?? "").trim() }),
    next: (visit) => onTo(visit, brought(visit.edge, visit.event, "newcomer").next),
    refused: (visit, given, refusal) => {
      if (refusal.code === "not_authenticated" || refusal.code === "unknown_operation") throw refusal
      return joinForm(visit, given.get("username") ?? "", refusal)
    },
  },
  connect_provider: { next: (visit) => onTo(visit, "/account") },
  disconnect_provider: { next: (visit) => onTo(visit, "/account") },
  disable_person: operated,
  enable_person: operated,
  make_operator: operated,
  unmake_operator: operated,
  end_access: operated,
  clear_sign_in_count: operated,
  end_credential: { next: (visit) => onTo(visit, "/admin/credentials") },
  end_key: { next: (visit) => onTo(visit, "/admin/keys") },
  end_invitation: { next: (visit) => onTo(visit, "/admin/invitations") },
  sign_out: { next: (visit) => onTo(visit, "/") },
  invite: {
    body: (given) => (given.get("roomId") ? { roomId: given.get("roomId") } : {}),
    next: (_visit, given) => invitationShown(given.get("roomId") || null),
  },
  describe_person: {
    body: (given) =>
      Object.fromEntries(
        parts.flatMap(([name]) => {
          const said = (given.get(name) ?? "").trim()
          return said === "" ? [] : [[name, said]]
        }),
      ),
    next: (visit) => onTo(visit, "/account"),
    refused: (_visit, given, refusal) => ({
      title: "How you are cited",
      status: refusal.status,
      body: html`<h1>How you are cited</h1>
      <div class="refused" role="alert"><p>It stays as it was. ${said(refusal)}</p></div>
      ${descriptionForm(Object.fromEntries(given), refusal)}<p><a href="${to("/account")}">Back to your account</a></p>`,
    }),
  },
  change_password: {
    body: (given) => ({ currentPassword: given.get("currentPassword") ?? "", password: given.get("password") ?? "" }),
    next: (visit) => onTo(visit, "/account"),
    refused: (_visit, _given, refusal) => ({
      title: "Password",
      status: refusal.status,
      body: html`<h1>Password</h1>
      <div class="refused" role="alert"><p>The password stays as it was. ${said(refusal)}</p></div>
      ${passwordForm(refusal)}<p><a href="${to("/account")}">Back to your account</a></p>`,
    }),
  },
}

/** What a form of an action sends: the action itself, as the JSON route does it. */
const sentBy =
  <N extends FormAction>(name: N): Sent =>
  async (visit) => {
    const act = acting(visit.edge, visit.event, name)
    const { body, next, refused }: Form<N> = forms[name]
    const given = body === undefined ? new URLSearchParams() : await readFormBody(visit.event)
    const follows = next(visit, given)
    try {
      return follows(await act(body?.(given, visit) ?? {}))
    } catch (error) {
      if (!(error instanceof Refusal) || refused === undefined) throw error
      return (again) => refused(again, given, error)
    }
  }

/** The forms of the actions, by the address they are sent to. */
export const actionForms: Readonly<Record<string, Sent>> = Object.fromEntries(
  actions.flatMap(({ name, form }) => (form === undefined ? [] : [[form, sentBy(name as FormAction)]])),
)

function keyRow(
  { keyId, label, permissions, reach, tokenStart, expiresAt, revokedAt, lastUsedAt }: AnswerOf<"library_keys">["items"][number],
  now: number,
): Html {
  const over =
    revokedAt !== null ? stateBadge("retracted", "revoked") : Date.parse(expiresAt) <= now ? stateBadge("cancelled", "expired") : null
  return html`<tr><th scope="row">${label}${tokenStart === null ? null : html`<br><code class="quiet" title="The first signs of its token">${tokenStart}…</code>`}</th><td>${joinedWords(permissions)}</td><td data-is="reach">${reach}</td><td data-is="expires">${over ?? time(expiresAt)}</td>
    <td data-is="last used">${lastUsedAt === null ? html`<span class="quiet">never</span>` : time(lastUsedAt)}</td>
    <td>${revokedAt === null ? actionButton("revoke_key", { keyId }, html`Revoke<span class="aside"> ${label}</span>`, { danger: true, next: "/account" }) : null}</td>
    </tr>`
}

/** Rooms that the page lists. */
const MOST_ROOMS = 100

export function accountPage(visit: Visit): Shown | Answer {
  const { person, edge } = visit
  if (person === undefined) return redirected(visit, "/sign-in?next=/account")
  const { tables } = edge.instance
  const { items: keys } = visit.ask("library_keys")
  const { name, givenName, familyName, orcid } = visit.ask("person", { username: person.userId })
  const cited = { name, givenName, familyName, orcid }
  const assignments = tables.experiments.assignedTo(person.userId)
  const rooms = tables.members.roomsOf(person.userId, MOST_ROOMS + 1)
  return {
    title: "Account",
    body: html`<div class="heading"><h1>${person.username}</h1><form class="beside narrow-only" method="post" action="${to("/web/sign-out")}"><button class="quiet">Sign out</button></form></div>${facts([["Role here", person.isOperator ? "operator of this service" : "person"]])}
<section aria-labelledby="description">${heading(2, "description", "How you are cited", html`<a href="${to(`/people/${person.username}`)}">your page</a>`)}${descriptionForm(cited)}</section>
${
  entranceOf(edge).passwords && edge.instance.byProvider.waysOf(person.userId).password
    ? html`<section aria-labelledby="change-password">${heading(2, "change-password", "Password")}${passwordForm()}</section>`
    : null
}${providerSection(visit)}
<section aria-labelledby="work">${heading(2, "work", "What you hold")}${
      assignments.length === 0
        ? empty("No experiment is yours to work on.")
        : html`<ul>${assignments.map(
            ({ experimentId, label, status }) =>
              html`<li><a class="label" href="${to(`/experiments/${experimentId}`)}">${label}</a> ${stateBadge(status)}</li>`,
          )}</ul>`
    }</section>
<section aria-labelledby="rooms">${heading(2, "rooms", "Your Rooms", html`<a class="button quiet" href="${to("/do/create_room")}">Create a Room</a>`)}${
      rooms.length === 0
        ? empty("You are a member of no Room. Open one and ask to join, or create your own.")
        : table(
            "Rooms",
            ["Room", "Role", ""],
            rooms.slice(0, MOST_ROOMS).map(
              ({ roomId, title, role }) =>
                html`<tr><td><a href="${to(`/rooms/${roomId}`)}" dir="auto">${title}</a></td>
  <td>${role}</td><td><a href="${to(`/rooms/${roomId}/people`)}">people and credentials</a></td></tr>`,
            ),
          )
    }${rooms.length > MOST_ROOMS ? html`<p class="hint">These are the ${MOST_ROOMS} that you joined last; the <a href="${to("/")}">first page</a> finds the others.</p>` : null}</section>
<section aria-labelledby="keys">${heading(2, "keys", "Personal keys", act("issue_key", {}, "Issue a personal key"))}<p class="hint">With one, an agent of yours reads and files in your Library. It opens no Room.</p>
  ${
    keys.length === 0
      ? empty("No personal key yet.")
      : table(
          "Personal keys",
          ["Label", "May", "Reach", "Expires", "Last use", html`<span class="aside">Actions</span>`],
          keys.map((key) => keyRow(key, edge.instance.world.now())),
          "stacked",
        )
  }</section>
${
  !mayInvite(edge, person)
    ? null
    : html`<section aria-labelledby="invite">${heading(2, "invite", "Invite somebody")}<p>An account of their own, without a Room; owners invite to their Rooms under People.</p>
  <form method="post" action="${to("/web/invite")}"><button class="quiet">Make an invitation link</button></form></section>`
}`,
  }
}
