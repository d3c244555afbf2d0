/** How people come to be and come in: set-up, sign-in, invitations. */
import { operationOf } from "../contract/operations/index.ts"
import type { ActionBody } from "../contract/actions.ts"
import { type Described, isOrcid } from "../contract/described.ts"
import { Refusal } from "../contract/refusals.ts"
import { isoTime } from "../ledger/world.ts"
import { personActs } from "./acts.ts"
import type { Audited } from "./audit.ts"
import { FailedSignIns } from "./failed-sign-ins.ts"
import type { Invitation } from "./invitations.ts"
import { hashPassword, passwordMatches } from "./passwords.ts"
import type { EndedAccess, Operators, Keeping } from "./operators.ts"
import type { Person } from "./people.ts"
import { type Knock, SignInLimit } from "./sign-in-limit.ts"
import { mintToken, tokenDigest } from "./tokens.ts"

export interface SignedIn {
  readonly person: Person
  /** For the cookie. */
  readonly token: string
  /** Seconds. */
  readonly maxAge: number
}

/** What a reset of a password ended besides sessions. */
export interface Reset {
  readonly person: Person
  readonly ended: EndedAccess | null
}

type Parts = Omit<Keeping, "credentials" | "keys"> & { readonly operators: Operators }

const taken = (username: string) =>
  new Refusal("state_conflict", `The name ${username} is taken; choose another.`, { current: { username } })
const wrong = () => new Refusal("not_authenticated", "The name or the password is wrong.")
const closedInvitation = () => new Refusal("room_unavailable", "This invitation does not exist, was used, was taken back or has expired.")

const asSubject = ({ userId, username }: Pick<Person, "userId" | "username">) => ({ kind: "person", id: userId, name: username })
const invitationSubject = (invitationId: string) => ({ kind: "invitation", id: invitationId, name: null })

/** What the audit log says beside who came in without a password. */
export const BY_PROVIDER = { by: "provider" } as const

/** What lets somebody make an account: the set-up link, an invitation, or that everybody whom the provider knows is admitted. */
export type NewcomerBy = { readonly setUp: string } | { readonly invitation: string } | "admitted"

const isSetUp = () => new Refusal("state_conflict", "This instance is set up already; sign in instead.", { current: { setUp: true } })

/**
 * A name with a part of its password's hash: another password, by whomever it was set, is another door. So is one of which an
 * operator has cleared the count, in whichever process.
 */
const doorOf = (username: string, stored = "", cleared = ""): string => `${username} ${stored.slice(-16)}${cleared}`

export class Accounts {
  readonly #parts: Parts
  readonly #limit: SignInLimit
  readonly #acts
  readonly #failures: FailedSignIns
  #setupDigest: string | null = null

