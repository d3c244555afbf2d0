/** What operators do for the people of the service: keep somebody out and let them in again, make operators, end what opens doors. */
import { Refusal } from "../contract/refusals/refusal.ts"
import type { ActCall } from "../ledger/journal/acts.ts"
import type { Ledger } from "../ledger/write/admit.ts"
import { isoTime, type World } from "../ledger/world.ts"
import { type Audit, personSubject } from "./audit.ts"
import type { AuditKind } from "../contract/answers/audit.ts"
import type { Invitations } from "./invitations.ts"
import type { People, Person } from "./people.ts"
import type { Sessions } from "./sessions.ts"

/** What opens doors, by its kind. */
export type AccessKind = "credential" | "key" | "invitation"

/** One thing that opens doors: whose it is, what they call it, and since when it does so no longer. */
export interface AccessTarget {
  readonly owner: Pick<Person, "userId" | "username">
  readonly label?: string
  readonly roomId?: string | null
  readonly revokedAt: string | null
  /** Who used it up, where it opens only once. */
  readonly acceptedBy?: string | null
}

/** Things of a kind that open doors. */
export interface AccessTables {
  find(id: string): AccessTarget | undefined
  revoke(id: string, at: string): unknown
  /** Ends all of a person's that still hold. @returns how many */
  revokeAllOf(userId: string, at: string): number
}

/** How many of a person's were ended. */
export interface EndedAccess {
  readonly credentials: number
  readonly keys: number
  readonly invitations: number
}

/** What the service's people are kept with. */
export interface Keeping {
  readonly ledger: Ledger
  readonly world: World
  readonly people: People
  readonly sessions: Sessions
  readonly invitations: Invitations
  readonly audit: Audit
  readonly credentials: AccessTables
  readonly keys: AccessTables
}

/** Each kind of door, what the log calls one, and what is noted when one ends. */
const doors = {
  credential: {
    name: "credential",
    kind: "revoke_credential",
    subject: "credential",
    of: ({ credentials }: Keeping): AccessTables => credentials,
  },
  key: { name: "personal key", kind: "revoke_key", subject: "personal_key", of: ({ keys }: Keeping): AccessTables => keys },
  invitation: {
    name: "invitation",
    kind: "revoke_invitation",
    subject: "invitation",
    of: ({ invitations }: Keeping): AccessTables => invitations,
  },
} as const satisfies Readonly<Record<AccessKind, { readonly kind: AuditKind; readonly [member: string]: unknown }>>

/** Of what they change other rows rest, so the history has them; sessions are no part of it. */
const operatorActs = (parts: Keeping) => ({
  disable_person({ change: { at } }: ActCall, { userId }: { userId: string }): EndedAccess {
    const { people, invitations, credentials, keys } = parts
    people.disable(userId, at)
    // Who was let out could come in again by a link of their own, under another name.
    const open = invitations.revokeAllOf(userId, at)
    return { credentials: credentials.revokeAllOf(userId, at), keys: keys.revokeAllOf(userId, at), invitations: open }
  },
  enable_person(_call: ActCall, { userId }: { userId: string }): void {
    parts.people.enable(userId)
  },
  set_operator(_call: ActCall, { userId, isOperator }: { userId: string; isOperator: boolean }): void {
    parts.people.setOperator(userId, isOperator)
  },
  end_access({ change: { at } }: ActCall, { userId }: { userId: string }): EndedAccess {
    const { credentials, keys } = parts
    return { credentials: credentials.revokeAllOf(userId, at), keys: keys.revokeAllOf(userId, at), invitations: 0 }
  },
  end_door({ change: { at } }: ActCall, { kind, id }: { kind: AccessKind; id: string }): string {
    doors[kind].of(parts).revoke(id, at)
    return at
  },
})

const unchanged = (sentence: string, person: Person & { readonly disabledAt: string | null }) =>
  new Refusal("state_conflict", sentence, {
    current: {
      person: { userId: person.userId, username: person.username, isOperator: person.isOperator, disabledAt: person.disabledAt },
    },
  })

/** Each is done by an operator, or by a command: then by nobody. @throws Refusal 404 for nobody, 409 where it is so already */
export class Operators {
  readonly #parts: Keeping
  readonly #acts

  constructor(parts: Keeping) {
    this.#parts = parts
    this.#acts = parts.ledger.addActs(operatorActs(parts))
  }

