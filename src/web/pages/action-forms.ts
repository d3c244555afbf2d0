/** Handles the forms of people's actions. They do the same as the JSON routes. */
import type { Answer } from "../../edge/answers/answer.ts"
import { type ActionName, actions, type FormAction, type OperatorAction } from "../../contract/operations/actions.ts"
import { Refusal } from "../../contract/refusals.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import { prepareAction, type Done } from "../../edge/requests/actions.ts"
import { readStep } from "../../edge/identity/sign-in.ts"
import { readFormBody } from "../../edge/limits/body.ts"
import { html, to } from "../html.ts"
import {
  refusedBox,
  joinForm,
  byLink,
  closedLink,
  type EntranceForm,
  invitationForm,
  isOfClosedLink,
  setUpForm,
  signInForm,
} from "./entrance.ts"
import { command, exactTime } from "../parts/parts.ts"
import { ownPath, redirected, type FormHandler, type Shown, type Visit, type WebPage } from "../visit.ts"
import { citationFields, descriptionForm, passwordForm } from "./account.ts"
import { webhookSecret, webhooksAddress, webhooksPage } from "./room-settings.ts"

/** The form of an action: how its fields are read, and what follows when it succeeds or is refused. */
interface Form<N extends ActionName> {
  /** Makes the action's body from the fields; left out if there are none. */
  readonly body?: (fields: URLSearchParams, visit: Visit) => object
  /** Returns what follows on success. It is called before the action. @throws Refusal */
  readonly next: (visit: Visit, fields: URLSearchParams) => (done: Done<N>) => Answer | WebPage
  /** Returns the page for a refusal; left out for the page that fits any refusal. */
  readonly refused?: (visit: Visit, fields: URLSearchParams, refusal: Refusal) => Shown | Answer
}

/** Redirects to another page, with the headers that the action sets. */
const goTo = (visit: Visit, path: string) => (done: Done<ActionName>) => redirected(visit, path, done.headers)

const nameAndPassword = (fields: URLSearchParams) => ({
  username: (fields.get("username") ?? "").trim(),
  password: fields.get("password") ?? "",
})

const entranceAction = <N extends "sign_in" | "set_up" | "accept_invitation">(
  formOf: (visit: Visit, fields: URLSearchParams) => EntranceForm,
  next: Form<N>["next"],
  more: (fields: URLSearchParams) => object = () => ({}),
): Form<N> => ({
  body: (fields) => ({ ...nameAndPassword(fields), ...more(fields) }),
  next,
  refused: (visit, fields, refusal) =>
    byLink(visit, () => formOf(visit, fields), nameAndPassword(fields).username, refusal),
})

/** The page that shows the link of an invitation, once. */
const invitationShown =
  (roomId: string | null): ((done: Done<"invite">) => WebPage) =>
  ({ answer: { link, expiresAt } }) =>
  () => ({
    title: "Invitation",
    body: html`<h1>An invitation</h1>
      <div class="banner warn" role="status"><strong>Shown once.</strong>\
<p>Send the link to one person. Creates one account${roomId === null ? "" : " in this Room"}. Expires \
${exactTime(expiresAt)}.</p>
      </div>
      ${command(link, "the link")}\
<p><a href="${to(roomId === null ? "/account" : `/rooms/${roomId}/people`)}">Back</a></p>`,
  })

const operated: Form<OperatorAction> = { next: (visit) => goTo(visit, "/admin/people") }

