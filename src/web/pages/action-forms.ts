/** What the forms of people's actions send, and what follows: the same actions that the JSON routes do. */
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
import { descriptionForm, parts, passwordForm, said } from "./account-forms.ts"
import { webhookSecret, webhooksAddress, webhooksRefused } from "./webhooks.ts"
import { byLink, closedLink, type EntranceForm, invitationForm, isOfClosedLink, setUpForm, signInForm } from "./entrance.ts"

/** A form of an action: how its fields are read, and what is shown when it is done or refused. */
interface Form<N extends ActionName> {
  /** The body that the fields stand for; left out where there are none. */
  readonly body?: (given: URLSearchParams, visit: Visit) => object
  /** What follows, looked for before anything is done. @throws Refusal */
  readonly next: (visit: Visit, given: URLSearchParams) => (done: Done<N>) => Answer | WebPage
  /** The page that tells of a refusal; left out, the one that tells of any. */
  readonly refused?: (visit: Visit, given: URLSearchParams, refusal: Refusal) => Shown | Answer
}

/** On to another page, with what the action sets. */
const onTo = (visit: Visit, path: string) => (done: Done<ActionName>) => redirected(visit, path, done.headers)

const nameAndPassword = (given: URLSearchParams) => ({
  username: (given.get("username") ?? "").trim(),
  password: given.get("password") ?? "",
})

/** A form by which somebody comes in. */
const entranceAction = <N extends "sign_in" | "set_up" | "accept_invitation">(
  formOf: (visit: Visit, given: URLSearchParams) => EntranceForm,
  next: Form<N>["next"],
  more: (given: URLSearchParams) => object = () => ({}),
): Form<N> => ({
  body: (given) => ({ ...nameAndPassword(given), ...more(given) }),
  next,
  refused: (visit, given, refusal) => byLink(visit, () => formOf(visit, given), nameAndPassword(given).username, refusal),
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
  sign_in: entranceAction(
    (_visit, given) => signInForm(ownPath(given.get("next"))),
    (visit, given) => onTo(visit, ownPath(given.get("next"))),
  ),
  set_up: entranceAction(
    (visit, given) => setUpForm(visit, given.get("token") ?? ""),
    (visit) => onTo(visit, "/"),
    (given) => ({ token: given.get("token") ?? "" }),
  ),
  accept_invitation: entranceAction(
    (visit) => invitationForm(visit, visit.params.token ?? ""),
    (visit) => {
      const { room } = visit.edge.instance.accounts.invitation(visit.params.token ?? "")
      return onTo(visit, room === null ? "/" : `/rooms/${room.roomId}`)
    },
  ),
  join_by_provider: {
    body: (given) => ({ username: (given.get("username") ?? "").trim() }),
    next: (visit) => onTo(visit, readStep(visit.edge, visit.event, "newcomer").next),
    refused: (visit, given, refusal) => {
      if (refusal.code === "not_authenticated" || refusal.code === "unknown_operation") throw refusal
      if (isOfClosedLink(refusal)) return closedLink(refusal)
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
    next: (visit, given) => onTo(visit, isUuid(given.get("roomId") ?? "") ? webhooksAddress(given.get("roomId") ?? "") : "/"),
  },
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

/** The forms of the actions, by the address they are sent to. */
export const actionForms: Readonly<Record<string, Sent>> = Object.fromEntries(
  actions.flatMap(({ name, form }) => (form === undefined ? [] : [[form, sentBy(name as FormAction)]])),
)
