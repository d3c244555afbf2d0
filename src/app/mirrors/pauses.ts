/** Pauses between requests to an origin that returns nothing new. */
import { setTimeout } from "node:timers/promises"

/** Milliseconds between requests while the origin does not answer, or returns an empty page at once: the first and the longest. */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 15_000

/** Pauses that grow until they are reset. */
export class Pauses {
  readonly #signal: AbortSignal
  #next = FIRST_PAUSE

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  async next(): Promise<void> {
    const milliseconds = this.#next
    this.#next = Math.min(milliseconds * 2, LONGEST_PAUSE)
    await setTimeout(milliseconds, undefined, { signal: this.#signal }).catch(() => undefined)
  }

  reset(): void {
    this.#next = FIRST_PAUSE
  }
}
