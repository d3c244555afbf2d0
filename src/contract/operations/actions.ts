/**
 * What people do in the browser that is no operation on a Room: set-up, signing in and out, invitations.
 * These carry no receipt: a repeated sign-in is simply another one.
 */
import { present } from "../present.ts"
import * as v from "valibot"
import * as answers from "../answers/index.ts"
import { description } from "../answers/description.ts"
import { plain, shape, username, uuid } from "../schema/fields.ts"
import { subject } from "../schema/ref.ts"
import { limits } from "../limits.ts"
import type { RefusalCode } from "../refusals/refusal.ts"
import { schemaVersions } from "../versions.ts"

/** The cookie in which a browser carries its session. */
export const sessionCookie = "research_room_session"

const password = plain(limits.passwordMax, limits.passwordMin)
const token = plain(200)

type By = "anyone" | "person" | "operator"

interface Spec<N extends string, E extends v.ObjectEntries, A, B extends By, F extends string> {
  name: N
  method: "POST" | "DELETE"
  path: string
  /** Where a page's form for it is sent; left out where no page has one. */
  form?: F
  /** Who may do it: anyone (with what the body or path holds), a signed-in person, or an operator: to others there is no such address. */
  by: B
  summary: string
  /** Refusals of its own, beyond those that follow from its path and body. */
  refusals?: readonly RefusalCode[]
  fields: E
  example: Record<string, unknown>
  answer: A
}

const action = <
  const N extends string,
  E extends v.ObjectEntries,
  A extends v.GenericSchema,
  const B extends By,
  const F extends string = never,
>(
  spec: Spec<N, E, A, B, F>,
) => {
  const { fields, refusals = [], ...rest } = spec
  const common = { schemaVersion: v.exactOptional(v.literal(schemaVersions.research)), requestId: v.exactOptional(uuid) }
  return { ...rest, refusals, body: shape({ ...common, ...fields }) }
}

/** What an operator does to one person: the address of it, and what it answers. */
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
    fields: {},
    example: {},
    answer: answers.operated,
  })

/** What an operator does to one thing that opens doors, whosever it is. */
const onDoor = <const N extends string, const P extends string, const I extends string>(name: N, path: P, id: I, summary: string) =>
  action({
    name,
    method: "POST",
    path: `/api/admin/${path}/{${id}}/revoke`,
    form: `/web/admin/${path}/{${id}}/${name}`,
    by: "operator",
    refusals: ["unknown_operation", "room_unavailable", "state_conflict"],
    summary,
    fields: {},
    example: {},
    answer: answers.ended,
  })

const operatorActions = [
  onPerson(
    "disable_person",
    "disable",
    "Keeps a person out from now on: their sessions, credentials, personal keys and open invitations end. What they said stays under their name.",
    { refusals: ["state_conflict"] },
  ),
  onPerson("enable_person", "enable", "Lets a disabled person in again, with the password they had; what was ended stays ended.", {
    refusals: ["state_conflict"],
  }),
  onPerson("make_operator", "operator", "Makes a person an operator of the service.", { refusals: ["state_conflict"] }),
  onPerson("unmake_operator", "operator", "Makes a person an operator no longer; one who is not disabled is always left.", {
    method: "DELETE",
    refusals: ["state_conflict"],
  }),
  onPerson("end_access", "end-access", "Ends all of a person's credentials, in every Room, and personal keys."),
  onPerson("clear_sign_in_count", "clear-sign-in-count", "Forgets the failed sign-ins of a person."),
  onDoor("end_credential", "credentials", "credentialId", "Ends one credential, of whichever Room and member."),
  onDoor("end_key", "keys", "keyId", "Ends one personal key, whosever it is."),
  onDoor("end_invitation", "invitations", "invitationId", "Takes back one open invitation, whosever it is."),
] as const

