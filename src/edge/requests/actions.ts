/** What people do that is not an operation: sign in, invite, manage access. JSON routes and forms share this table. */
import { publicAddresses } from "../../rooms/webhook-addresses.ts"
import { getCookie, type H3Event } from "h3"
import {
  type ActionAnswer,
  type ActionBody,
  type ActionBy,
  type ActionName,
  actionNamed,
  actions,
  sessionCookie,
} from "../../contract/operations/actions.ts"
import { present } from "../../contract/typed.ts"
import { Refusal } from "../../contract/refusals.ts"
import { check } from "../../contract/schema/validation.ts"
import type { SignedIn } from "../../people/signing-in.ts"
import type { AccessKind, EndedAccess, Operators } from "../../people/acts.ts"
import type { Person } from "../../people/people.ts"
import type { Identity } from "../../people/provider.ts"
import { tokenForm } from "../../people/tokens.ts"
import { clientOf, mustBeOperator, mustBeSignedIn, mustComeFromOwnPage } from "../identity/callers.ts"
import {
  cookieOf,
  readStep,
  entranceOf,
  mustBeInviter,
  mustHaveProvider,
  mustTakePasswords,
} from "../identity/sign-in.ts"
import { json, versioned } from "../answers/answer.ts"
import { type Edge, pathParams } from "../edge.ts"
import { hasBody, readJsonBody } from "../limits/body.ts"
import { contextOf } from "../limits/request-context.ts"
import type { Routes } from "./routes.ts"

interface ActionRequest<N extends ActionName> {
  readonly edge: Edge
  readonly event: H3Event
  readonly body: ActionBody<N>
  readonly person: ActionBy<N> extends "anyone" ? undefined : Person
  readonly params: Readonly<Record<string, string>>
}

/** An action's answer, and the headers to send in every encoding (a cookie). */
export interface Done<N extends ActionName> {
  readonly answer: ActionAnswer<N>
  readonly headers: Readonly<Record<string, string>>
}

/** The person whose session cookie the browser sends. */
function browserOf({ instance: { tables } }: Edge, event: H3Event): Person | undefined {
  const token = getCookie(event, sessionCookie)
  return token === undefined ? undefined : tables.sessions.person(token)
}

const welcome = (edge: Edge, { person: { userId, username, isOperator }, token, maxAge }: SignedIn) => ({
  answer: { person: { userId, username, isOperator } },
  headers: cookieOf(edge, sessionCookie, token, maxAge),
})

/**
 * Signs a person in through the identity provider. @returns the session cookie header; undefined if no account here
 * belongs to that identity
 */
export async function signedInBy(
  edge: Edge,
  event: H3Event,
  identity: Identity,
): Promise<Readonly<Record<string, string>> | undefined> {
  const done = await edge.instance.byProvider.signIn(identity, clientOf(event))
  if (done === undefined) return undefined
  contextOf(event).userId = done.person.userId
  return welcome(edge, done).headers
}

const nothingEnded: EndedAccess = { credentials: 0, keys: 0, invitations: 0 }

/** An operator's action on the person in the path. @returns an action that answers with the person's new state */
const onPerson =
  (work: (operators: Operators, by: Person, userId: string) => Promise<EndedAccess | undefined>) =>
  async ({
    edge,
    person,
    params,
  }: Pick<ActionRequest<"disable_person">, "edge" | "person" | "params">): Promise<Done<"disable_person">> => {
    const { operators, tables } = edge.instance
    const { userId = "" } = params
    const ended = (await work(operators, person, userId)) ?? nothingEnded
    const { username, isOperator, disabledAt } = present(tables.people.ofHere(userId))
    return { answer: { person: { userId, username, isOperator, disabledAt }, ended }, headers: {} }
  }

const ending =
  (kind: AccessKind) =>
  async ({
    edge,
    person,
    params,
  }: Pick<ActionRequest<"end_key">, "edge" | "person" | "params">): Promise<Done<"end_key">> => {
    const [id = ""] = Object.values(params)
    const { owner, revokedAt } = await edge.instance.operators.revokeAccess(person, kind, id)
    return { answer: { id, of: owner, revokedAt }, headers: {} }
  }

type Acts = { readonly [N in ActionName]: (prepareAction: ActionRequest<N>) => Promise<Done<N>> }