  constructor(parts: Parts) {
    this.#parts = parts
    this.#acts = parts.ledger.addActs(personActs(parts))
    this.#limit = new SignInLimit(() => parts.world.now())
    this.#failures = new FailedSignIns(
      () => parts.world.now(),
      (line) => parts.ledger.transact(() => parts.audit.write(line)),
    )
  }

  /** While nobody exists: a fresh one-time token for set-up (the one before stops working). Else null. */
  openSetUp(): string | null {
    if (this.#parts.people.exist()) return null
    const token = mintToken("setup", (count) => this.#parts.world.bytes(count))
    this.#setupDigest = tokenDigest(token)
    return token
  }

  /** Makes the operator. @throws Refusal 401 for a wrong token, 409 once somebody exists */
  async setUp({ token, username, password }: ActionBody<"set_up">, address?: string): Promise<SignedIn> {
    return this.#joinByPassword({ setUp: token }, username, password, address)
  }

  /** @throws Refusal where what somebody comes by does not let them in */
  mustAdmit(by: NewcomerBy): void {
    if (by === "admitted") return
    if ("invitation" in by) {
      this.invitation(by.invitation)
      return
    }
    if (this.#parts.people.exist()) throw isSetUp()
    if (this.#setupDigest !== tokenDigest(by.setUp))
      throw new Refusal("not_authenticated", "This is not the set-up link that the service printed last.")
  }

  /**
   * Makes a person, uses up what let them in, adds the membership that an invitation names and starts their session: all or nothing.
   * @param give gives them their way in
   * @param detail what the audit log says of that way
   * @throws Refusal 409 when the name is taken
   */
  join(by: NewcomerBy, username: string, give: (person: Person) => void, address?: string, detail?: Audited["detail"]): Promise<SignedIn> {
    return this.#parts.ledger.transact(() => {
      this.mustAdmit(by)
      const isFirst = by !== "admitted" && "setUp" in by
      const person = this.#create(username, isFirst, give)
      if (isFirst) this.#setupDigest = null
      if (by !== "admitted" && "invitation" in by) {
        const { invitationId, invitedBy, room } = this.invitation(by.invitation)
        this.#acts.accept_invitation(person, { invitationId })
        const subject = invitationSubject(invitationId)
        this.#parts.audit.write({ kind: "accept_invitation", by: person, subject, roomId: room?.roomId, address, detail })
        if (room !== null) this.#addMember(invitedBy, room.roomId, username)
      } else this.#parts.audit.write({ kind: isFirst ? "set_up" : "join_by_provider", by: person, address, detail })
      return this.start(person)
    })
  }

  async #joinByPassword(by: NewcomerBy, username: string, password: string, address?: string): Promise<SignedIn> {
    this.mustAdmit(by)
    const hash = await this.#hash(password)
    if (address !== undefined) this.#limit.remember(doorOf(username, hash), address)
    return this.join(by, username, this.#withPassword(hash), address)
  }

  readonly #withPassword =
    (hash: string) =>
    ({ userId }: Person): void =>
      void this.#parts.people.setPasswordHash(userId, hash)

  /**
   * Makes a person without an invitation: for the command line, and, once `after` has settled, for the demo.
   * @throws Refusal 409 when the name is taken
   */
  async add(username: string, password: string, after?: Promise<unknown>): Promise<Person> {
    const hash = await this.#hash(password)
    await after
    return this.#parts.ledger.transact(() => {
      const person = this.#create(username, !this.#parts.people.exist(), this.#withPassword(hash))
      this.#parts.audit.write({ kind: "create_person", subject: asSubject(person) })
      return person
    })
  }

  /**
   * Sets a password, ends the person's sessions and forgets their failed sign-ins: for the command line.
   * @param everything ends their credentials and keys too
   */
  async setPassword(username: string, password: string, { everything = false } = {}): Promise<Reset | undefined> {
    const hash = await this.#hash(password)
    return this.#parts.ledger.transact(() => {
      const person = this.#parts.people.named(username)
      if (person === undefined) return undefined
      this.#parts.people.setPasswordHash(person.userId, hash)
      this.#parts.sessions.endAll(person.userId)
      const ended = everything ? this.#parts.operators.endAccessWithin(null, person.userId) : null
      this.#parts.audit.write({ kind: "reset_password", subject: asSubject(person), detail: { ...ended } })
      return { person, ended }
    })
  }

  /**
   * @param browser whose session the browser brings: its own person is not kept out by what others tried
   * @throws Refusal 401 for a wrong name or password alike, 429 after too many of them
   */
  async signIn({ username, password }: ActionBody<"sign_in">, address: string, browser?: Person): Promise<SignedIn> {
    const { people } = this.#parts
    const named = people.named(username)
    // Whoever is disabled is nobody at this door.
    const person = named && people.isEnabled(named.userId) ? named : undefined
    const stored = person && people.passwordHash(person.userId)
    const from = person !== undefined && browser?.userId === person.userId ? "own browser" : undefined
    const door = doorOf(username, stored, person && people.countCleared(person.userId))
    const right = await this.#tried({ door, address, from }, password, stored)
    if (person === undefined || !right) {
      // What somebody typed as a name may be a password.
      await this.#failures.add({ kind: "sign_in_failed", subject: named && asSubject(named), address })
      throw wrong()
    }
    return this.#parts.ledger.transact(() => {
      if (!people.isEnabled(person.userId)) throw wrong()
      this.#parts.audit.write({ kind: "sign_in", by: person, address })
      return this.start(person)
    })
  }

  /** Looks at a password within the limit. @throws Refusal 429 */
  async #tried(knock: Knock, password: string, stored: string | undefined): Promise<boolean> {
    const attempt = await this.#limit.begin(knock)
    try {
      const right = await passwordMatches(password, stored, attempt.isKnown ? "known" : "stranger")
      if (right) attempt.succeeded()
      return right
    } catch (error) {
      attempt.withdrawn()
      throw error
    }
  }

  /**
   * Sets a person's own password and starts their one remaining session.
   * @throws Refusal 401 for a wrong current password, 429 after too many of them
   */
  async changePassword(person: Person, { currentPassword, password }: ActionBody<"change_password">, address: string): Promise<SignedIn> {
    const { userId, username } = person
    const { people, sessions, ledger } = this.#parts
    const stored = people.passwordHash(userId)
    // Counted apart: whoever fails at the door does not keep those inside from their own password.
    const door = doorOf(username, stored, people.countCleared(userId))
    if (!(await this.#tried({ door, address, from: "inside" }, currentPassword, stored))) {
      await this.#failures.add({ kind: "change_password_failed", by: person, address })
      throw new Refusal("not_authenticated", "The current password is wrong.", {
        issues: [{ path: "/currentPassword", message: "is not your password" }],
      })
    }
    const hash = await this.#hash(password)
    this.#limit.remember(doorOf(username, hash, people.countCleared(userId)), address)
    return ledger.transact(() => {
      // Meanwhile they may have been disabled.
      if (!people.isEnabled(userId)) throw new Refusal("not_authenticated", "Sign in first.")
      people.setPasswordHash(userId, hash)
      sessions.endAll(userId)
      this.#parts.audit.write({ kind: "change_password", by: person, address })
      return this.start(person)
    })
  }

  /**
   * Notes how a person wants to be cited, all of it at once.
   * @param by who says so; nobody: the operator, from the command line
   * @throws Refusal `invalid_schema` for an ORCID that nobody can have, and for half a name
   */
  async describe(by: Person | null, userId: string, said: Partial<Described>): Promise<void> {
    const { name, givenName = null, familyName = null, orcid = null } = said
    const issues = [
      ...(orcid === null || isOrcid(orcid)
        ? []
        : [{ path: "/orcid", message: "is not an ORCID: its last character does not fit the others" }]),
      ...(givenName === null || familyName !== null ? [] : [{ path: "/familyName", message: "is needed beside givenName" }]),
    ]
    if (issues.length > 0)
      throw new Refusal("invalid_schema", `${issues.map(({ path, message }) => `${path.slice(1)} ${message}`).join(", ")}.`, { issues })
    const whole = familyName === null ? null : givenName === null ? familyName : `${givenName} ${familyName}`
    await this.#parts.ledger.transact(() => {
      this.#acts.describe_person(by, { userId, name: name ?? whole, givenName, familyName, orcid })
      const subject = this.#parts.people.withId(userId)
      this.#parts.audit.write({ kind: "describe_person", by, subject: subject && asSubject(subject) })
    })
  }

  /** Notes what another instance says of a person of its own. Within an open transaction. */
  told(userId: string, described: Described): void {
    this.#acts.describe_person(null, { userId, ...described })
  }

  signOut(token: string, address?: string): Promise<unknown> {
    const { ledger, sessions, audit } = this.#parts
    return ledger.transact(() => {
      const person = sessions.person(token)
      sessions.end(token)
      if (person !== undefined) audit.write({ kind: "sign_out", by: person, address })
    })
  }

  /** @throws Refusal 403 when the Room is not the person's own */
  invite(by: Person, { roomId }: ActionBody<"invite">, ownsRoom: (roomId: string, userId: string) => boolean) {
    return this.#parts.ledger.transact(() => {
      if (roomId !== undefined && !ownsRoom(roomId, by.userId)) {
        throw new Refusal("role_required", "Only the owner of a Room invites to it.", { current: { needed: ["owner"] } })
      }
      const made = this.#acts.invite(by, { roomId: roomId ?? null })
      this.#parts.audit.write({ kind: "invite", by, subject: invitationSubject(made.invitationId), roomId })
      return made
    })
  }

  /** @throws Refusal 404 for an invitation that is not open */
  invitation(token: string): Invitation {
    const invitation = this.#parts.invitations.open(token)
    if (invitation === undefined) throw closedInvitation()
    return invitation
  }

  revokeInvitation(by: Person, invitationId: string): Promise<void> {
    return this.#parts.ledger.transact(() => {
      if (!this.#acts.revoke_invitation(by, { invitationId })) throw closedInvitation()
      this.#parts.audit.write({ kind: "revoke_invitation", by, subject: invitationSubject(invitationId) })
    })
  }

  /** Creates the account, uses up the invitation and adds the membership it names, all or nothing. */
  acceptInvitation(token: string, { username, password }: ActionBody<"accept_invitation">, address?: string): Promise<SignedIn> {
    return this.#joinByPassword({ invitation: token }, username, password, address)
  }

  /** The Room's owner, who invited, adds the member: through the same door as by hand. */
  #addMember(owner: { userId: string; username: string }, roomId: string, username: string): void {
    const operation = operationOf("add_member")
    this.#parts.ledger.admitWithin({
      operation,
      actor: { ...owner, grant: null },
      params: { roomId },
      body: { schemaVersion: operation.schemaVersion, requestId: this.#parts.world.id(), username },
    })
  }

  #hash(password: string): Promise<string> {
    return hashPassword(password, (count) => this.#parts.world.bytes(count))
  }

  #create(username: string, isOperator: boolean, give: (person: Person) => void): Person {
    if (this.#parts.people.named(username) !== undefined) throw taken(username)
    const person = this.#acts.create_person(null, { username, isOperator })
    give(person)
    return person
  }

  /** Writes what of the audit log waits to be written. */
  settle(): Promise<void> {
    return this.#failures.settle()
  }

  /** Notes that somebody did not come in by the provider. */
  failedByProvider(address: string): Promise<void> {
    return this.#failures.add({ kind: "sign_in_failed", address, detail: BY_PROVIDER })
  }

  /** Starts a session. Within an open transaction. */
  start(person: Person): SignedIn {
    this.#parts.people.signedIn(person.userId, isoTime(this.#parts.world.now()))
    return { person, ...this.#parts.sessions.start(person.userId) }
  }
}
