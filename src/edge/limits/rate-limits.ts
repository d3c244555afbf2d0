/**
 * How much the service takes from one address and from one caller. Looked at before anything that costs: before the body,
 * before the database. The numbers stand among the limits of the contract.
 */
import { each, ofPairs } from "../../contract/each.ts"
import { type CountedRate, countedRates, type RateLimit } from "../../contract/limits/rates.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { countedAs, isLoopback } from "./address.ts"
import { Buckets, type BucketSize } from "./buckets.ts"
import type { RequestContext } from "./request-context.ts"

/** What is counted apart. */
export type Counted = CountedRate
export type RateNumbers = Readonly<Record<Counted, BucketSize>>

/** The numbers of the contract. */
export const standardRates: RateNumbers = each(countedRates, (name) => ({
  perMinute: limits[`${name}PerMinute`],
  atOnce: limits[`${name}AtOnce`],
}))

const sentences: Readonly<Record<Counted, string>> = {
  addressRequests: "This address sends more requests than the service takes from one.",
  callerReads: "This credential, key or person asks for more than the service answers one caller.",
  callerWrites: "This credential, key or person writes more than the service takes from one caller.",
  refusedCredentials: "Too many credentials from this address were refused.",
}

export class RateLimits {
  readonly #buckets: Readonly<Record<Counted, Buckets>>
  readonly #now: () => number
  /** Told of each refusal. */
  onRefused: (what: Counted) => void = () => {}

  /** The numbers it keeps, by the names they have among the limits of the contract. */
  readonly told: Readonly<Record<RateLimit, number>>

  /** @param now milliseconds that only ever grow */
  constructor(numbers: RateNumbers = standardRates, now: () => number = () => performance.now()) {
    this.told = ofPairs(
      countedRates.flatMap((name): [RateLimit, number][] => [
        [`${name}PerMinute`, numbers[name].perMinute],
        [`${name}AtOnce`, numbers[name].atOnce],
      ]),
    )
    this.#now = now
    this.#buckets = {
      addressRequests: new Buckets(numbers.addressRequests),
      callerReads: new Buckets(numbers.callerReads),
      callerWrites: new Buckets(numbers.callerWrites),
      refusedCredentials: new Buckets(numbers.refusedCredentials),
    }
  }

  /**
   * Any request. Callers on the machine itself are not counted by address: these are its own agents, or everybody at once
   * behind a proxy that the service does not know of.
   * @returns the refusal, where there is one
   */
  request(address: string): Refusal | null {
    return isLoopback(address) ? null : this.#take("addressRequests", countedAs(address))
  }

  /** A request of a credential, key or person that is in order. @throws Refusal `too_many_requests` */
  caller({ address }: RequestContext, caller: string, method: string): void {
    const isRead = method === "GET" || method === "HEAD"
    const strangers = this.#buckets.refusedCredentials.wait(countedAs(address), this.#now())
    // A caller that guesses must not learn that a guess was right. Callers that came in before are not affected.
    const isKnown = () => this.#buckets.callerReads.knows(caller) || this.#buckets.callerWrites.knows(caller)
    if (strangers > 0 && !isLoopback(address) && !isKnown()) throw this.#refuse("refusedCredentials", strangers)
    const refusal = this.#take(isRead ? "callerReads" : "callerWrites", caller)
    if (refusal !== null) throw refusal
  }

  /** A credential, key, session or set-up link that opens nothing. @throws Refusal `too_many_requests` in place of the 401, after too many */
  refusedCredential({ address }: RequestContext): void {
    if (isLoopback(address)) return
    const refusal = this.#take("refusedCredentials", countedAs(address))
    if (refusal !== null) throw refusal
  }

  #take(what: Counted, key: string): Refusal | null {
    const wait = this.#buckets[what].take(key, this.#now())
    return wait === 0 ? null : this.#refuse(what, wait)
  }

  #refuse(what: Counted, wait: number): Refusal {
    this.onRefused(what)
    const seconds = Math.max(1, Math.ceil(wait / 1000))
    const when = seconds === 1 ? "in a second" : `in ${seconds} seconds`
    return new Refusal("too_many_requests", `${sentences[what]} Send the same request again ${when}.`, { retryAfter: seconds })
  }
}
