/**
 * People as a domain: their accounts (creation, invitations, signing in and out, how a person wants to be cited), with
 * the tables and reads of people.
 */
import { type Described, isOrcid } from "../contract/nouns/people.ts"
import { Refusal } from "../contract/refusals.ts"
import { type ActingParts, personActs, type AccountParts } from "./acts.ts"
import { personSubject, type Audited, audit, type RunningCommand } from "./audit.ts"
import { joining, type Admission } from "./joining.ts"
import { type Person, PERSON, personOf, type PersonRow, type People, people, sessions } from "./people.ts"
import { signingIn, BY_PROVIDER, type SignedIn } from "./signing-in.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import { isoTime } from "../ledger/world.ts"
import type { Identity } from "./provider.ts"
import type { Readers } from "../ledger/reads/reading.ts"
import type { Domain, Ground } from "../ledger/domains/domain.ts"
import { invitations } from "./invitations.ts"

export type Accounts = ReturnType<typeof createAccounts>

export function createAccounts(keeping: Omit<ActingParts, "acts">) {
  const parts = { ...keeping, acts: keeping.ledger.addActs(personActs(keeping)) }
  const signIns = signingIn(parts)
  return { ...signIns, ...joining(parts, signIns), ...describing(parts) }
}

/** How people want to be cited, as declared by them or by their own instance. */
const describing = ({ ledger, people, audit, acts }: ActingParts) => ({
  /**
   * Stores how a person wants to be cited, replacing all of it.
   * @param by the person who declares it; null for the operator at the command line
   * @throws Refusal `invalid_schema` for an invalid ORCID, or a given name without a family name
   */
  async describe(by: Person | null, userId: string, description: Partial<Described>): Promise<void> {
    const { name, givenName = null, familyName = null, orcid = null } = description
    const issues = [
      ...(orcid === null || isOrcid(orcid)
        ? []
        : [{ path: "/orcid", message: "is not an ORCID: its check digit is wrong" }]),
      ...(givenName === null || familyName !== null
        ? []
        : [{ path: "/familyName", message: "is required with givenName" }]),
    ]
    if (issues.length > 0)
      throw new Refusal(
        "invalid_schema",
        `${issues.map(({ path, message }) => `${path.slice(1)} ${message}`).join(", ")}.`,
        { issues },
      )
    const fullName = familyName === null ? null : givenName === null ? familyName : `${givenName} ${familyName}`
    await ledger.transact(() => {
      acts.describe_person(by, { userId, name: name ?? fullName, givenName, familyName, orcid })
      const subject = people.withId(userId)
      audit.write({ kind: "describe_person", by, subject: subject && personSubject(subject) })
    })
  },

  /**
   * Stores how a person of another instance wants to be cited, as declared by that instance. Requires an open
   * transaction.
   */
  describeRemote(userId: string, described: Described): void {
    acts.describe_person(null, { userId, ...described })
  },
})

// Sign-in through the group's identity provider: for existing users, for new ones, and as an additional way to sign
// in.

export type ProviderAccount = Pick<Identity, "issuer" | "subject">

/** The table of the users' accounts at the identity provider, one for a user. */
export function connections(db: Db) {
  const find = db.prepare<PersonRow>(
    `SELECT ${PERSON} FROM provider_accounts a JOIN people p USING (user_id) WHERE a.issuer = +? AND a.subject = +?`,
  )
  const own = db.prepare<{ issuer: string }>("SELECT issuer FROM provider_accounts WHERE user_id = +?")
  const insert = inserting(db, "provider_accounts")
  const remove = db.prepare("DELETE FROM provider_accounts WHERE user_id = +?")

  return {
    person: ({ issuer, subject }: ProviderAccount): Person | undefined => personOf(find.get(issuer, subject)),
    issuerOf: (userId: string): string | undefined => own.get(userId)?.issuer,
    /** Connects an account and removes the person's previous one, which may be from another provider. */
    connect(userId: string, { issuer, subject }: ProviderAccount, at: string): void {
      remove.run(userId)
      insert({ issuer, subject, userId, connectedAt: at })
    },
    disconnect: (userId: string) => remove.run(userId),
  }
}

type ProviderSignIns = AccountParts & {
  readonly connections: ReturnType<typeof connections>
  readonly accounts: Accounts
}

const isConnected = () =>
  new Refusal("state_conflict", "That provider account is connected to another user here already; sign in with it.", {
    current: { connected: true },
  })

export type ByProvider = ReturnType<typeof byProvider>

