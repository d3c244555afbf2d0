/** Signing in with a password, changing it, and signing out. Attempts are limited, and failures are logged. */
import type { ActionBody } from "../contract/operations/actions.ts"
import { Refusal } from "../contract/refusals.ts"
import { isoTime } from "../ledger/world.ts"
import { personSubject, type Audited } from "./audit.ts"
import type { ActingParts, EndedAccess } from "./acts.ts"
import { hashPassword, passwordMatches, SlowLanes } from "./passwords.ts"
import type { Person } from "./people.ts"
import { limits } from "../contract/limits.ts"

// Slows the guessing of passwords without locking anyone out of their own account. Failures are counted by name and
// address, by address, and by name, each within a time window; a new password starts the count of its name again. The
// first two block the address. The third only slows sign-ins, since the failures may be another person's. An address
// from which a name has signed in before is never blocked for that name.

// Writes failed sign-ins to the audit log. Failures are unlimited and the log only grows, so each hour the first ones
// get a line of their own, and one line at the end of the hour counts the rest.

/** @param write writes a line in its own transaction */
function failedSignIns(now: () => number, write: (line: Audited) => Promise<unknown>) {
  let [since, noted, counted] = [0, 0, 0]
  let timer: NodeJS.Timeout | undefined

  async function tryToWrite(line: Audited): Promise<void> {
    try {
      await write(line)
    } catch {
      // The disk is full or the service is stopping. The service's own log reports it.
    }
  }

  /** Writes the line that counts the rest. Runs when the hour is over and when the service stops. */
  async function settle(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const failures = counted
    counted = 0
    noted = 0
    if (failures > 0)
      await tryToWrite({ kind: "sign_ins_failed", detail: { failures, since: new Date(since).toISOString() } })
  }

  /** Logs or counts a failure. Does not throw if the log cannot be written, so that the request is still answered. */
  async function add(line: Audited): Promise<void> {
    if (now() - since >= limits.auditedFailuresSeconds * 1000) await settle()
    if (noted === 0) since = now()
    if (noted < limits.auditedFailures) {
      noted += 1
      await tryToWrite(line)
      return
    }
    counted += 1
    timer ??= setTimeout(() => void settle(), limits.auditedFailuresSeconds * 1000).unref()
  }

  return { add, settle }
}

/**
 * How many more failures an address may have than a name: many people may share a proxy, or an IPv6 network, which
 * counts as one address.
 */
const ADDRESS_FACTOR = 10
const MAX_TRACKED = 10_000
const ADDRESSES_OF_NAME = 8

interface SignInAttempt {
  /** The name, with a part that changes with its password, so that a new password starts with no failures. */
  readonly account: string
  readonly address: string
  /**
   * `own browser`: signing in from a browser that has a session of the same person. `inside`: confirming the password
   * while signed in. Each is counted separately.
   */
  readonly from?: "own browser" | "inside" | undefined
}

/** One attempt, counted as a failure until `succeeded` or `withdrawn` is called. */
interface Try {
  /** Whether this name has signed in from the address before. */
  readonly isKnown: boolean
  succeeded(): void
  /** For an attempt whose password was never checked. */
  withdrawn(): void
}

/** Failures by key. All windows are equally long, so the map is ordered by their end. */
class Failures {
  readonly #counts = new Map<string, { count: number; until: number }>()
  readonly #now: () => number
  readonly #most: number

  constructor(now: () => number, most: number) {
    this.#now = now
    this.#most = most
  }

  /** Returns the seconds until the window of a key ends; 0 if the key has failed fewer than `allowed` times. */
  over(key: string, allowed: number): number {
    const { count, until } = this.#counts.get(key) ?? { count: 0, until: 0 }
    return count < allowed || until <= this.#now() ? 0 : Math.ceil((until - this.#now()) / 1000)
  }

  add(key: string): void {
    const window = this.#counts.get(key)
    if (window !== undefined && window.until > this.#now()) window.count += 1
    else {
      this.#counts.delete(key)
      const [oldest] = this.#counts.keys()
      if (oldest !== undefined && this.#counts.size >= this.#most) this.#counts.delete(oldest)
      this.#counts.set(key, { count: 1, until: this.#now() + limits.signInWindowSeconds * 1000 })
    }
  }

  takeBack(key: string): void {
    const window = this.#counts.get(key)
    if (window !== undefined && window.count > 0) window.count -= 1
  }

  forget(key: string): void {
    this.#counts.delete(key)
  }
}

export class SignInLimit {
  readonly #failures: Readonly<Record<"pairs" | "addresses" | "accounts", Failures>>
  readonly #most: number
  readonly #lanes: SlowLanes
  /** The addresses from which each name has signed in, the last used one last. */
  readonly #known = new Map<string, Set<string>>()

  /** @param most the maximum number of entries to remember of each kind */
  constructor(now: () => number, most = MAX_TRACKED, lanes = new SlowLanes()) {
    const failures = () => new Failures(now, most)
    this.#failures = { pairs: failures(), addresses: failures(), accounts: failures() }
    this.#most = most
    this.#lanes = lanes
  }

  /**
   * Admits an attempt, at once or when its turn comes. It counts as a failure from the start, so that simultaneous
   * attempts cannot exceed the limit.
   * @throws Refusal `too_many_requests` if the address has failed too often, or if too many attempts are waiting
   */
  async begin({ account, address, from }: SignInAttempt): Promise<Try> {
    const isStranger = from === undefined && this.#known.get(account)?.has(address) !== true
    const { pairs, addresses, accounts } = this.#failures
    const pair = `${account} ${from ?? ""} ${from === "own browser" ? "" : address}`
    const pairOver = pairs.over(pair, limits.signInFailures)
    const addressOver = isStranger ? addresses.over(address, limits.signInFailures * ADDRESS_FACTOR) : 0
    const seconds = isStranger || from === "inside" ? pairOver || addressOver : 0
    if (seconds > 0)
      throw new Refusal("too_many_requests", `Too many failed sign-ins. Try again in ${seconds} seconds.`, {
        retryAfter: seconds,
      })
    const isSlowed = isStranger ? accounts.over(account, limits.signInFailures) > 0 : pairOver > 0
    const counted: (readonly [Failures, string])[] = [[pairs, pair]]
    if (isStranger) counted.push([addresses, address], [accounts, account])
    for (const [failures, key] of counted) failures.add(key)
    const takeBack = () => {
      for (const [failures, key] of counted) failures.takeBack(key)
    }
    if (isSlowed)
      await this.#lanes.turn(isStranger ? account : pair).catch((error: unknown) => {
        takeBack()
        throw error
      })
    return {
      isKnown: !isStranger,
      withdrawn: takeBack,
      succeeded: () => {
        takeBack()
        pairs.forget(pair)
        if (from !== "inside") this.remember(account, address)
      },
    }
  }

  remember(account: string, address: string): void {
    const addresses = this.#known.get(account) ?? new Set()
    this.#known.delete(account)
    const [oldestAccount] = this.#known.keys()
    if (oldestAccount !== undefined && this.#known.size >= this.#most) this.#known.delete(oldestAccount)
    this.#known.set(account, addresses)
    addresses.delete(address)
    const [oldest] = addresses
    if (oldest !== undefined && addresses.size >= ADDRESSES_OF_NAME) addresses.delete(oldest)
    addresses.add(address)
  }
}

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