  /** Keeps somebody out from now on: sessions, keys, credentials and open invitations end. What they said stays under their name. */
  disable(by: Person | null, userId: string): Promise<EndedAccess> {
    return this.#do(by, userId, "disable_person", (person) => {
      if (person.disabledAt !== null) throw unchanged(`${person.username} is disabled already.`, person)
      this.#mustLeaveOperator(person)
      this.#parts.sessions.endAll(userId)
      return this.#acts.disable_person(by, { userId })
    })
  }

  /** Lets somebody in again, with the password they had. What was ended stays ended. */
  enable(by: Person | null, userId: string): Promise<undefined> {
    return this.#do(by, userId, "enable_person", (person) => {
      if (person.disabledAt === null) throw unchanged(`${person.username} is not disabled.`, person)
      this.#acts.enable_person(by, { userId })
      return undefined
    })
  }

  /** Makes somebody an operator, or one no longer. */
  setOperator(by: Person | null, userId: string, isOperator: boolean): Promise<undefined> {
    return this.#do(by, userId, isOperator ? "make_operator" : "unmake_operator", (person) => {
      if (person.isOperator === isOperator) throw unchanged(`${person.username} is ${isOperator ? "an" : "no"} operator already.`, person)
      if (isOperator && person.disabledAt !== null) throw unchanged(`${person.username} is disabled: enable them first.`, person)
      if (!isOperator) this.#mustLeaveOperator(person)
      this.#acts.set_operator(by, { userId, isOperator })
      return undefined
    })
  }

  /** Ends all of a person's credentials and keys. */
  endAccess(by: Person | null, userId: string): Promise<EndedAccess> {
    return this.#do(by, userId, "end_access", () => this.#acts.end_access(by, { userId }))
  }

  /** The same within an open transaction, which tells of it itself. */
  endAccessWithin(by: Person | null, userId: string): EndedAccess {
    return this.#acts.end_access(by, { userId })
  }

  /** Ends one of the things that open doors, whosever it is. @throws Refusal 404 for none of this id, 409 where it has ended or was used */
  endDoor(by: Person, kind: AccessKind, id: string): Promise<{ readonly owner: AccessTarget["owner"]; readonly revokedAt: string }> {
    const { ledger, audit } = this.#parts
    return ledger.transact(() => {
      this.#mustBeOperator(by)
      const { name, kind: noted, subject, of } = doors[kind]
      const found = of(this.#parts).find(id)
      if (found === undefined) throw new Refusal("room_unavailable", `There is no ${name} of this id here.`)
      const { owner, label = null, roomId, revokedAt, acceptedBy = null } = found
      if (revokedAt !== null)
        throw new Refusal("state_conflict", `The ${name} was revoked at ${revokedAt}.`, { current: { id, revokedAt } })
      if (acceptedBy !== null) throw new Refusal("state_conflict", `The ${name} was accepted: nobody else can use it.`, { current: { id } })
      const at = this.#acts.end_door(by, { kind, id })
      audit.write({ kind: noted, by, subject: { kind: subject, id, name: label }, roomId, detail: { of: owner.username } })
      return { owner, revokedAt: at }
    })
  }

  /** As of now: two operators may take it from each other at once. */
  #mustBeOperator(by: Person | null): void {
    if (by !== null && !this.#parts.people.isOperator(by.userId)) throw new Refusal("role_required", "You are no longer an operator.")
  }

  /** Forgets the failed sign-ins of a name, and from where it has come in. */
  clearCount(by: Person | null, userId: string): Promise<undefined> {
    const { people, world } = this.#parts
    return this.#do(by, userId, "clear_sign_in_count", () => void people.clearCount(userId, isoTime(world.now())))
  }

  #do<T extends EndedAccess | undefined>(
    by: Person | null,
    userId: string,
    kind: AuditKind,
    work: (person: Person & { readonly disabledAt: string | null }) => T,
  ): Promise<T> {
    const { ledger, people, audit } = this.#parts
    return ledger.transact(() => {
      this.#mustBeOperator(by)
      const person = people.ofHere(userId)
      if (person === undefined) throw new Refusal("room_unavailable", "There is no user with this id.")
      const done = work(person)
      audit.write({ kind, by, subject: personSubject(person), detail: { ...done } })
      return done
    })
  }

  /** @throws Refusal `state_conflict` where nobody else could look after the service */
  #mustLeaveOperator(person: Person & { readonly disabledAt: string | null }): void {
    if (!person.isOperator || this.#parts.people.otherOperators(person.userId)) return
    throw unchanged(`${person.username} is the only operator here: make somebody else one first.`, person)
  }
}
