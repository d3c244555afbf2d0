/** Work that follows from writes without delaying their answers. It runs between two groups of writes. */
import { setImmediate as turn } from "node:timers/promises"

/** Milliseconds between a commit and the work that follows from it, and before a failed attempt is repeated. */
const DELAY_MS = 100
const RETRY_MS = 1_000

export interface Following {
  /** The position of the last work to do, and of the last work done. */
  due(): number
  done(): number
  /** Does a part of the rest, within a transaction. */
  step(): void
}

export class AfterCommit {
  readonly #following: Following
  readonly #between: (work: () => void) => boolean
  readonly #onFailed: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #hasEnded = false

  /** @param between runs a step in a transaction of its own, and returns whether it was committed */
  constructor(following: Following, between: (work: () => void) => boolean, onFailed: (error: unknown) => void) {
    this.#following = following
    this.#between = between
    this.#onFailed = onFailed
  }

  /** Schedules the work after a commit. */
  soon(milliseconds = DELAY_MS): void {
    if (this.#hasEnded) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.now().then(
        (isDone) => isDone || this.soon(RETRY_MS),
        (error) => {
          this.#onFailed(error)
          this.soon(60 * RETRY_MS)
        },
      )
    }, milliseconds)
  }

  /** Does all present work in steps, between which writes can run. @returns whether all of it was done */
  async now(): Promise<boolean> {
    const { due, done, step } = this.#following
    let until: number | undefined
    let isLeft = true
    // The positions are read within a step, since lost files are not even read.
    const one = () => {
      until ??= due()
      isLeft = done() < until
      if (isLeft) step()
    }
    // Between two steps the thread may end and close its database.
    for (; isLeft && !this.#hasEnded; await turn()) if (!this.#between(one)) return false
    return true
  }

  /**
   * Does the rest at once, before the thread ends. Later calls of `soon` do nothing, since a timer would keep the
   * thread alive.
   */
  end(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
    const { due, done, step } = this.#following
    let isLeft = true
    const one = () => {
      isLeft = done() < due()
      if (isLeft) step()
    }
    while (isLeft && this.#between(one)) {}
  }
}
