/**
 * Changes to people that no operation makes: what operators do with accounts (disable and enable users, appoint
 * operators, revoke credentials, keys and invitations), and what other tables depend on. They are stored in the journal
 * and replayed from it.
 */
import type { Described } from "../contract/nouns/people.ts"
import type { ActCall, Done } from "../ledger/journal/behaviour.ts"
import type { Person, People, Sessions } from "./people.ts"
import { Refusal } from "../contract/refusals.ts"
import type { Ledger } from "../ledger/write/ledger.ts"
import { isoTime, type World } from "../ledger/world.ts"
import { type Audit, personSubject } from "./audit.ts"
import type { AuditKind } from "../contract/audit-kinds.ts"
import type { Invitations } from "./invitations.ts"

/** The kinds of access that an operator can revoke. */
export type AccessKind = "credential" | "key" | "invitation"

/** A credential, key or invitation, as an operator sees it. */
export interface AccessTarget {
  readonly owner: Pick<Person, "userId" | "username">
  readonly label?: string
  readonly roomId?: string | null
  readonly revokedAt: string | null
  /** The id of the user who accepted the invitation. */
  readonly acceptedBy?: string | null
}

export interface AccessTables {
  find(id: string): AccessTarget | undefined
  revoke(id: string, at: string): unknown
  /** Revokes all of a person's that are not revoked yet. @returns how many */
  revokeAllOf(userId: string, at: string): number
}

/** How many of a person's were revoked. */
export interface EndedAccess {
  readonly credentials: number
  readonly keys: number
  readonly invitations: number
}

/** What the functions on accounts work with. */
export interface AccountParts {
  readonly ledger: Ledger
  readonly world: World
  readonly people: People
  readonly sessions: Sessions
  readonly invitations: Invitations
  readonly audit: Audit
}
type OperatorParts = AccountParts & { readonly credentials: AccessTables; readonly keys: AccessTables }

/** The kinds of access with their name in messages, the audit entry for revoking one, and their table. */
const accessKinds = {
  credential: { name: "credential", auditKind: "revoke_credential", subject: "credential", table: "credentials" },
  key: { name: "personal key", auditKind: "revoke_key", subject: "personal_key", table: "keys" },
  invitation: { name: "invitation", auditKind: "revoke_invitation", subject: "invitation", table: "invitations" },
} as const satisfies Readonly<Record<AccessKind, { readonly auditKind: AuditKind; readonly [member: string]: string }>>

type LocalPerson = Person & { readonly disabledAt: string | null }

/** Other rows depend on these changes, so the journal records them. Sessions are not in the journal. */
const operatorActs = ({ people, credentials, keys, invitations }: OperatorParts) => ({
  disable_person({ change: { at } }: ActCall, { userId }: { userId: string }): EndedAccess {
    people.disable(userId, at)
    return {
      credentials: credentials.revokeAllOf(userId, at),
      keys: keys.revokeAllOf(userId, at),
      // A disabled user could otherwise create another account with their own invitation.
      invitations: invitations.revokeAllOf(userId, at),
    }
  },
  enable_person(_call: ActCall, { userId }: { userId: string }): void {
    people.enable(userId)
  },
  set_operator(_call: ActCall, { userId, isOperator }: { userId: string; isOperator: boolean }): void {
    people.setOperator(userId, isOperator)
  },
  end_access({ change: { at } }: ActCall, { userId }: { userId: string }): EndedAccess {
    return { credentials: credentials.revokeAllOf(userId, at), keys: keys.revokeAllOf(userId, at), invitations: 0 }
  },
  end_door({ change: { at } }: ActCall, { kind, id }: { kind: AccessKind; id: string }): string {
    const tables = { credentials, keys, invitations }
    tables[accessKinds[kind].table].revoke(id, at)
    return at
  },
})

const unchanged = (sentence: string, { userId, username, isOperator, disabledAt }: LocalPerson) =>
  new Refusal("state_conflict", sentence, { current: { person: { userId, username, isOperator, disabledAt } } })

export type Operators = ReturnType<typeof operatorActions>

/**
 * Each function takes the operator, or null for a command. @throws Refusal 404 for an unknown user, 409 if nothing
 * would change
 */
