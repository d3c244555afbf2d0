/** Slows the guessing of passwords: failures are counted for each name and for each address, and forgotten with the window. */
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals.ts"

/** An address may stand for many people behind one proxy. It is what the edge counts by: for IPv6 a whole network. */
const ADDRESS_FACTOR = 10
const MAX_TRACKED = 10_000

export class SignInLimit {
  readonly #now: () => number
  readonly #most: number
  readonly #failures = new Map<string, { count: number; until: number }>()

  /** @param most how many names and addresses are remembered at most */
  constructor(now: () => number, most = MAX_TRACKED) {
    this.#now = now
    this.#most = most
  }

  /**
   * Counts a try before it is known whether it fails: of many that come at once only so many are let through.
   * @throws Refusal `too_many_requests` while the name or the address has failed too often
   */
  begin(username: string, address: string): void {
    const now = this.#now()
    const places = [
      [`name ${username}`, limits.signInFailures],
      [`address ${address}`, limits.signInFailures * ADDRESS_FACTOR],
    ] as const
    for (const [key, allowed] of places) {
      const { count, until } = this.#failures.get(key) ?? { count: 0, until: 0 }
      if (count < allowed || until <= now) continue
      const seconds = Math.ceil((until - now) / 1000)
      throw new Refusal("too_many_requests", `Too many failed sign-ins. Try again in ${seconds} seconds.`, { retryAfter: seconds })
    }
    for (const [key] of places) {
      const seen = this.#failures.get(key)
      if (seen !== undefined && seen.until > now) seen.count += 1
      else this.#open(key, now)
    }
  }

  /** Begins a window. All last equally long, so the table stands in the order of their ends: the first ends first. */
  #open(key: string, now: number): void {
    this.#failures.delete(key)
    const [oldest] = this.#failures.keys()
    if (oldest !== undefined && this.#failures.size >= this.#most) this.#failures.delete(oldest)
    this.#failures.set(key, { count: 1, until: now + limits.signInWindowSeconds * 1000 })
  }

  /** The password was right: the try was no failure, and the name's failures before it are forgotten. */
  succeeded(username: string, address: string): void {
    this.#failures.delete(`name ${username}`)
    const seen = this.#failures.get(`address ${address}`)
    if (seen !== undefined) seen.count -= 1
  }
}
