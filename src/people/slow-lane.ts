/** Admits attempts for the same key one at a time, a few seconds apart. Earlier attempts cannot block later ones. */
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals/refusal.ts"

/** Attempts that can wait in one lane. */
const WAITING = limits.signInsWaiting
const LANES = 1_000

/** Calls that wait for their turn. */
export type WaitingLine = { resolve(): void; reject(refusal: Refusal): void }[]

const full = () =>
  new Refusal("too_many_requests", "Many passwords are being tried for this name. Try again in a few seconds.", {
    retryAfter: limits.signInsWaiting,
  })

/**
 * Waits in a line of limited length until resolved by the holder of the line. If the line is full, a random call in it
 * is refused, so that a flood cannot block the line for everyone else.
 */
export const waitIn = (line: WaitingLine, maxLength: number, refusal: () => Refusal): Promise<void> =>
  new Promise((resolve, reject) => {
    line.push({ resolve, reject })
    if (line.length > maxLength) line.splice(Math.floor(Math.random() * line.length), 1)[0]?.reject(refusal())
  })

export class SlowLanes {
  readonly #lanes = new Map<string, WaitingLine>()
  readonly #pause: (then: () => void) => void

  /** @param pause calls back when the next attempt may start */
  constructor(pause: (then: () => void) => void = (then) => void setTimeout(then, limits.signInSlowedSeconds * 1_000)) {
    this.#pause = pause
  }

  /** Resolves when the attempt may start. @throws Refusal `too_many_requests` if too many are waiting */
  async turn(key: string): Promise<void> {
    const line = this.#lanes.get(key)
    if (line === undefined) {
      if (this.#lanes.size >= LANES) throw full()
      this.#lanes.set(key, [])
      this.#pause(() => this.#next(key))
      return
    }
    await waitIn(line, WAITING, full)
  }

  #next(key: string): void {
    const next = this.#lanes.get(key)?.shift()
    if (next === undefined) {
      this.#lanes.delete(key)
      return
    }
    next.resolve()
    this.#pause(() => this.#next(key))
  }
}
