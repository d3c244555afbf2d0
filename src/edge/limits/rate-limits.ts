/**
 * Limits how many requests one address and one caller may send. Checked before the body is read and before any query.
 * The numbers are defined with the limits of the contract.
 */
import { each, ofPairs } from "../../contract/typed.ts"
import { type CountedRate, countedRates, type RateLimit, limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import { countedAs, isLoopback, isReading, type RequestContext } from "./request-context.ts"
import { Buckets, type BucketSize } from "./budgets.ts"

export type RateNumbers = Readonly<Record<CountedRate, BucketSize>>

/** The contract's numbers. */
export const standardRates: RateNumbers = each(countedRates, (name) => ({
  perMinute: limits[`${name}PerMinute`],
  atOnce: limits[`${name}AtOnce`],
}))

const sentences: Readonly<Record<CountedRate, string>> = {
  addressRequests: "This address sends more requests than the service allows from one address.",
  callerReads: "This credential, key or person sends more reads than the service allows one caller.",
  callerWrites: "This credential, key or person sends more writes than the service allows one caller.",
  refusedCredentials: "Too many credentials from this address were refused.",
}

export class RateLimits {
  readonly #buckets: Readonly<Record<CountedRate, Buckets>>
  readonly #now: () => number
  onRefused: (what: CountedRate) => void = () => {}

  /** The numbers in force, under their names in the contract's limits. */
  readonly numbers: Readonly<Record<RateLimit, number>>

  /** @param now a monotonic clock in milliseconds */
  constructor(numbers: RateNumbers = standardRates, now: () => number = () => performance.now()) {
    this.numbers = ofPairs(
      countedRates.flatMap((name): [RateLimit, number][] => [
        [`${name}PerMinute`, numbers[name].perMinute],
        [`${name}AtOnce`, numbers[name].atOnce],
      ]),
    )
    this.#now = now
    this.#buckets = each(countedRates, (name) => new Buckets(numbers[name]))
  }

  /**
   * Counts a request against its address. Loopback callers are exempt: they are local agents, or all clients of a proxy
   * that the service does not know of.
   * @returns the refusal; null if there is none
   */
  request(address: string): Refusal | null {
    return isLoopback(address) ? null : this.#take("addressRequests", countedAs(address))
  }

  /** Counts a request of an authenticated credential, key or person. @throws Refusal `too_many_requests` */
  caller({ address }: RequestContext, caller: string, method: string): void {
    const strangers = this.#buckets.refusedCredentials.wait(countedAs(address), this.#now())
    // A client that guesses must not learn that a guess was right. Callers active before the guessing are not affected.
    const isKnown = () => this.#buckets.callerReads.knows(caller) || this.#buckets.callerWrites.knows(caller)
    if (strangers > 0 && !isLoopback(address) && !isKnown()) throw this.#refuse("refusedCredentials", strangers)
    const refusal = this.#take(isReading(method) ? "callerReads" : "callerWrites", caller)
    if (refusal !== null) throw refusal
  }

  /**
   * Counts an invalid credential, key, session or set-up link. @throws Refusal `too_many_requests` instead of the 401,
   * after too many
   */
  refusedCredential({ address }: RequestContext): void {
    if (isLoopback(address)) return
    const refusal = this.#take("refusedCredentials", countedAs(address))
    if (refusal !== null) throw refusal
  }

  #take(what: CountedRate, key: string): Refusal | null {
    const wait = this.#buckets[what].take(key, this.#now())
    return wait === 0 ? null : this.#refuse(what, wait)
  }

  #refuse(what: CountedRate, wait: number): Refusal {
    this.onRefused(what)
    const seconds = Math.max(1, Math.ceil(wait / 1000))
    const when = seconds === 1 ? "in a second" : `in ${seconds} seconds`
    return new Refusal("too_many_requests", `${sentences[what]} Send the same request again ${when}.`, {
      retryAfter: seconds,
    })
  }
}
