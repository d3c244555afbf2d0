/**
 * Tracks how many requests GitHub's API still accepts from this server, by its rate-limit headers. Before the first of
 * them arrives, a server without a token counts its own requests; one with a token does not know its limit yet.
 */
import { limits } from "../../contract/limits.ts"

const HOUR = 3_600_000
/** Milliseconds by which the host's hour may exceed an hour of this clock. */
const SLACK = 60_000
/** Seconds to wait after a rate-limit refusal without `Retry-After`, as GitHub's documentation asks. */
const PAUSE = 60

/** The parts of a response that are used. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export class Budget {
  readonly #now: () => number
  /** The assumed limit for an hour without rate-limit headers. */
  readonly #assumed: number
  #remaining = 0
  /** Milliseconds since 1970, by this server's clock. */
  #resetsAt = 0
  /** Identifies the current hour of the host: the second of its end by the host's clock. */
  #hour = 0
  #pausedUntil = 0
  #open = 0

  /** @param now milliseconds since 1970 */
  constructor(now: () => number, authorized: boolean) {
    this.#now = now
    this.#assumed = authorized ? Number.POSITIVE_INFINITY : limits.repositoryRequestsPerHour
  }

  /** Returns the seconds before `count` requests may be sent; 0 if they may be sent now. */
  wait(count: number): number {
    const now = this.#now()
    const spent = now < this.#resetsAt && this.#remaining - this.#open < count
    const until = Math.max(this.#pausedUntil, spent ? this.#resetsAt : 0)
    return Math.max(0, Math.ceil((until - now) / 1000))
  }

  /** Takes one request from the budget; `settle` must follow. */
  take(): void {
    const now = this.#now()
    if (now >= this.#resetsAt) {
      this.#remaining = this.#assumed
      this.#resetsAt = now + HOUR
    }
    this.#open += 1
  }

  /** Settles a request that was taken. @param response null if none arrived; the request may still have counted */
  settle(response: ApiResponse | null): void {
    this.#open -= 1
    const isKnown = response !== null && this.#read(response.headers)
    if (!isKnown) this.#remaining -= 1
    const pause = response === null ? null : requestedPause(response)
    if (pause !== null) this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + Math.min(pause * 1000, HOUR))
  }

  /**
   * Reads the rate-limit headers. @returns whether they were plausible.
   * Responses may arrive out of order: headers of an earlier hour are ignored, and within an hour the smallest
   * remainder counts.
   */
  #read(headers: Headers): boolean {
    const remaining = wholeNumber(headers.get("x-ratelimit-remaining"))
    const reset = wholeNumber(headers.get("x-ratelimit-reset"))
    if (remaining === null || reset === null) return false
    // Uses the host's clock, in case the clock of this server is wrong.
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

/** Returns the seconds to pause if GitHub refused because of its rate limit; null for any other response. */
export function requestedPause({ status, headers, text }: ApiResponse): number | null {
  if (status !== 403 && status !== 429) return null
  const retryAfter = wholeNumber(headers.get("retry-after"))
  if (retryAfter !== null) return retryAfter
  // A used-up limit ends with its hour.
  if (headers.get("x-ratelimit-remaining") === "0" && headers.has("x-ratelimit-reset")) return 0
  return status === 429 || /rate limit/i.test(text) ? PAUSE : null
}

const wholeNumber = (text: string | null): number | null =>
  text !== null && /^[0-9]{1,12}$/.test(text) ? Number(text) : null