export function operatorActions(parts: OperatorParts) {
  const { ledger, world, people, sessions, audit } = parts
  const acts = ledger.addActs(operatorActs(parts))

  /** Checked in the transaction: two operators may demote each other at the same time. */
  function mustBeOperator(by: Person | null): void {
    if (by !== null && !people.isOperator(by.userId))
      throw new Refusal("role_required", "You are no longer an operator.")
  }

  /** @throws Refusal `state_conflict` if the person is the only operator */
  function mustLeaveOperator(person: LocalPerson): void {
    if (!person.isOperator || people.otherOperators(person.userId)) return
    throw unchanged(`${person.username} is the only operator here: make another user an operator first.`, person)
  }

  const act = <T extends EndedAccess | undefined>(
    by: Person | null,
    userId: string,
    kind: AuditKind,
    work: (person: LocalPerson) => T,
  ): Promise<T> =>
    ledger.transact(() => {
      mustBeOperator(by)
      const person = people.ofHere(userId)
      if (person === undefined) throw new Refusal("room_unavailable", "There is no user with this id.")
      const done = work(person)
      audit.write({ kind, by, subject: personSubject(person), detail: { ...done } })
      return done
    })

  return {
    /**
     * Disables a user: ends their sessions, keys, credentials and open invitations. What they wrote stays under their
     * name.
     */
    disable: (by: Person | null, userId: string) =>
      act(by, userId, "disable_person", (person) => {
        if (person.disabledAt !== null) throw unchanged(`${person.username} is disabled already.`, person)
        mustLeaveOperator(person)
        sessions.endAll(userId)
        return acts.disable_person(by, { userId })
      }),

    /** Enables a user, who signs in with their old password. What was revoked stays revoked. */
    enable: (by: Person | null, userId: string) =>
      act(by, userId, "enable_person", (person) => {
        if (person.disabledAt === null) throw unchanged(`${person.username} is not disabled.`, person)
        return void acts.enable_person(by, { userId })
      }),

    setOperator: (by: Person | null, userId: string, isOperator: boolean) =>
      act(by, userId, isOperator ? "make_operator" : "unmake_operator", (person) => {
        if (person.isOperator === isOperator)
          throw unchanged(`${person.username} is ${isOperator ? "an" : "no"} operator already.`, person)
        if (isOperator && person.disabledAt !== null)
          throw unchanged(`${person.username} is disabled: enable them first.`, person)
        if (!isOperator) mustLeaveOperator(person)
        return void acts.set_operator(by, { userId, isOperator })
      }),

    endAccess: (by: Person | null, userId: string) =>
      act(by, userId, "end_access", () => acts.end_access(by, { userId })),

    /** Ends the sessions of a user, in every browser. */
    endSessions: (by: Person | null, userId: string) =>
      act(by, userId, "end_sessions", () => void sessions.endAll(userId)),

    /** Revokes credentials and keys in an open transaction. The caller writes the audit entry. */
    endAccessWithin: (by: Person | null, userId: string): EndedAccess => acts.end_access(by, { userId }),

    /** Forgets a user's failed sign-ins and the addresses they have signed in from. */
    clearCount: (by: Person | null, userId: string) =>
      act(by, userId, "clear_sign_in_count", () => void people.clearCount(userId, isoTime(world.now()))),

    /**
     * Revokes a credential, key or invitation of any user. @throws Refusal 404 for an unknown id, 409 if it was revoked
     * or accepted already
     */
    revokeAccess: (by: Person, kind: AccessKind, id: string) =>
      ledger.transact(() => {
        mustBeOperator(by)
        const { name, auditKind, subject, table } = accessKinds[kind]
        const found: AccessTarget | undefined = parts[table].find(id)
        if (found === undefined) throw new Refusal("room_unavailable", `There is no ${name} with this id.`)
        const { owner, label = null, roomId, revokedAt, acceptedBy = null } = found
        if (revokedAt !== null)
          throw new Refusal("state_conflict", `The ${name} was revoked at ${revokedAt}.`, {
            current: { id, revokedAt },
          })
        if (acceptedBy !== null)
          throw new Refusal("state_conflict", `The ${name} was accepted: nobody else can use it.`, { current: { id } })
        const at = acts.end_door(by, { kind, id })
        audit.write({
          kind: auditKind,
          by,
          subject: { kind: subject, id, name: label },
          roomId,
          detail: { of: owner.username },
        })
        return { owner, revokedAt: at }
      }),
  }
}

/** Passwords and sessions are not in the journal. */
export const personActs = ({ people, invitations }: AccountParts) => ({
  /** Makes a person who cannot sign in yet. */
  create_person({ change }: ActCall, { username, isOperator }: { username: string; isOperator: boolean }): Person {
    const userId = change.newId()
    people.insert(userId, username, "", isOperator, change.at)
    return { userId, username, isOperator }
  },
  /** Stores how a person wants to be cited, as declared by them or by their own instance. */
  describe_person(_call: ActCall, { userId, ...described }: Described & { readonly userId: string }): void {
    people.describe(userId, described)
  },
  invite({ userId, change }: ActCall, { roomId }: { roomId: string | null }) {
    return invitations.issue(userId, roomId, change)
  },
  /** @returns false unless the invitation was open and was issued by this person */
  revoke_invitation({ userId, change }: ActCall, { invitationId }: { invitationId: string }): boolean {
    return invitations.revokeOwn(invitationId, userId, change.at)
  },
  accept_invitation({ userId }: ActCall, { invitationId }: { invitationId: string }): void {
    invitations.accepted(invitationId, userId)
  },
})

/** The acts in callable form: each call is recorded in the journal. */
export type PersonActs = Done<ReturnType<typeof personActs>>

/** What the functions that change accounts share. */
export interface ActingParts extends AccountParts {
  readonly acts: PersonActs
  readonly operators: Operators
}
