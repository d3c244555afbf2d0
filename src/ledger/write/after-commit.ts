/** Work that follows from writes and that their senders don't wait for: it is done between two groups of writes, soon after. */
import { setImmediate as turn } from "node:timers/promises"

/** Milliseconds between a commit and the work that follows from it; and before work that failed is tried again. */
const SOON = 100
const AGAIN = 1_000

export interface Following {
  /** The last of what there is to do, and of what is done. */
  newest(): number
  reached(): number
  /** Does a part of the rest, within a transaction. */
  step(): void
}

export class AfterCommit {
  readonly #following: Following
  readonly #between: (work: () => void) => boolean
  readonly #onFailed: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #hasEnded = false

  /** @param between runs a step in a transaction of its own, and says whether it was committed */
  constructor(following: Following, between: (work: () => void) => boolean, onFailed: (error: unknown) => void) {
    this.#following = following
    this.#between = between
    this.#onFailed = onFailed
  }

  /** Something was committed that work may follow from. */
  soon(milliseconds = SOON): void {
    if (this.#hasEnded) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.now().then(
        (isDone) => isDone || this.soon(AGAIN),
        (error) => {
          this.#onFailed(error)
          this.soon(60 * AGAIN)
        },
      )
    }, milliseconds)
  }

  /** Does all that there is to do now, in steps; writes go on between two of them. @returns whether all of it was done */
  async now(): Promise<boolean> {
    const { newest, reached, step } = this.#following
    // Between two steps the thread may end, and close its database.
    for (const until = newest(); !this.#hasEnded && reached() < until; await turn()) if (!this.#between(step)) return false
    return true
  }

  /** Does the rest without a pause, before the thread ends. Nothing is begun after it: a timer would keep the thread alive. */
  end(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
    const { newest, reached, step } = this.#following
    while (reached() < newest() && this.#between(step)) {}
  }
}
