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

  /** @throws Refusal `too_many_requests` while the name or the address has failed too often */
  check(username: string, address: string): void {
    for (const [key, allowed] of [[`name ${username}`, limits.signInFailures], [`address ${address}`, limits.signInFailures * ADDRESS_FACTOR]] as const) {
      const seen = this.#failures.get(key)
      if (seen === undefined || seen.count < allowed) continue
      const seconds = Math.ceil((seen.until - this.#now()) / 1000)
      if (seconds > 0) throw new Refusal("too_many_requests", `Too many failed sign-ins. Try again in ${seconds} seconds.`, { retryAfter: seconds })
    }
  }

  failed(username: string, address: string): void {
    const now = this.#now()
    if (this.#failures.size >= MAX_TRACKED) for (const [key, { until }] of this.#failures) if (until <= now) this.#failures.delete(key)
    for (const key of [`name ${username}`, `address ${address}`]) {
      const seen = this.#failures.get(key)
      if (seen !== undefined && seen.until > now) seen.count += 1
      else this.#failures.set(key, { count: 1, until: now + limits.signInWindowSeconds * 1000 })
    }
  }

  succeeded(username: string): void {
    this.#failures.delete(`name ${username}`)
  }
}