export function byProvider({ ledger, world, people, connections, accounts, audit }: ProviderSignIns) {
  /** Requires an open transaction. @throws Refusal 409 if the account is connected to another user */
  const connect = ({ userId }: Person, account: ProviderAccount): void => {
    const owner = connections.person(account)
    if (owner !== undefined && owner.userId !== userId) throw isConnected()
    connections.connect(userId, account, isoTime(world.now()))
  }

  const connecting = (person: Person, account: ProviderAccount, line: Omit<Audited, "kind">): Promise<void> =>
    ledger.transact(() => {
      connect(person, account)
      audit.write({ kind: "connect_provider", ...line })
    })

  return {
    /** Starts a session for the user connected to a provider account; undefined if there is no enabled one. */
    signIn: (account: ProviderAccount, address?: string): Promise<SignedIn | undefined> =>
      ledger.transact(() => {
        const person = connections.person(account)
        // A disabled user cannot create another account with it either: `join` refuses a connected provider account.
        if (person === undefined || !people.isEnabled(person.userId)) return undefined
        audit.write({ kind: "sign_in", by: person, address, detail: BY_PROVIDER })
        return accounts.start(person)
      }),
    /**
     * Creates a user who signs in with a provider account and has no password. @throws Refusal 409 if the name is taken
     * or the account is connected
     */
    join: (by: Admission, username: string, account: ProviderAccount, address?: string): Promise<SignedIn> =>
      accounts.join(by, username, (person) => connect(person, account), address, BY_PROVIDER),
    /** Connects a provider account to a user. @throws Refusal 409 if it is connected to another user */
    connect: (person: Person, account: ProviderAccount, address?: string) =>
      connecting(person, account, { by: person, address }),
    /**
     * @param passwords whether this instance accepts passwords. @throws Refusal 409 if the person could no longer sign
     * in
     */
    disconnect: (person: Person, passwords: boolean, address?: string): Promise<void> =>
      ledger.transact(() => {
        const { userId } = person
        if (connections.issuerOf(userId) === undefined)
          throw new Refusal("state_conflict", "No provider account is connected.")
        if (!passwords || !people.passwordHash(userId))
          throw new Refusal(
            "state_conflict",
            "You have no password to sign in with, so the provider account stays connected.",
          )
        connections.disconnect(userId)
        audit.write({ kind: "disconnect_provider", by: person, address })
      }),
    /** Connects a provider account from the command line. @throws Refusal 409 if it is connected to another user */
    connectFor: (person: Person, account: ProviderAccount) =>
      connecting(person, account, { subject: personSubject(person), detail: { issuer: account.issuer } }),
    /**
     * Disconnects a user's provider account from the command line. @throws Refusal 409 if there is none, or if they
     * have no password
     */
    disconnectFor: (person: Person): Promise<void> =>
      ledger.transact(() => {
        const { userId, username } = person
        const issuer = connections.issuerOf(userId)
        if (issuer === undefined) throw new Refusal("state_conflict", `${username} has no connected provider account.`)
        if (!people.passwordHash(userId))
          throw new Refusal(
            "state_conflict",
            `${username} has no other way to sign in: set a password first, with user password.`,
          )
        connections.disconnect(userId)
        audit.write({ kind: "disconnect_provider", subject: personSubject(person), detail: { issuer } })
      }),
    /** Returns the ways in which a user can sign in, if the instance accepts both. */
    signInMethods: (userId: string) => ({
      password: Boolean(people.passwordHash(userId)),
      issuer: connections.issuerOf(userId) ?? null,
    }),
  }
}

// Reads of the signed-in person, of other people and of invitations.

function peopleReads({ people, accounts }: { readonly people: People; readonly accounts: Accounts }) {
  return {
    session({ actor }) {
      return { person: (actor && people.withId(actor.userId)) ?? null }
    },
    person({ params }) {
      const found = people.described(people.idOf(params.username) ?? people.idOf(params.username.toLowerCase()) ?? "")
      if (found === undefined) throw new Refusal("room_unavailable", "There is no user with that name.")
      return found
    },

    invitation({ params }) {
      const { invitationId, invitedBy, room, expiresAt } = accounts.invitation(params.token)
      return { invitationId, invitedBy: invitedBy.username, room: room && { ...room }, expiresAt }
    },
  } satisfies Partial<Readers>
}

/** @param command the command that has the database open; undefined for a service */
const tables = ({ db, world, command }: Ground & { readonly command: RunningCommand | undefined }) => ({
  audit: audit(db, world, command),
  people: people(db),
  sessions: sessions(db, world),
  connections: connections(db),
  invitations: invitations(db, world),
})

export const domain = {
  tables: [tables],
  reads: [peopleReads],
} satisfies Domain
