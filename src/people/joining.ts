/**
 * Invitations to the service and to Rooms, and creation of accounts: by the set-up link, an invitation, the identity
 * provider or a command.
 */
import type { ActionBody } from "../contract/operations/actions.ts"
import { operationOf } from "../contract/operations/index.ts"
import { Refusal } from "../contract/refusals.ts"
import type { ActingParts } from "./acts.ts"
import { type Audited, personSubject } from "./audit.ts"
import type { Invitation } from "./invitations.ts"
import type { Person } from "./people.ts"
import type { SignedIn, SigningIn } from "./signing-in.ts"
import { mintToken, tokenDigest } from "./tokens.ts"

/** What permits a new account: the set-up link, an invitation, or a setting that admits everyone the provider knows. */
export type Admission = { readonly setUp: string } | { readonly invitation: string } | "admitted"

const taken = (username: string) =>
  new Refusal("state_conflict", `The name ${username} is taken; choose another.`, { current: { username } })
const isSetUp = () =>
  new Refusal("state_conflict", "This instance is set up already; sign in instead.", { current: { setUp: true } })

const closedInvitation = () =>
  new Refusal("room_unavailable", "This invitation does not exist, was used, was revoked or has expired.")

const invitationSubject = (invitationId: string) => ({ kind: "invitation", id: invitationId, name: null })

export function joining({ ledger, world, people, invitations, audit, acts }: ActingParts, signIns: SigningIn) {
  let setupDigest: string | null = null

  /** @throws Refusal 404 for an invitation that is not open */
  function invitation(token: string): Invitation {
    const found = invitations.open(token)
    if (found === undefined) throw closedInvitation()
    return found
  }

  const create = (username: string, isOperator: boolean, give: (person: Person) => void): Person => {
    if (people.named(username) !== undefined) throw taken(username)
    const person = acts.create_person(null, { username, isOperator })
    give(person)
    return person
  }

  const withPassword =
    (hash: string) =>
    ({ userId }: Person): void =>
      void people.setPasswordHash(userId, hash)

  /** Adds the member as a write of the Room's owner, who sent the invitation, with all the checks of such a write. */
  const addMember = (owner: { userId: string; username: string }, roomId: string, username: string): void => {
    const operation = operationOf("add_member")
    ledger.admitWithin({
      operation,
      actor: { ...owner, grant: null },
      params: { roomId },
      body: { schemaVersion: operation.schemaVersion, requestId: world.id(), username },
    })
  }

  /** @throws Refusal if the link or invitation is not valid */
  const mustAdmit = (by: Admission): void => {
    if (by === "admitted") return
    if ("invitation" in by) {
      invitation(by.invitation)
      return
    }
    if (people.exist()) throw isSetUp()
    if (setupDigest !== tokenDigest(by.setUp))
      throw new Refusal("not_authenticated", "This is not the set-up link that the service printed last.")
  }

  /**
   * Creates a person, uses up the link, adds the membership that an invitation names and starts a session: all or
   * nothing.
   * @param give stores how the person signs in
   * @param detail how they sign in, for the audit log
   * @throws Refusal 409 if the name is taken
   */
  const join = (
    by: Admission,
    username: string,
    give: (person: Person) => void,
    address?: string,
    detail?: Audited["detail"],
  ): Promise<SignedIn> =>
    ledger.transact(() => {
      mustAdmit(by)
      const isFirst = by !== "admitted" && "setUp" in by
      const person = create(username, isFirst, give)
      if (by !== "admitted" && "invitation" in by) {
        const { invitationId, invitedBy, room } = invitation(by.invitation)
        acts.accept_invitation(person, { invitationId })
        const subject = invitationSubject(invitationId)
        audit.write({ kind: "accept_invitation", by: person, subject, roomId: room?.roomId, address, detail })
        if (room !== null) addMember(invitedBy, room.roomId, username)
      } else audit.write({ kind: isFirst ? "set_up" : "join_by_provider", by: person, address, detail })
      return signIns.start(person)
    })

  const joinByPassword = async (
    by: Admission,
    username: string,
    password: string,
    address?: string,
  ): Promise<SignedIn> => {
    mustAdmit(by)
    return join(by, username, withPassword(await signIns.hashChosen(username, password, address)), address)
  }

  return {
    mustAdmit,
    join,
    invitation,

    /** @throws Refusal 403 if the person does not own the Room */
    invite: (by: Person, { roomId }: ActionBody<"invite">, ownsRoom: (roomId: string, userId: string) => boolean) =>
      ledger.transact(() => {
        if (roomId !== undefined && !ownsRoom(roomId, by.userId)) {
          throw new Refusal("role_required", "Only the owner of a Room can invite people to it.", {
            current: { needed: ["owner"] },
          })
        }
        const issued = acts.invite(by, { roomId: roomId ?? null })
        audit.write({ kind: "invite", by, subject: invitationSubject(issued.invitationId), roomId })
        return issued
      }),

    revokeInvitation: (by: Person, invitationId: string): Promise<void> =>
      ledger.transact(() => {
        if (!acts.revoke_invitation(by, { invitationId })) throw closedInvitation()
        audit.write({ kind: "revoke_invitation", by, subject: invitationSubject(invitationId) })
      }),

    /** Returns a new set-up token, which replaces the previous one; null if there are users already. */
    openSetUp(): string | null {
      if (people.exist()) return null
      const token = mintToken("setup", (count) => world.bytes(count))
      setupDigest = tokenDigest(token)
      return token
    },

    /** Creates the first operator. @throws Refusal 401 for a wrong token, 409 if there are users already */
    setUp: ({ token, username, password }: ActionBody<"set_up">, address?: string): Promise<SignedIn> =>
      joinByPassword({ setUp: token }, username, password, address),

    acceptInvitation: (
      token: string,
      { username, password }: ActionBody<"accept_invitation">,
      address?: string,
    ): Promise<SignedIn> => joinByPassword({ invitation: token }, username, password, address),

    /**
     * Creates a person without an invitation, for the command line and the demo.
     * @param after waits for this before it writes; for the demo
     * @throws Refusal 409 if the name is taken
     */
    async add(username: string, password: string, after?: Promise<unknown>): Promise<Person> {
      const hash = await signIns.hashChosen(username, password)
      await after
      return ledger.transact(() => {
        const person = create(username, !people.exist(), withPassword(hash))
        audit.write({ kind: "create_person", subject: personSubject(person) })
        return person
      })
    },
  }
}
