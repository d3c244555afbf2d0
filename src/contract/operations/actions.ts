/**
 * What people do in the browser that is not an operation on a Room: set-up, signing in and out, invitations.
 * Actions have no receipt: a repeated sign-in is simply another one.
 */
import * as v from "valibot"
import type { RefusalCode } from "../refusals.ts"
import { schemaVersions } from "../service.ts"
import { uuid, shape, plain, username, oneOf } from "../schema/fields.ts"
import { operatedPerson, ended, session, description, describedPerson, invitationIssued } from "../nouns/people.ts"
import { limits } from "../limits.ts"
import { subject } from "../schema/parts.ts"
import { schemaVersion } from "../answers/parts.ts"
import { webhookAdded, webhookChanged } from "../nouns/rooms.ts"
import { count } from "../answers/fields.ts"
import { present } from "../typed.ts"

// What an action is: something that people do in the browser and that is not an operation on a Room.

type By = "anyone" | "person" | "operator"

interface Spec<N extends string, E extends v.ObjectEntries, A, B extends By, F extends string> {
  name: N
  method: "POST" | "DELETE"
  path: string
  /** The path to which a page's form is sent; absent if no page has a form for it. */
  form?: F
  /**
   * Who may do it: anyone (authorised by the body or path), a signed-in person, or an operator. For all others the path
   * does not exist.
   */
  by: B
  summary: string
  /** Refusals of its own, beyond those that follow from its path and body. */
  refusals?: readonly RefusalCode[]
  fields?: E
  example?: Record<string, unknown>
  answer: A
}

const action = <
  const N extends string,
  A extends v.GenericSchema,
  const B extends By,
  E extends v.ObjectEntries = Record<never, never>,
  const F extends string = never,
>(
  spec: Spec<N, E, A, B, F>,
) => {
  const { fields, ...given } = spec
  const common = {
    schemaVersion: v.exactOptional(v.literal(schemaVersions.research)),
    requestId: v.exactOptional(uuid),
  }
  // Without fields, their type has no members.
  return { refusals: [], example: {}, ...given, body: shape({ ...common, ...(fields as E) }) }
}
/** An action with any body, as the edge sees it. */
export interface Action<N extends string = string>
  extends Readonly<Omit<Spec<N, v.ObjectEntries, v.GenericSchema, By, string>, "fields" | "refusals" | "example">> {
  readonly refusals: readonly RefusalCode[]
  readonly body: v.GenericSchema & { readonly entries: v.ObjectEntries }
  readonly example: unknown
}

// What operators do to people, and to other people's credentials, keys and invitations.

const onPerson = <const N extends string, const P extends string, const M extends "POST" | "DELETE" = "POST">(
  name: N,
  path: P,
  summary: string,
  { method, refusals = [] }: { method?: M; refusals?: readonly RefusalCode[] } = {},
) =>
  action({
    name,
    method: method ?? "POST",
    path: `/api/admin/people/{userId}/${path}`,
    form: `/web/admin/people/{userId}/${name}`,
    by: "operator",
    refusals: ["unknown_operation", "room_unavailable", ...refusals],
    summary,
    answer: operatedPerson,
  })

/** The revocation of one token or invitation, whoever owns it. */
const onDoor = <const N extends string, const P extends string, const I extends string>(
  name: N,
  path: P,
  id: I,
  summary: string,
) =>
  action({
    name,
    method: "POST",
    path: `/api/admin/${path}/{${id}}/revoke`,
    form: `/web/admin/${path}/{${id}}/${name}`,
    by: "operator",
    refusals: ["unknown_operation", "room_unavailable", "state_conflict"],
    summary,
    answer: ended,
  })

