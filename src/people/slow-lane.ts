/** Lets tries for one thing through one by one, so many seconds apart. Nobody is shut out by those who came earlier. */
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals/refusal.ts"

/** Tries that wait in one lane, and lanes that there are at most. */
const WAITING = limits.signInsWaiting
const LANES = 1_000

interface Waiting {
  resolve(): void
  reject(why: Refusal): void
}

const full = () =>
  new Refusal("too_many_requests", "Many passwords are being tried for this name. Try again in a few seconds.", {
    retryAfter: limits.signInsWaiting,
  })

/**
 * Puts one more into a line that holds so many. In a full line chance decides who of all has to go: one that was filled by
 * somebody else's flood is no wall.
 * @returns who goes, the newcomer maybe
 */
export function intoLine<T>(line: T[], newcomer: T, most: number, chance: () => number = Math.random): T | undefined {
  line.push(newcomer)
  return line.length <= most ? undefined : line.splice(Math.floor(chance() * line.length), 1)[0]
}

export class SlowLanes {
  readonly #lanes = new Map<string, Waiting[]>()
  readonly #pause: (then: () => void) => void

  /** @param pause calls back when the next may follow */
  constructor(pause: (then: () => void) => void = (then) => void setTimeout(then, limits.signInSlowedSeconds * 1_000)) {
    this.#pause = pause
  }

  /** Resolves when it is this one's turn. @throws Refusal `too_many_requests` when too many wait */
  async turn(key: string): Promise<void> {
    const line = this.#lanes.get(key)
    if (line === undefined) {
      if (this.#lanes.size >= LANES) throw full()
      this.#lanes.set(key, [])
      this.#pause(() => this.#next(key))
      return
    }
    await new Promise<void>((resolve, reject) => intoLine<Waiting>(line, { resolve, reject }, WAITING)?.reject(full()))
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