const acts: Acts = {
  /** A wrong link counts against the client's address. */
  async set_up({ edge, event, body }) {
    mustTakePasswords(edge)
    try {
      return welcome(edge, await edge.instance.accounts.setUp(body, clientOf(event)))
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) edge.rates?.refusedCredential(contextOf(event))
      throw error
    }
  },

  async sign_in({ edge, event, body }) {
    mustTakePasswords(edge)
    const { accounts, tables } = edge.instance
    // Logs the user only if there is one with that name: people type passwords into the name field.
    contextOf(event).userId = tables.people.named(body.username)?.userId ?? null
    return welcome(edge, await accounts.signIn(body, clientOf(event), browserOf(edge, event)))
  },

  /**
   * Ends every session that the browser sends: there may be one from before the cookie's path was limited to this
   * service.
   */
  async sign_out({ edge, event }) {
    for (const pair of (event.req.headers.get("cookie") ?? "").split(/; */)) {
      const token = pair.startsWith(`${sessionCookie}=`) ? pair.slice(sessionCookie.length + 1) : ""
      if (tokenForm("session", token) === "whole") await edge.instance.accounts.signOut(token, clientOf(event))
    }
    return { answer: { person: null }, headers: cookieOf(edge, sessionCookie, "", 0) }
  },

  async join_by_provider({ edge, event, body }) {
    const { identity, by } = readStep(edge, event, "newcomer")
    return welcome(edge, await edge.instance.byProvider.join(by, body.username, identity, clientOf(event)))
  },

  async connect_provider({ edge, event, person }) {
    const { identity, userId } = readStep(edge, event, "connecting")
    if (userId !== person.userId)
      throw new Refusal("state_conflict", "Another person started this in the same browser. Start again.")
    await edge.instance.byProvider.connect(person, identity, clientOf(event))
    return { answer: { person: { ...person } }, headers: {} }
  },

  async disconnect_provider({ edge, event, person }) {
    mustHaveProvider(edge)
    await edge.instance.byProvider.disconnect(person, entranceOf(edge).passwords, clientOf(event))
    return { answer: { person: { ...person } }, headers: {} }
  },

  async change_password({ edge, event, body, person }) {
    mustTakePasswords(edge)
    return welcome(edge, await edge.instance.accounts.changePassword(person, body, clientOf(event)))
  },

  async describe_person({ edge, body, person }) {
    const { accounts, tables } = edge.instance
    const { schemaVersion: _version, requestId: _id, ...description } = body
    await accounts.describe(person, person.userId, description)
    return { answer: present(tables.people.described(person.userId)), headers: {} }
  },

  async invite({ edge, body, person }) {
    mustBeInviter(edge, person)
    const { accounts, tables } = edge.instance
    const ownsRoom = (roomId: string, userId: string) => tables.rooms.standing(roomId, userId)?.role === "owner"
    const { invitationId, token, expiresAt } = await accounts.invite(person, body, ownsRoom)
    return { answer: { invitationId, link: `${edge.baseUrl}/invitations/${token}`, token, expiresAt }, headers: {} }
  },

  async accept_invitation({ edge, event, body, params }) {
    mustTakePasswords(edge)
    return welcome(edge, await edge.instance.accounts.acceptInvitation(params.token ?? "", body, clientOf(event)))
  },

  async add_webhook({ edge, body, person, params }) {
    const { webhookId, url, secret } = await edge.instance.webhooks.add(
      person,
      params.roomId ?? "",
      body,
      edge.webhookReach ?? publicAddresses,
    )
    return { answer: { webhookId, url, secret }, headers: {} }
  },

  async change_webhook({ edge, body, person, params }) {
    const { webhookId = "" } = params
    await edge.instance.webhooks.change(person, webhookId, body)
    return { answer: { webhookId }, headers: {} }
  },

  disable_person: onPerson((operators, by, userId) => operators.disable(by, userId)),
  enable_person: onPerson((operators, by, userId) => operators.enable(by, userId)),
  make_operator: onPerson((operators, by, userId) => operators.setOperator(by, userId, true)),
  unmake_operator: onPerson((operators, by, userId) => operators.setOperator(by, userId, false)),
  end_access: onPerson((operators, by, userId) => operators.endAccess(by, userId)),
  end_sessions: onPerson((operators, by, userId) => operators.endSessions(by, userId)),
  clear_sign_in_count: onPerson((operators, by, userId) => operators.clearCount(by, userId)),
  end_credential: ending("credential"),
  end_key: ending("key"),
  end_invitation: ending("invitation"),

  async revoke_invitation({ edge, person, params }) {
    const invitationId = params.invitationId ?? ""
    await edge.instance.accounts.revokeInvitation(person, invitationId)
    return { answer: { invitationId, revoked: true }, headers: {} }
  },
}

/**
 * Prepares an action: checks the origin of the request and authenticates the caller.
 * @returns a function that runs the action on a decoded body. @throws Refusal `invalid_schema`, and the action's own
 * @throws Refusal `browser_origin`, `not_authenticated`; NotServed if only operators may act and the caller is none
 */
export function prepareAction<N extends ActionName>(
  edge: Edge,
  event: H3Event,
  name: N,
): (input: unknown) => Promise<Done<N>> {
  const action = actionNamed(name)
  const operator = action.by === "operator" ? mustBeOperator(edge, event) : undefined
  mustComeFromOwnPage(edge, event)
  const person = (operator ??
    (action.by === "person" ? mustBeSignedIn(edge, event) : undefined)) as ActionRequest<N>["person"]
  return async (input) => {
    const checked = check(action.body, input)
    if (!checked.ok)
      throw new Refusal("invalid_schema", `The body does not match the schema of ${name}.`, { issues: checked.issues })
    return acts[name]({ edge, event, body: checked.value as ActionBody<N>, person, params: pathParams(event) })
  }
}

/** Adds the actions of the registry. */
export function actionRoutes(edge: Edge, routes: Routes): void {
  for (const { method, path, name } of actions) {
    routes.add(method, path, async (event) => {
      const act = prepareAction(edge, event, name)
      const { answer, headers } = await act(method === "DELETE" && !hasBody(event) ? {} : await readJsonBody(event))
      return json(versioned(answer), 200, headers)
    })
  }
}
