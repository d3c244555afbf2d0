/** Signing in with a password, changing it, and signing out. Attempts are limited, and failures are logged. */
import type { ActionBody } from "../contract/operations/actions.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { isoTime } from "../ledger/world.ts"
import { personSubject } from "./audit.ts"
import { failedSignIns, type SignInAttempt, SignInLimit } from "./sign-in-limit.ts"
import type { ActingParts } from "./acts.ts"
import type { EndedAccess } from "./operators.ts"
import { hashPassword, passwordMatches } from "./passwords.ts"
import type { Person } from "./people.ts"

export interface SignedIn {
  readonly person: Person
  /** The session token, for the cookie. */
  readonly token: string
  /** The lifetime of the session in seconds. */
  readonly maxAge: number
}

/** The result of a password reset, with the credentials and keys that it revoked. */
export interface Reset {
  readonly person: Person
  readonly ended: EndedAccess | null
}

/** The audit log's detail on a sign-in without a password. */
export const BY_PROVIDER = { by: "provider" } as const

const wrong = () => new Refusal("not_authenticated", "The name or the password is wrong.")

/**
 * Returns the key for counting the failures of a name. It changes when the password changes and when an operator clears
 * the count, which may happen in another process.
 */
const accountKey = (username: string, stored = "", cleared = ""): string => `${username} ${stored.slice(-16)}${cleared}`

export type SigningIn = ReturnType<typeof signingIn>

export function signingIn({ ledger, world, people, sessions, audit, operators }: ActingParts) {
  const limit = new SignInLimit(() => world.now())
  const failures = failedSignIns(
    () => world.now(),
    (line) => ledger.transact(() => audit.write(line)),
  )

  /** Starts a session. Requires an open transaction. */
  const start = (person: Person): SignedIn => {
    people.signedIn(person.userId, isoTime(world.now()))
    return { person, ...sessions.start(person.userId) }
  }

  /** Hashes a new password. The address from which the user chose it counts as known. */
  const hashChosen = async (
    username: string,
    password: string,
    address?: string,
    cleared?: string,
  ): Promise<string> => {
    const hash = await hashPassword(password, (count) => world.bytes(count))
    if (address !== undefined) limit.remember(accountKey(username, hash, cleared), address)
    return hash
  }

  /** Checks a password within the sign-in limit. @throws Refusal 429 */
  const isRight = async (
    signInAttempt: SignInAttempt,
    password: string,
    stored: string | undefined,
  ): Promise<boolean> => {
    const attempt = await limit.begin(signInAttempt)
    try {
      const matches = await passwordMatches(password, stored, attempt.isKnown ? "known" : "stranger")
      if (matches) attempt.succeeded()
      return matches
    } catch (error) {
      attempt.withdrawn()
      throw error
    }
  }

  return {
    start,
    hashChosen,

    /**
     * Sets a password from the command line, ends the person's sessions and forgets their failed sign-ins.
     * @param everything revokes their credentials and keys too
     */
    async setPassword(username: string, password: string, { everything = false } = {}): Promise<Reset | undefined> {
      const hash = await hashChosen(username, password)
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
     * @param browser the person of the browser's current session: other people's failures do not block them
     * @throws Refusal 401 for a wrong name or password alike, 429 after too many failures
     */
    async signIn({ username, password }: ActionBody<"sign_in">, address: string, browser?: Person): Promise<SignedIn> {
      const named = people.named(username)
      // A disabled user gets the same answer as an unknown one.
      const person = named && people.isEnabled(named.userId) ? named : undefined
      const stored = person && people.passwordHash(person.userId)
      const from = person !== undefined && browser?.userId === person.userId ? "own browser" : undefined
      const account = accountKey(username, stored, person && people.countCleared(person.userId))
      const right = await isRight({ account, address, from }, password, stored)
      if (person === undefined || !right) {
        // The typed name is not logged: it may be a password in the wrong field.
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
     * Changes a person's own password, ends all their sessions and starts a new one.
     * @throws Refusal 401 for a wrong current password, 429 after too many failures
     */
    async changePassword(
      person: Person,
      { currentPassword, password }: ActionBody<"change_password">,
      address: string,
    ): Promise<SignedIn> {
      const { userId, username } = person
      const stored = people.passwordHash(userId)
      // Counted separately: failed sign-ins of strangers do not keep a signed-in person from changing their password.
      const account = accountKey(username, stored, people.countCleared(userId))
      if (!(await isRight({ account, address, from: "inside" }, currentPassword, stored))) {
        await failures.add({ kind: "change_password_failed", by: person, address })
        throw new Refusal("not_authenticated", "The current password is wrong.", {
          issues: [{ path: "/currentPassword", message: "is not your password" }],
        })
      }
      const hash = await hashChosen(username, password, address, people.countCleared(userId))
      return ledger.transact(() => {
        // The person may have been disabled in the meantime.
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

    failedByProvider: (address: string): Promise<void> =>
      failures.add({ kind: "sign_in_failed", address, detail: BY_PROVIDER }),

    /** Writes the pending count of failures to the audit log. */
    settle: (): Promise<void> => failures.settle(),
  }
}
