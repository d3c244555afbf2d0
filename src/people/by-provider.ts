/** How people come in by the group's identity provider: as who they are already, as somebody new, or with one more way in. */
import { Refusal } from "../contract/refusals/refusal.ts"
import { isoTime } from "../ledger/world.ts"
import type { Accounts } from "./accounts.ts"
import { personSubject } from "./audit.ts"
import type { Connections, ProviderAccount } from "./connections.ts"
import type { Person } from "./people.ts"
import type { NewcomerBy } from "./joining.ts"
import type { Keeping } from "./operators.ts"
import { BY_PROVIDER, type SignedIn } from "./signing-in.ts"

type ProviderSignIns = Pick<Keeping, "ledger" | "world" | "people" | "audit"> & {
  readonly connections: Connections
  readonly accounts: Accounts
}

const isConnected = () =>
  new Refusal("state_conflict", "That account of the provider is somebody's here already; sign in with it.", {
    current: { connected: true },
  })

export type ByProvider = ReturnType<typeof byProvider>

export function byProvider({ ledger, world, people, connections, accounts, audit }: ProviderSignIns) {
  /** Within an open transaction. */
  const connect = ({ userId }: Person, account: ProviderAccount): void => {
    const before = connections.person(account)
    if (before !== undefined && before.userId !== userId) throw isConnected()
    connections.connect(userId, account, isoTime(world.now()))
  }

  return {
    /** Starts a session of whom an account belongs to; undefined where it is nobody's. */
    signIn: (account: ProviderAccount, address?: string): Promise<SignedIn | undefined> =>
      ledger.transact(() => {
        const person = connections.person(account)
        // Whoever is disabled is nobody at this door; nor do they make another account with it, for it is somebody's.
        if (person === undefined || !people.isEnabled(person.userId)) return undefined
        audit.write({ kind: "sign_in", by: person, address, detail: BY_PROVIDER })
        return accounts.start(person)
      }),
    /** Makes a person who signs in with an account and has no password. @throws Refusal 409 where the name is taken or the account is somebody's */
    join: (by: NewcomerBy, username: string, account: ProviderAccount, address?: string): Promise<SignedIn> =>
      accounts.join(by, username, (person) => connect(person, account), address, BY_PROVIDER),
    /** Gives somebody one more way in. @throws Refusal 409 where the account is somebody else's */
    connect: (person: Person, account: ProviderAccount, address?: string): Promise<void> =>
      ledger.transact(() => {
        connect(person, account)
        audit.write({ kind: "connect_provider", by: person, address })
      }),
    /** @param passwords whether they are taken here. @throws Refusal 409 where it is the person's only way in */
    disconnect: (person: Person, passwords: boolean, address?: string): Promise<void> =>
      ledger.transact(() => {
        const { userId } = person
        if (connections.issuerOf(userId) === undefined) throw new Refusal("state_conflict", "No account of the provider is connected.")
        if (!passwords || !people.passwordHash(userId))
          throw new Refusal("state_conflict", "It is your only way in: without a password, the account of the provider stays connected.")
        connections.disconnect(userId)
        audit.write({ kind: "disconnect_provider", by: person, address })
      }),
    /** Gives somebody the account that a command names, in place of the one they had. @throws Refusal 409 where it is somebody else's */
    connectFor: (person: Person, account: ProviderAccount): Promise<void> =>
      ledger.transact(() => {
        connect(person, account)
        audit.write({ kind: "connect_provider", subject: personSubject(person), detail: { issuer: account.issuer } })
      }),
    /** Takes somebody's account from them again, by a command. @throws Refusal 409 where there is none, and where they have no password */
    disconnectFor: (person: Person): Promise<void> =>
      ledger.transact(() => {
        const { userId, username } = person
        const issuer = connections.issuerOf(userId)
        if (issuer === undefined) throw new Refusal("state_conflict", `No account of a provider is connected with ${username}'s.`)
        if (!people.passwordHash(userId))
          throw new Refusal("state_conflict", `It is the only way in of ${username}: give them a password first, with user password.`)
        connections.disconnect(userId)
        audit.write({ kind: "disconnect_provider", subject: personSubject(person), detail: { issuer } })
      }),
    /** By what somebody can come in, where both are taken. */
    waysOf: (userId: string) => ({
      password: Boolean(people.passwordHash(userId)),
      issuer: connections.issuerOf(userId) ?? null,
    }),
  }
}
