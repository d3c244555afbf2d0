/** Handles the forms of people's actions. They do the same as the JSON routes. */
import type { Answer } from "../../edge/answers/answer.ts"
import { type ActionName, actions, type FormAction, type OperatorAction } from "../../contract/operations/actions.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import { prepareAction, type Done } from "../../edge/requests/actions.ts"
import { readStep } from "../../edge/identity/sign-in.ts"
import { readFormBody } from "../../edge/limits/body.ts"
import { html, to } from "../html.ts"
import { command, exactTime } from "../parts/parts.ts"
import { ownPath, redirected } from "../redirect.ts"
import type { Sent, Shown, Visit, WebPage } from "../visit.ts"
import { joinForm } from "./provider.ts"
import { citationFields, descriptionForm, passwordForm, refusalText } from "./account-forms.ts"
import { webhookSecret, webhooksAddress, webhooksRefused } from "./webhooks.ts"
import { byLink, closedLink, type EntranceForm, invitationForm, isOfClosedLink, setUpForm, signInForm } from "./entrance.ts"

/** The form of an action: how its fields are read, and what follows when it succeeds or is refused. */
interface Form<N extends ActionName> {
  /** Makes the action's body from the fields; left out if there are none. */
  readonly body?: (given: URLSearchParams, visit: Visit) => object
  /** Returns what follows on success. It is called before the action. @throws Refusal */
  readonly next: (visit: Visit, given: URLSearchParams) => (done: Done<N>) => Answer | WebPage
  /** Returns the page for a refusal; left out for the page that fits any refusal. */
  readonly refused?: (visit: Visit, given: URLSearchParams, refusal: Refusal) => Shown | Answer
}

/** Redirects to another page, with the headers that the action sets. */
const goTo = (visit: Visit, path: string) => (done: Done<ActionName>) => redirected(visit, path, done.headers)

const nameAndPassword = (given: URLSearchParams) => ({
  username: (given.get("username") ?? "").trim(),
  password: given.get("password") ?? "",
})

/** The form of an action that signs a person in. */
const entranceAction = <N extends "sign_in" | "set_up" | "accept_invitation">(
  formOf: (visit: Visit, given: URLSearchParams) => EntranceForm,
  next: Form<N>["next"],
  more: (given: URLSearchParams) => object = () => ({}),
): Form<N> => ({
  body: (given) => ({ ...nameAndPassword(given), ...more(given) }),
  next,
  refused: (visit, given, refusal) => byLink(visit, () => formOf(visit, given), nameAndPassword(given).username, refusal),
})

/** The page that shows the link of an invitation, once. */
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

/** After an operator's action on a person, the list of people is shown. */
const operated: Form<OperatorAction> = { next: (visit) => goTo(visit, "/admin/people") }

const forms: { readonly [N in FormAction]: Form<N> } = {
  sign_in: entranceAction(
    (_visit, given) => signInForm(ownPath(given.get("next"))),
    (visit, given) => goTo(visit, ownPath(given.get("next"))),
  ),
  set_up: entranceAction(
    (visit, given) => setUpForm(visit, given.get("token") ?? ""),
    (visit) => goTo(visit, "/"),
    (given) => ({ token: given.get("token") ?? "" }),
  ),
  accept_invitation: entranceAction(
    (visit) => invitationForm(visit, visit.params.token ?? ""),
    (visit) => {
      const { room } = visit.edge.instance.accounts.invitation(visit.params.token ?? "")
      return goTo(visit, room === null ? "/" : `/rooms/${room.roomId}`)
    },
  ),
  join_by_provider: {
    body: (given) => ({ username: (given.get("username") ?? "").trim() }),
    next: (visit) => goTo(visit, readStep(visit.edge, visit.event, "newcomer").next),
    refused: (visit, given, refusal) => {
      if (refusal.code === "not_authenticated" || refusal.code === "unknown_operation") throw refusal
      if (isOfClosedLink(refusal)) return closedLink(refusal)
      return joinForm(visit, given.get("username") ?? "", refusal)
    },
  },
  connect_provider: { next: (visit) => goTo(visit, "/account") },
  disconnect_provider: { next: (visit) => goTo(visit, "/account") },
  disable_person: operated,
  enable_person: operated,
  make_operator: operated,
  unmake_operator: operated,
  end_access: operated,
  clear_sign_in_count: operated,
  end_credential: { next: (visit) => goTo(visit, "/admin/credentials") },
  end_key: { next: (visit) => goTo(visit, "/admin/keys") },
  end_invitation: { next: (visit) => goTo(visit, "/admin/invitations") },
  sign_out: { next: (visit) => goTo(visit, "/") },
  add_webhook: {
    body: (given) => ({ url: (given.get("url") ?? "").trim() }),
    next: (visit) => webhookSecret(visit.params.roomId ?? ""),
    refused: (visit, given, refusal) => {
      if (refusal.code !== "invalid_schema" && refusal.code !== "state_conflict") throw refusal
      return webhooksRefused(visit, given, refusal)
    },
  },
  change_webhook: {
    body: (given) => ({ do: given.get("do"), ...(given.has("sequence") && { sequence: Number(given.get("sequence")) }) }),
    next: (visit, given) => goTo(visit, isUuid(given.get("roomId") ?? "") ? webhooksAddress(given.get("roomId") ?? "") : "/"),
  },
  invite: {
    body: (given) => (given.get("roomId") ? { roomId: given.get("roomId") } : {}),
    next: (_visit, given) => invitationShown(given.get("roomId") || null),
  },
  describe_person: {
    body: (given) =>
      Object.fromEntries(
        citationFields.flatMap(([name]) => {
          const value = (given.get(name) ?? "").trim()
          return value === "" ? [] : [[name, value]]
        }),
      ),
    next: (visit) => goTo(visit, "/account"),
    refused: (_visit, given, refusal) => ({
      title: "How you are cited",
      status: refusal.status,
      body: html`<h1>How you are cited</h1>
      <div class="refused" role="alert"><p>Nothing was changed. ${refusalText(refusal)}</p></div>
      ${descriptionForm(Object.fromEntries(given), refusal)}<p><a href="${to("/account")}">Back to your account</a></p>`,
    }),
  },
  change_password: {
    body: (given) => ({ currentPassword: given.get("currentPassword") ?? "", password: given.get("password") ?? "" }),
    next: (visit) => goTo(visit, "/account"),
    refused: (_visit, _given, refusal) => ({
      title: "Password",
      status: refusal.status,
      body: html`<h1>Password</h1>
      <div class="refused" role="alert"><p>The password was not changed. ${refusalText(refusal)}</p></div>
      ${passwordForm(refusal)}<p><a href="${to("/account")}">Back to your account</a></p>`,
    }),
  },
}

/** Handles the form of an action: does the action, as the JSON route does. */
const handlerOf =
  <N extends FormAction>(name: N): Sent =>
  async (visit) => {
    const act = prepareAction(visit.edge, visit.event, name)
    const { body, next, refused }: Form<N> = forms[name]
    const given = body === undefined ? new URLSearchParams() : await readFormBody(visit.event)
    try {
      const follows = next(visit, given)
      return follows(await act(body?.(given, visit) ?? {}))
    } catch (error) {
      if (!(error instanceof Refusal) || refused === undefined) throw error
      return (again) => refused(again, given, error)
    }
  }

/** The handlers of the forms, by the path that a form is sent to. */
export const actionForms: Readonly<Record<string, Sent>> = Object.fromEntries(
  actions.flatMap(({ name, form }) => (form === undefined ? [] : [[form, handlerOf(name as FormAction)]])),
)
