/**
 * Token buckets, many at once: each lets so many tokens through at once and gets them back evenly. A bucket is one number,
 * the moment at which it will be full again. The table is bounded: buckets that were not touched for longest are forgotten,
 * half of the table at a time, which costs nothing while it is used.
 */
export interface BucketSize {
  readonly perMinute: number
  /** How many tokens a full bucket holds. */
  readonly atOnce: number
}

/** Milliseconds by which sums of fractions may be off: nobody is refused for so little. */
const ROUNDING = 0.001

export class Buckets {
  /** Milliseconds in which one token comes back. */
  readonly #step: number
  /** Milliseconds in which an empty bucket fills. */
  readonly #depth: number
  readonly #half: number
  #recent = new Map<string, number>()
  #older: ReadonlyMap<string, number> = new Map()

  /** @param most how many buckets are remembered at most */
  constructor({ perMinute, atOnce }: BucketSize, most = 20_000) {
    this.#step = 60_000 / perMinute
    this.#depth = this.#step * atOnce
    this.#half = Math.max(1, Math.floor(most / 2))
  }

  /** How many buckets are remembered. */
  get size(): number {
    return this.#recent.size + this.#older.size
  }

  /** Takes a token. @returns 0, or, where none is left, the milliseconds until there is one; then nothing is taken */
  take(key: string, now: number): number {
    const fullAgain = Math.max(this.#fullAgain(key), now) + this.#step
    const wait = fullAgain - now - this.#depth
    if (wait > ROUNDING) return wait
    this.#keep(key, fullAgain)
    return 0
  }

  /** The milliseconds until a token can be taken: 0 when there is one. Takes none. */
  wait(key: string, now: number): number {
    const wait = Math.max(this.#fullAgain(key), now) + this.#step - now - this.#depth
    return wait > ROUNDING ? wait : 0
  }

  /** Whether the bucket is remembered: whether its owner was here lately. */
  knows(key: string): boolean {
    return this.#recent.has(key) || this.#older.has(key)
  }

  #fullAgain(key: string): number {
    return this.#recent.get(key) ?? this.#older.get(key) ?? 0
  }

  #keep(key: string, fullAgain: number): void {
    this.#recent.set(key, fullAgain)
    if (this.#recent.size <= this.#half) return
    this.#older = this.#recent
    this.#recent = new Map()
  }
}