const operatorActions = [
  onPerson(
    "disable_person",
    "disable",
    "Disables a person: they can no longer sign in, and their sessions, credentials, personal keys and open " +
      "invitations end. What they wrote stays under their name.",
    { refusals: ["state_conflict"] },
  ),
  onPerson("enable_person", "enable", "Enables a disabled person with their old password; ended tokens stay ended.", {
    refusals: ["state_conflict"],
  }),
  onPerson("make_operator", "operator", "Makes a person an operator of the service.", { refusals: ["state_conflict"] }),
  onPerson(
    "unmake_operator",
    "operator",
    "Removes a person as operator; one operator who is not disabled must remain.",
    {
      method: "DELETE",
      refusals: ["state_conflict"],
    },
  ),
  onPerson("end_access", "end-access", "Ends all of a person's personal keys, and their credentials in every Room."),
  onPerson("end_sessions", "end-sessions", "Signs a person out everywhere."),
  onPerson("clear_sign_in_count", "clear-sign-in-count", "Clears the failed sign-ins of a person."),
  onDoor("end_credential", "credentials", "credentialId", "Ends one credential of any member of any Room."),
  onDoor("end_key", "keys", "keyId", "Ends one personal key of any person."),
  onDoor("end_invitation", "invitations", "invitationId", "Withdraws one open invitation of any person."),
] as const

/** The cookie with a browser's session. */
export const sessionCookie = "research_room_session"

const password = plain(limits.passwordMax, limits.passwordMin)
const token = plain(200)

