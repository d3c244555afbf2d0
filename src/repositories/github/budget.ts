/**
 * How many requests GitHub's API still takes from this server. Its own rate-limit headers say so; until the first of
 * them arrives, a server without a token counts its requests itself, and one with a token does not know its limit yet.
 */

import { limits } from "../../contract/limits.ts"

const HOUR = 3_600_000
/** Milliseconds by which the host's hour may seem longer than an hour. */
const SLACK = 60_000
/** Seconds to wait, as GitHub's documentation asks, after a refusal for the rate that does not say how long. */
const PAUSE = 60

/** What of an answer counts here. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export class Budget {
  readonly #now: () => number
  /** Requests in an hour of which the host has said nothing. */
  readonly #assumed: number
  #remaining = 0
  /** Milliseconds since 1970, by this server's clock. */
  #resetsAt = 0
  /** The host's own name for the running hour: the second in which it ends by the host's clock. */
  #hour = 0
  #pausedUntil = 0
  #underWay = 0

  /** @param now milliseconds since 1970 */
  constructor(now: () => number, authorized: boolean) {
    this.#now = now
    this.#assumed = authorized ? Number.POSITIVE_INFINITY : limits.repositoryRequestsPerHour
  }

  /** Seconds to wait until `room` requests may be sent; 0 when they may be now. */
  wait(room: number): number {
    const now = this.#now()
    const spent = now < this.#resetsAt && this.#remaining - this.#underWay < room
    const until = Math.max(this.#pausedUntil, spent ? this.#resetsAt : 0)
    return Math.max(0, Math.ceil((until - now) / 1000))
  }

  /** Takes one request out of the budget; it is to be settled once. */
  take(): void {
    const now = this.#now()
    if (now >= this.#resetsAt) {
      this.#remaining = this.#assumed
      this.#resetsAt = now + HOUR
    }
    this.#underWay += 1
  }

  /** Books a request that was taken. @param answered null when none arrived: the request may have counted all the same */
  settle(answered: Answered | null): void {
    this.#underWay -= 1
    const told = answered !== null && this.#read(answered.headers)
    if (!told) this.#remaining -= 1
    const pause = answered === null ? null : pauseAskedFor(answered)
    if (pause !== null) this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + Math.min(pause * 1000, HOUR))
  }

  /**
   * Takes over what the host says about the hour, if it says something that can be true.
   * Answers overtake each other: of an earlier hour nothing counts, and within one the smallest rest is the newest.
   */
  #read(headers: Headers): boolean {
    const remaining = wholeNumber(headers.get("x-ratelimit-remaining"))
    const reset = wholeNumber(headers.get("x-ratelimit-reset"))
    if (remaining === null || reset === null) return false
    // By the host's clock and not ours, so that a clock that is wrong here does no harm.
    const hostNow = Date.parse(headers.get("date") ?? "")
    const left = reset * 1000 - (Number.isNaN(hostNow) ? this.#now() : hostNow)
    if (left > HOUR + SLACK) return false
    if (reset < this.#hour) return true
    this.#remaining = reset === this.#hour ? Math.min(this.#remaining, remaining) : remaining
    this.#hour = reset
    this.#resetsAt = this.#now() + Math.max(left, 0)
    return true
  }
}

/** Seconds for which GitHub wants to be left alone, when that is why it refused; null when the refusal has another reason. */
export function pauseAskedFor({ status, headers, text }: Answered): number | null {
  if (status !== 403 && status !== 429) return null
  const asked = wholeNumber(headers.get("retry-after"))
  if (asked !== null) return asked
  // A spent budget needs no pause beyond the end of its hour.
  if (headers.get("x-ratelimit-remaining") === "0" && headers.has("x-ratelimit-reset")) return 0
  return status === 429 || /rate limit/i.test(text) ? PAUSE : null
}

const wholeNumber = (text: string | null): number | null => (text !== null && /^[0-9]{1,12}$/.test(text) ? Number(text) : null)
