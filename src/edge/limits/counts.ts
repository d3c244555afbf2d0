/** Counts things of which there is only so much, and whom they are for. */
import { Refusal } from "../../contract/refusals/refusal.ts"

/** How much there is of a thing, all together and for one caller. */
export interface Share {
  readonly total: number
  readonly each: number
}

/** The refusal of what is over a budget. @param what a sentence that says what there is too much of */
export const overBudget = (what: string): Refusal =>
  new Refusal("temporarily_unavailable", `${what}. Send the same request again in a moment.`, {
    retryAfter: 1,
  })

/** Counts things that are held, by whom. */
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

  /** How many there may be all together. */
  get total(): number {
    return this.#share.total
  }

  of(key: string): number {
    return this.#held.get(key) ?? 0
  }

  /** Whether `amount` more of them are too many. @param key whom they count for; null for nobody in particular */
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
