/**
 * Slows the guessing of passwords without locking anyone out of their own account. Failures are counted by name and
 * address, by address, and by name, each within a time window; a new password starts the count of its name again. The
 * first two block the address. The third only slows sign-ins, since the failures may be another person's. An address
 * from which a name has signed in before is never blocked for that name.
 */
import { limits } from "../contract/limits.ts"
import type { Audited } from "./audit.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { SlowLanes } from "./passwords.ts"

// Writes failed sign-ins to the audit log. Failures are unlimited and the log only grows, so each hour the first ones
// get a line of their own, and one line at the end of the hour counts the rest.

/** @param write writes a line in its own transaction */
export function failedSignIns(now: () => number, write: (line: Audited) => Promise<unknown>) {
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

export interface SignInAttempt {
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
