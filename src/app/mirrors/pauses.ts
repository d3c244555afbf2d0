/** Pauses between two questions to an origin that brings nothing. */
import { setTimeout } from "node:timers/promises"

/** Milliseconds between two questions while the origin does not answer, or answers with nothing at once: the first, and the longest. */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 15_000

/** Pauses that grow until something comes. */
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

  /** The next one is short again. */
  reset(): void {
    this.#next = FIRST_PAUSE
  }
}