const all = [
  action({
    name: "set_up",
    method: "POST",
    path: "/api/setup",
    form: "/web/setup",
    by: "anyone",
    refusals: ["not_authenticated", "state_conflict", "too_many_requests"],
    summary: "Makes the first person, the operator, with the one-time token that serve prints; signs them in.",
    fields: { token, username, password },
    example: { token: "rru_…", username: "ada", password: "a long sentence to remember" },
    answer: answers.session,
  }),
  action({
    name: "sign_in",
    method: "POST",
    path: "/api/session",
    form: "/web/sign-in",
    by: "anyone",
    refusals: ["not_authenticated", "state_conflict", "too_many_requests"],
    summary: "Signs a person in: sets the session cookie.",
    fields: { username, password: plain(limits.passwordMax) },
    example: { username: "ada", password: "a long sentence to remember" },
    answer: answers.session,
  }),
  action({
    name: "join_by_provider",
    method: "POST",
    path: "/api/session/provider",
    form: "/web/provider/join",
    by: "anyone",
    refusals: ["not_authenticated", "state_conflict", "room_unavailable", "unknown_operation"],
    summary:
      "Creates the account of a person whom the group's identity provider vouches for, and signs them in. A browser comes here from /sign-in/provider, with what it was given there.",
    fields: { username },
    example: { username: "grace" },
    answer: answers.session,
  }),
  action({
    name: "sign_out",
    method: "DELETE",
    path: "/api/session",
    form: "/web/sign-out",
    by: "anyone",
    summary: "Ends the session on the server and clears the cookie.",
    fields: {},
    example: {},
    answer: answers.session,
  }),
  action({
    name: "change_password",
    method: "POST",
    path: "/api/account/password",
    form: "/web/password",
    by: "person",
    refusals: ["not_authenticated", "state_conflict", "too_many_requests"],
    summary: "Sets the person's password anew; every session of theirs ends but the one that comes with the answer.",
    fields: { currentPassword: plain(limits.passwordMax), password },
    example: { currentPassword: "a long sentence to remember", password: "another sentence, longer still" },
    answer: answers.session,
  }),
  action({
    name: "connect_provider",
    method: "POST",
    path: "/api/account/provider",
    form: "/web/provider/connect",
    by: "person",
    refusals: ["state_conflict", "unknown_operation"],
    summary:
      "Lets the person also come in by the account of the group's identity provider with which their browser came back from /sign-in/provider?connect=1.",
    fields: {},
    example: {},
    answer: answers.session,
  }),
  action({
    name: "disconnect_provider",
    method: "POST",
    path: "/api/account/provider/disconnect",
    form: "/web/provider/disconnect",
    by: "person",
    refusals: ["state_conflict", "unknown_operation"],
    summary: "Takes back that way in; refused where no other is left.",
    fields: {},
    example: {},
    answer: answers.session,
  }),
  action({
    name: "describe_person",
    method: "POST",
    path: "/api/account/description",
    form: "/web/description",
    by: "person",
    summary:
      "Says how the person wants to be cited: a name, its parts for styles that sort and shorten by them, an ORCID. What is left out is said no longer. The service does not ask ORCID whose it is.",
    fields: description,
    example: { name: "Ada Lovelace", givenName: "Ada", familyName: "Lovelace", orcid: "https://orcid.org/0000-0002-1825-0097" },
    answer: answers.describedPerson,
  }),
  action({
    name: "invite",
    method: "POST",
    path: "/api/invitations",
    form: "/web/invite",
    by: "person",
    refusals: ["role_required"],
    summary:
      "Makes a link with which one person may create an account; with roomId (owner only) they join that Room. The token is shown once. Who may is a setting of the service: owners of a Room and operators, unless told.",
    fields: { roomId: v.exactOptional(subject("room")) },
    example: {},
    answer: answers.invitationIssued,
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
    answer: answers.session,
  }),
  action({
    name: "revoke_invitation",
    method: "POST",
    path: "/api/invitations/{invitationId}/revoke",
    by: "person",
    summary: "Takes back your own open invitation.",
    fields: {},
    example: {},
    answer: shape({ schemaVersion: answers.schemaVersion, invitationId: v.string(), revoked: v.literal(true) }),
  }),
  ...operatorActions,
] as const

/** An action as the edge sees it, whatever its body. */
export interface Action<N extends string = string> {
  readonly name: N
  readonly method: "POST" | "DELETE"
  readonly path: string
  readonly form?: string
  readonly by: By
  readonly summary: string
  readonly refusals: readonly RefusalCode[]
  readonly body: v.GenericSchema & { readonly entries: v.ObjectEntries }
  readonly example: unknown
  readonly answer: v.GenericSchema
}

type Definition = (typeof all)[number]
export type ActionName = Definition["name"]
export const actions: readonly Action<ActionName>[] = all

export type ActionBody<N extends ActionName> = v.InferOutput<Extract<Definition, { name: N }>["body"]>
/** What an action answers beside the schema version. */
export type ActionAnswer<N extends ActionName> = Omit<v.InferOutput<Extract<Definition, { name: N }>["answer"]>, "schemaVersion">
export type ActionBy<N extends ActionName> = Extract<Definition, { name: N }>["by"]
/** What only operators do. */
export type OperatorAction = Extract<Definition, { by: "operator" }>["name"]
/** The actions that pages have a form for. */
export type FormAction = {
  [N in ActionName]: [NonNullable<Extract<Definition, { name: N }>["form"]>] extends [never] ? never : N
}[ActionName]

const byName = new Map<string, Action>(all.map((each) => [each.name, each]))
export const actionNamed = (name: ActionName): Action => present(byName.get(name))
