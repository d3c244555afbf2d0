/**
 * Slows the guessing of passwords and keeps nobody from their own account. Failures are counted for a name at an address, for
 * an address, and for a name; all are forgotten with their window, and a name's with its password. The first two shut that
 * address out. The third only slows: somebody else's flood must not be its owner's. Where a name has come in before, it is
 * never shut out at all.
 */
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { SlowLanes } from "./slow-lane.ts"

/** An address may stand for many people behind one proxy. It is what the edge counts by: for IPv6 a whole network. */
const ADDRESS_FACTOR = 10
const MAX_TRACKED = 10_000
/** Addresses that are remembered of one name. */
const ADDRESSES_OF_NAME = 8

export interface SignInAttempt {
  /** Whose door it is: a name with what changes when its password does, so that a new password starts with no failures. */
  readonly door: string
  readonly address: string
  /** Of a browser that brings a session of that very person: it is counted for itself. `inside`, of one who is in and is asked again. */
  readonly from?: "own browser" | "inside" | undefined
}

/** One try, counted as a failure until something else is known of it. */
export interface Try {
  /** Whether somebody of that name has come in from there before. */
  readonly isKnown: boolean
  succeeded(): void
  /** Nobody looked at the password: it was no try. */
  withdrawn(): void
}

/** Failures by key. All windows last equally long, so the table stands in the order of their ends. */
class Failures {
  readonly #counts = new Map<string, { count: number; until: number }>()
  readonly #now: () => number
  readonly #most: number

  constructor(now: () => number, most: number) {
    this.#now = now
    this.#most = most
  }

  /** Seconds until the window of a key ends that has failed `allowed` times; 0 while it has not. */
  over(key: string, allowed: number): number {
    const { count, until } = this.#counts.get(key) ?? { count: 0, until: 0 }
    return count < allowed || until <= this.#now() ? 0 : Math.ceil((until - this.#now()) / 1000)
  }

  add(key: string): void {
    const seen = this.#counts.get(key)
    if (seen !== undefined && seen.until > this.#now()) seen.count += 1
    else {
      this.#counts.delete(key)
      const [oldest] = this.#counts.keys()
      if (oldest !== undefined && this.#counts.size >= this.#most) this.#counts.delete(oldest)
      this.#counts.set(key, { count: 1, until: this.#now() + limits.signInWindowSeconds * 1000 })
    }
  }

  takeBack(key: string): void {
    const seen = this.#counts.get(key)
    if (seen !== undefined && seen.count > 0) seen.count -= 1
  }

  forget(key: string): void {
    this.#counts.delete(key)
  }
}

export class SignInLimit {
  readonly #failures: Readonly<Record<"pairs" | "addresses" | "doors", Failures>>
  readonly #most: number
  readonly #lanes: SlowLanes
  /** Doors and the addresses that came in there; what was used last stands last. */
  readonly #known = new Map<string, Set<string>>()

  /** @param most how many of each kind are remembered at most */
  constructor(now: () => number, most = MAX_TRACKED, lanes = new SlowLanes()) {
    const failures = () => new Failures(now, most)
    this.#failures = { pairs: failures(), addresses: failures(), doors: failures() }
    this.#most = most
    this.#lanes = lanes
  }

  /**
   * Lets a try pass, at once or when its turn comes. It is counted before it is known whether it fails: of many that come at
   * once only so many are let through.
   * @throws Refusal `too_many_requests` at an address that has failed too often, or when too many wait
   */
  async begin({ door, address, from }: SignInAttempt): Promise<Try> {
    const isStranger = from === undefined && this.#known.get(door)?.has(address) !== true
    const { pairs, addresses, doors } = this.#failures
    const pair = `${door} ${from ?? ""} ${from === "own browser" ? "" : address}`
    const pairOver = pairs.over(pair, limits.signInFailures)
    const addressOver = isStranger ? addresses.over(address, limits.signInFailures * ADDRESS_FACTOR) : 0
    const seconds = isStranger || from === "inside" ? pairOver || addressOver : 0
    if (seconds > 0)
      throw new Refusal("too_many_requests", `Too many failed sign-ins. Try again in ${seconds} seconds.`, { retryAfter: seconds })
    const isSlowed = isStranger ? doors.over(door, limits.signInFailures) > 0 : pairOver > 0
    const counted: (readonly [Failures, string])[] = [[pairs, pair]]
    if (isStranger) counted.push([addresses, address], [doors, door])
    for (const [failures, key] of counted) failures.add(key)
    const takeBack = () => {
      for (const [failures, key] of counted) failures.takeBack(key)
    }
    if (isSlowed)
      await this.#lanes.turn(isStranger ? door : pair).catch((error: unknown) => {
        takeBack()
        throw error
      })
    return {
      isKnown: !isStranger,
      withdrawn: takeBack,
      succeeded: () => {
        takeBack()
        pairs.forget(pair)
        if (from !== "inside") this.remember(door, address)
      },
    }
  }

  /** Somebody came in here. */
  remember(door: string, address: string): void {
    const addresses = this.#known.get(door) ?? new Set()
    this.#known.delete(door)
    const [oldestDoor] = this.#known.keys()
    if (oldestDoor !== undefined && this.#known.size >= this.#most) this.#known.delete(oldestDoor)
    this.#known.set(door, addresses)
    addresses.delete(address)
    const [oldest] = addresses
    if (oldest !== undefined && addresses.size >= ADDRESSES_OF_NAME) addresses.delete(oldest)
    addresses.add(address)
  }
}
