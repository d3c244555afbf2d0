/** Counts limited resources in use, by caller. */
import { Refusal } from "../../contract/refusals/refusal.ts"

/** The limits on a resource: in total and for each caller. */
export interface Share {
  readonly total: number
  readonly each: number
}

/** The refusal of a request over budget. @param what the sentence that names the exhausted resource */
export const overBudget = (what: string): Refusal =>
  new Refusal("temporarily_unavailable", `${what}. Send the same request again in a moment.`, {
    retryAfter: 1,
  })

export class Counts {
  readonly #share: Share
  readonly #held = new Map<string, number>()
  #sum = 0

  constructor(share: Share) {
    this.#share = share
  }

  get sum(): number {
    return this.#sum
  }

  /** The most that may be in use. */
  get total(): number {
    return this.#share.total
  }

  of(key: string): number {
    return this.#held.get(key) ?? 0
  }

  /** Whether `amount` more would exceed a limit. @param key the caller; null to check only the total */
  isOver(key: string | null, amount = 1): boolean {
    return this.#sum + amount > this.#share.total || (key !== null && this.of(key) + amount > this.#share.each)
  }

  add(key: string | null, amount = 1): void {
    this.#sum += amount
    if (key === null) return
    const now = this.of(key) + amount
    if (now > 0) this.#held.set(key, now)
    else this.#held.delete(key)
  }
}
