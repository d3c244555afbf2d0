/** How people come in by their password, change it and go out again. What is tried is limited, and what failed is noted. */
import type { ActionBody } from "../contract/operations/actions.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { isoTime } from "../ledger/world.ts"
import { personSubject } from "./audit.ts"
import { FailedSignIns } from "./failed-sign-ins.ts"
import type { EndedAccess, Keeping, Operators } from "./operators.ts"
import { hashPassword, passwordMatches } from "./passwords.ts"
import type { Person } from "./people.ts"
import { type SignInAttempt, SignInLimit } from "./sign-in-limit.ts"

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

type SigningInParts = Pick<Keeping, "ledger" | "world" | "people" | "sessions" | "audit"> & { readonly operators: Operators }

/** What the audit log says beside who came in without a password. */
export const BY_PROVIDER = { by: "provider" } as const

const wrong = () => new Refusal("not_authenticated", "The name or the password is wrong.")

/**
 * A name with a part of its password's hash: another password, by whomever it was set, is another door. So is one of which an
 * operator has cleared the count, in whichever process.
 */
const doorOf = (username: string, stored = "", cleared = ""): string => `${username} ${stored.slice(-16)}${cleared}`

export type SigningIn = ReturnType<typeof signingIn>

export function signingIn({ ledger, world, people, sessions, audit, operators }: SigningInParts) {
  const limit = new SignInLimit(() => world.now())
  const failures = new FailedSignIns(
    () => world.now(),
    (line) => ledger.transact(() => audit.write(line)),
  )

  /** Starts a session. Within an open transaction. */
  const start = (person: Person): SignedIn => {
    people.signedIn(person.userId, isoTime(world.now()))
    return { person, ...sessions.start(person.userId) }
  }

  /** The hash of a password that somebody is given. From where they chose it themselves, they are no stranger at their door. */
  const chosen = async (username: string, password: string, address?: string, cleared?: string): Promise<string> => {
    const hash = await hashPassword(password, (count) => world.bytes(count))
    if (address !== undefined) limit.remember(doorOf(username, hash, cleared), address)
    return hash
  }

  /** Looks at a password within the limit. @throws Refusal 429 */
  const tried = async (knock: SignInAttempt, password: string, stored: string | undefined): Promise<boolean> => {
    const attempt = await limit.begin(knock)
    try {
      const right = await passwordMatches(password, stored, attempt.isKnown ? "known" : "stranger")
      if (right) attempt.succeeded()
      return right
    } catch (error) {
      attempt.withdrawn()
      throw error
    }
  }

  return {
    start,
    chosen,

    /**
     * Sets a password, ends the person's sessions and forgets their failed sign-ins: for the command line.
     * @param everything ends their credentials and keys too
     */
    async setPassword(username: string, password: string, { everything = false } = {}): Promise<Reset | undefined> {
      const hash = await chosen(username, password)
      return ledger.transact(() => {
        const person = people.named(username)
        if (person === undefined) return undefined
        people.setPasswordHash(person.userId, hash)
        sessions.endAll(person.userId)
        const ended = everything ? operators.endAccessWithin(null, person.userId) : null
        audit.write({ kind: "reset_password", subject: personSubject(person), detail: { ...ended } })
        return { person, ended }
      })
    },

    /**
     * @param browser whose session the browser brings: its own person is not kept out by what others tried
     * @throws Refusal 401 for a wrong name or password alike, 429 after too many of them
     */
    async signIn({ username, password }: ActionBody<"sign_in">, address: string, browser?: Person): Promise<SignedIn> {
      const named = people.named(username)
      // Whoever is disabled is nobody at this door.
      const person = named && people.isEnabled(named.userId) ? named : undefined
      const stored = person && people.passwordHash(person.userId)
      const from = person !== undefined && browser?.userId === person.userId ? "own browser" : undefined
      const door = doorOf(username, stored, person && people.countCleared(person.userId))
      const right = await tried({ door, address, from }, password, stored)
      if (person === undefined || !right) {
        // What somebody typed as a name may be a password.
        await failures.add({ kind: "sign_in_failed", subject: named && personSubject(named), address })
        throw wrong()
      }
      return ledger.transact(() => {
        if (!people.isEnabled(person.userId)) throw wrong()
        audit.write({ kind: "sign_in", by: person, address })
        return start(person)
      })
    },

    /**
     * Sets a person's own password and starts their one remaining session.
     * @throws Refusal 401 for a wrong current password, 429 after too many of them
     */
    async changePassword(person: Person, { currentPassword, password }: ActionBody<"change_password">, address: string): Promise<SignedIn> {
      const { userId, username } = person
      const stored = people.passwordHash(userId)
      // Counted apart: whoever fails at the door does not keep those inside from their own password.
      const door = doorOf(username, stored, people.countCleared(userId))
      if (!(await tried({ door, address, from: "inside" }, currentPassword, stored))) {
        await failures.add({ kind: "change_password_failed", by: person, address })
        throw new Refusal("not_authenticated", "The current password is wrong.", {
          issues: [{ path: "/currentPassword", message: "is not your password" }],
        })
      }
      const hash = await chosen(username, password, address, people.countCleared(userId))
      return ledger.transact(() => {
        // Meanwhile they may have been disabled.
        if (!people.isEnabled(userId)) throw new Refusal("not_authenticated", "Sign in first.")
        people.setPasswordHash(userId, hash)
        sessions.endAll(userId)
        audit.write({ kind: "change_password", by: person, address })
        return start(person)
      })
    },

    signOut: (token: string, address?: string): Promise<unknown> =>
      ledger.transact(() => {
        const person = sessions.person(token)
        sessions.end(token)
        if (person !== undefined) audit.write({ kind: "sign_out", by: person, address })
      }),

    /** Notes that somebody did not come in by the provider. */
    failedByProvider: (address: string): Promise<void> => failures.add({ kind: "sign_in_failed", address, detail: BY_PROVIDER }),

    /** Writes what of the audit log waits to be written. */
    settle: (): Promise<void> => failures.settle(),
  }
}