const all = [
  action({
    name: "set_up",
    method: "POST",
    path: "/api/setup",
    form: "/web/setup",
    by: "anyone",
    refusals: ["not_authenticated", "state_conflict", "too_many_requests"],
    summary: "Creates the first person, the operator, with the one-time token that serve prints, and signs them in.",
    fields: { token, username, password },
    example: { token: "rru_…", username: "ada", password: "a long sentence to remember" },
    answer: session,
  }),
  action({
    name: "sign_in",
    method: "POST",
    path: "/api/session",
    form: "/web/sign-in",
    by: "anyone",
    refusals: ["not_authenticated", "state_conflict", "too_many_requests"],
    summary: "Signs a person in and sets the session cookie.",
    fields: { username, password: plain(limits.passwordMax) },
    example: { username: "ada", password: "a long sentence to remember" },
    answer: session,
  }),
  action({
    name: "join_by_provider",
    method: "POST",
    path: "/api/session/provider",
    form: "/web/provider/join",
    by: "anyone",
    refusals: ["not_authenticated", "state_conflict", "room_unavailable", "unknown_operation"],
    summary:
      "Creates the account of a person who signed in with the group's identity provider, and signs them in. " +
      "The browser must come from /sign-in/provider, with the cookie set there.",
    fields: { username },
    example: { username: "grace" },
    answer: session,
  }),
  action({
    name: "sign_out",
    method: "DELETE",
    path: "/api/session",
    form: "/web/sign-out",
    by: "anyone",
    summary: "Ends the session on the server and clears the cookie.",
    answer: session,
  }),
  action({
    name: "change_password",
    method: "POST",
    path: "/api/account/password",
    form: "/web/password",
    by: "person",
    refusals: ["not_authenticated", "state_conflict", "too_many_requests"],
    summary: "Sets a new password; every session of the person ends except the one that comes with the answer.",
    fields: { currentPassword: plain(limits.passwordMax), password },
    example: { currentPassword: "a long sentence to remember", password: "another sentence, longer still" },
    answer: session,
  }),
  action({
    name: "connect_provider",
    method: "POST",
    path: "/api/account/provider",
    form: "/web/provider/connect",
    by: "person",
    refusals: ["state_conflict", "unknown_operation"],
    summary:
      "Lets the person also sign in with the identity provider's account with which their browser came back from " +
      "/sign-in/provider?connect=1.",
    answer: session,
  }),
  action({
    name: "disconnect_provider",
    method: "POST",
    path: "/api/account/provider/disconnect",
    form: "/web/provider/disconnect",
    by: "person",
    refusals: ["state_conflict", "unknown_operation"],
    summary: "Disconnects the identity provider's account; refused if the person has no other way to sign in.",
    answer: session,
  }),
  action({
    name: "describe_person",
    method: "POST",
    path: "/api/account/description",
    form: "/web/description",
    by: "person",
    summary:
      "Sets how the person wants to be cited: a name, its parts for citation styles that sort or shorten it, " +
      "an ORCID. A property that is left out is removed. The service does not ask ORCID who owns it.",
    fields: description,
    example: {
      name: "Ada Lovelace",
      givenName: "Ada",
      familyName: "Lovelace",
      orcid: "https://orcid.org/0000-0002-1825-0097",
    },
    answer: describedPerson,
  }),
  action({
    name: "invite",
    method: "POST",
    path: "/api/invitations",
    form: "/web/invite",
    by: "person",
    refusals: ["role_required"],
    summary:
      "Creates a link with which one person may create an account; with roomId (owner only) they join that Room. " +
      "The token is shown once. By default owners of a Room and operators may invite; " +
      "a setting of the service can change that.",
    fields: { roomId: v.exactOptional(subject("room")) },
    answer: invitationIssued,
  }),
  action({
    name: "accept_invitation",
    method: "POST",
    path: "/api/invitations/{token}/accept",
    form: "/web/invitations/{token}",
    by: "anyone",
    refusals: ["state_conflict", "too_many_requests"],
    summary: "Creates the invited person's account, adds them to the Room the invitation names, and signs them in.",
    fields: { username, password },
    example: { username: "grace", password: "another long sentence" },
    answer: session,
  }),
  action({
    name: "revoke_invitation",
    method: "POST",
    path: "/api/invitations/{invitationId}/revoke",
    by: "person",
    summary: "Withdraws your own open invitation.",
    answer: shape({ schemaVersion: schemaVersion, invitationId: v.string(), revoked: v.literal(true) }),
  }),
  action({
    name: "add_webhook",
    method: "POST",
    path: "/api/rooms/{roomId}/webhooks",
    form: "/web/rooms/{roomId}/webhooks",
    by: "person",
    refusals: ["role_required", "state_conflict"],
    summary:
      "For a Room's owner: sends every later entry of the Room to an address, as a POST without texts, " +
      "signed as in Standard Webhooks, in order and at least once. The secret is shown once. " +
      "The address must be public, unless the service was started with --webhook-networks. " +
      `A delivery has ${limits.webhookSeconds} seconds; a failed one is retried for ${limits.webhookDays} days.`,
    fields: { url: plain(2_000) },
    example: { url: "https://lab.example.org/hooks/research-room" },
    answer: webhookAdded,
  }),
  action({
    name: "change_webhook",
    method: "POST",
    path: "/api/webhooks/{webhookId}",
    form: "/web/webhooks/{webhookId}",
    by: "person",
    refusals: ["room_unavailable", "role_required", "state_conflict"],
    summary: "For a Room's owner: turns a webhook on or off, removes it, or sends one entry again.",
    fields: { do: oneOf(["turn_on", "turn_off", "remove", "send_again"]), sequence: v.exactOptional(count) },
    example: { do: "send_again", sequence: 12 },
    answer: webhookChanged,
  }),
  ...operatorActions,
] as const

type Definition = (typeof all)[number]
export type ActionName = Definition["name"]
export const actions: readonly Action<ActionName>[] = all

export type ActionBody<N extends ActionName> = v.InferOutput<Extract<Definition, { name: N }>["body"]>
/** The answer of an action, without the schema version. */
export type ActionAnswer<N extends ActionName> = Omit<
  v.InferOutput<Extract<Definition, { name: N }>["answer"]>,
  "schemaVersion"
>
export type ActionBy<N extends ActionName> = Extract<Definition, { name: N }>["by"]
export type OperatorAction = Extract<Definition, { by: "operator" }>["name"]
/** The actions with a form on a page. */
export type FormAction = {
  [N in ActionName]: [NonNullable<Extract<Definition, { name: N }>["form"]>] extends [never] ? never : N
}[ActionName]

const byName = new Map<string, Action>(all.map((each) => [each.name, each]))
export const actionNamed = (name: ActionName): Action => present(byName.get(name))
