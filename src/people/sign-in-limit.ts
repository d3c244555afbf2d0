/** Slows the guessing of passwords: failures are counted for each name and for each address, and forgotten with the window. */
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals.ts"

/** An address may stand for many people behind one proxy. */
const ADDRESS_FACTOR = 10
const MAX_TRACKED = 10_000

export class SignInLimit {
  readonly #now: () => number
  readonly #failures = new Map<string, { count: number; until: number }>()

  constructor(now: () => number) {
    this.#now = now
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
    if (this.#failures.size >= MAX_TRACKED) for (const [key, { until }] of this.#failures) if (until <= now) this.#failures.delete(key)
    for (const [key] of places) {
      const seen = this.#failures.get(key)
      if (seen !== undefined && seen.until > now) seen.count += 1
      else this.#failures.set(key, { count: 1, until: now + limits.signInWindowSeconds * 1000 })
    }
  }

  /** The password was right: the try was no failure, and the name's failures before it are forgotten. */
  succeeded(username: string, address: string): void {
    this.#failures.delete(`name ${username}`)
    const seen = this.#failures.get(`address ${address}`)
    if (seen !== undefined) seen.count -= 1
  }
}