const forms: { readonly [N in FormAction]: Form<N> } = {
  sign_in: entranceAction(
    (_visit, fields) => signInForm(ownPath(fields.get("next"))),
    (visit, fields) => goTo(visit, ownPath(fields.get("next"))),
  ),
  set_up: entranceAction(
    (visit, fields) => setUpForm(visit, fields.get("token") ?? ""),
    (visit) => goTo(visit, "/"),
    (fields) => ({ token: fields.get("token") ?? "" }),
  ),
  accept_invitation: entranceAction(
    (visit) => invitationForm(visit, visit.params.token ?? ""),
    (visit) => {
      const { room } = visit.edge.instance.accounts.invitation(visit.params.token ?? "")
      return goTo(visit, room === null ? "/" : `/rooms/${room.roomId}`)
    },
  ),
  join_by_provider: {
    body: (fields) => ({ username: (fields.get("username") ?? "").trim() }),
    next: (visit) => goTo(visit, readStep(visit.edge, visit.event, "newcomer").next),
    refused: (visit, fields, refusal) => {
      if (refusal.code === "not_authenticated" || refusal.code === "unknown_operation") throw refusal
      if (isOfClosedLink(refusal)) return closedLink(refusal)
      return joinForm(visit, fields.get("username") ?? "", refusal)
    },
  },
  connect_provider: { next: (visit) => goTo(visit, "/account") },
  disconnect_provider: { next: (visit) => goTo(visit, "/account") },
  disable_person: operated,
  enable_person: operated,
  make_operator: operated,
  unmake_operator: operated,
  end_access: operated,
  end_sessions: operated,
  clear_sign_in_count: operated,
  end_credential: { next: (visit) => goTo(visit, "/admin/credentials") },
  end_key: { next: (visit) => goTo(visit, "/admin/keys") },
  end_invitation: { next: (visit) => goTo(visit, "/admin/invitations") },
  sign_out: { next: (visit) => goTo(visit, "/") },
  add_webhook: {
    body: (fields) => ({ url: (fields.get("url") ?? "").trim() }),
    next: (visit) => webhookSecret(visit.params.roomId ?? ""),
    refused: (visit, fields, refusal) => {
      if (refusal.code !== "invalid_schema" && refusal.code !== "state_conflict") throw refusal
      return webhooksPage(visit, fields.get("url") ?? "", refusal)
    },
  },
  change_webhook: {
    body: (fields) => ({
      do: fields.get("do"),
      ...(fields.has("sequence") && { sequence: Number(fields.get("sequence")) }),
    }),
    next: (visit, fields) =>
      goTo(visit, isUuid(fields.get("roomId") ?? "") ? webhooksAddress(fields.get("roomId") ?? "") : "/"),
  },
  invite: {
    body: (fields) => (fields.get("roomId") ? { roomId: fields.get("roomId") } : {}),
    next: (_visit, fields) => invitationShown(fields.get("roomId") || null),
  },
  describe_person: {
    body: (fields) =>
      Object.fromEntries(
        citationFields.flatMap(([name]) => {
          const value = (fields.get(name) ?? "").trim()
          return value === "" ? [] : [[name, value]]
        }),
      ),
    next: (visit) => goTo(visit, "/account"),
    refused: (_visit, fields, refusal) => ({
      title: "How you are cited",
      status: refusal.status,
      body: html`<h1>How you are cited</h1>
      ${refusedBox(refusal, "Nothing was changed. ")}
      ${descriptionForm(Object.fromEntries(fields), refusal)}<p>\
<a href="${to("/account")}">Back to your account</a></p>`,
    }),
  },
  change_password: {
    body: (fields) => ({
      currentPassword: fields.get("currentPassword") ?? "",
      password: fields.get("password") ?? "",
    }),
    next: (visit) => goTo(visit, "/account"),
    refused: (_visit, _fields, refusal) => ({
      title: "Password",
      status: refusal.status,
      body: html`<h1>Password</h1>
      ${refusedBox(refusal, "The password was not changed. ")}
      ${passwordForm(refusal)}<p><a href="${to("/account")}">Back to your account</a></p>`,
    }),
  },
}

/** Handles the form of an action: does the action, as the JSON route does. */
const handlerOf =
  <N extends FormAction>(name: N): FormHandler =>
  async (visit) => {
    const act = prepareAction(visit.edge, visit.event, name)
    const { body, next, refused }: Form<N> = forms[name]
    const fields = body === undefined ? new URLSearchParams() : await readFormBody(visit.event)
    try {
      const follows = next(visit, fields)
      return follows(await act(body?.(fields, visit) ?? {}))
    } catch (error) {
      if (!(error instanceof Refusal) || refused === undefined) throw error
      return (later) => refused(later, fields, error)
    }
  }

/** The handlers of the forms, by the path that a form is sent to. */
export const actionForms: Readonly<Record<string, FormHandler>> = Object.fromEntries(
  actions.flatMap(({ name, form }) => (form === undefined ? [] : [[form, handlerOf(name as FormAction)]])),
)
