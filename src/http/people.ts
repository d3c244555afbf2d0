/** The routes by which people come in: set-up, sign-in and out, invitations. */
import { getCookie, getRequestIP, type H3Event, type HTTPResponse } from "h3"
import { type Action, type ActionBody, type ActionName, actions, sessionCookie } from "../contract/actions.ts"
import { Refusal } from "../contract/refusals.ts"
import { check } from "../contract/validation.ts"
import type { SignedIn } from "../people/accounts.ts"
import type { Person } from "../people/people.ts"
import { tokenForm } from "../people/tokens.ts"
import { json, versioned } from "../edge/answer.ts"
import { readJsonBody } from "../edge/body.ts"
import { type Edge, mustBeSignedIn, mustComeFromOwnPage, pathParams } from "../edge/edge.ts"
import { passageOf } from "../edge/passage.ts"
import type { Routes } from "../edge/routes.ts"

/** What one action does, given its checked body. */
type Act<N extends ActionName> = (body: ActionBody<N>, event: H3Event) => HTTPResponse | Promise<HTTPResponse>
type Acts = { readonly [N in ActionName]: Act<N> }

/** The cookie's attributes: sent back to this service alone where several share a host; `Secure` where it is reached over https. */
export function cookie(edge: Edge, value: string, maxAge: number): string {
  const { protocol, pathname } = new URL(edge.baseUrl)
  const secure = protocol === "https:" ? "; Secure" : ""
  return `${sessionCookie}=${value}; Max-Age=${maxAge}; Path=${pathname.replace(/(?<=.)\/$/, "")}; HttpOnly; SameSite=Lax${secure}`
}

/** Whom the sign-in limit counts. */
export const clientOf = (event: H3Event): string => getRequestIP(event) ?? "unknown"

/** Whose session a browser brings to the door. */
function browserOf({ instance: { tables } }: Edge, event: H3Event): Person | undefined {
  const token = getCookie(event, sessionCookie)
  return token === undefined ? undefined : tables.sessions.person(token)
}

/** Sets the service up, at whichever door. A wrong link is counted for its sender's address. */
export async function setUp(edge: Edge, event: H3Event, body: ActionBody<"set_up">): Promise<SignedIn> {
  try {
    return await edge.instance.accounts.setUp(body, clientOf(event))
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) edge.rates?.refusedCredential(passageOf(event))
    throw error
  }
}

/** Ends every session that the browser brings: beside this service's own there may be one from before its path was the cookie's. */
export async function signOut({ instance: { accounts } }: Edge, event: H3Event): Promise<void> {
  for (const pair of (event.req.headers.get("cookie") ?? "").split(/; */)) {
    const token = pair.startsWith(`${sessionCookie}=`) ? pair.slice(sessionCookie.length + 1) : ""
    if (tokenForm("session", token) === "whole") await accounts.signOut(token)
  }
}

function acts(edge: Edge): Acts {
  const { accounts, tables } = edge.instance
  const welcome = ({ person, token, maxAge }: SignedIn) => {
    const { userId, username, isOperator } = person
    return json(versioned({ person: { userId, username, isOperator } }), 200, { "set-cookie": cookie(edge, token, maxAge) })
  }

  return {
    set_up: async (body, event) => welcome(await setUp(edge, event, body)),

    async sign_in(body, event) {
      // Whose door it was is for the log only where there is such a person: a password may stand where the name should.
      passageOf(event).userId = tables.people.named(body.username)?.userId ?? null
      return welcome(await accounts.signIn(body, clientOf(event), browserOf(edge, event)))
    },

    async sign_out(_body, event) {
      await signOut(edge, event)
      return json(versioned({ person: null }), 200, { "set-cookie": cookie(edge, "", 0) })
    },

    change_password: async (body, event) => welcome(await accounts.changePassword(mustBeSignedIn(edge, event), body, clientOf(event))),

    async invite(body, event) {
      const ownsRoom = (roomId: string, userId: string) => tables.rooms.standing(roomId, userId)?.role === "owner"
      const { invitationId, token, expiresAt } = await accounts.invite(mustBeSignedIn(edge, event), body, ownsRoom)
      return json(versioned({ invitationId, link: `${edge.baseUrl}/invitations/${token}`, token, expiresAt }))
    },

    async accept_invitation(body, event) {
      return welcome(await accounts.acceptInvitation(pathParams(event).token as string, body, clientOf(event)))
    },

    async revoke_invitation(_body, event) {
      const invitationId = pathParams(event).invitationId as string
      await accounts.revokeInvitation(mustBeSignedIn(edge, event), invitationId)
      return json(versioned({ invitationId, revoked: true }))
    },
  }
}

/** The checked body of an action. @throws Refusal `invalid_schema` */
async function checkedBody(action: Action, event: H3Event): Promise<unknown> {
  const checked = check(action.body, await readJsonBody(event))
  if (checked.ok) return checked.value
  throw new Refusal("invalid_schema", `The body is not as ${action.name} takes it.`, { issues: checked.issues })
}

/** Adds every action of the registry. */
export function peopleRoutes(edge: Edge, routes: Routes): void {
  const table = acts(edge) as unknown as Record<string, Act<never>>
  for (const action of actions) {
    routes.add(action.method, action.path, async (event) => {
      mustComeFromOwnPage(edge, event)
      // Who somebody is comes before what they send: a stranger is to hold little of the service.
      if (action.by === "person") mustBeSignedIn(edge, event)
      const act = table[action.name]
      if (act === undefined) throw new Error(`${action.name} does nothing`)
      return act((await checkedBody(action, event)) as never, event)
    })
  }
}
