/**
 * Token buckets. Each allows a burst and refills at a steady rate. A bucket is stored as one number, the time when it
 * will be full again. The table is bounded: the buckets unused for longest are dropped, half of the table at a time, so
 * that taking a token never needs a scan.
 */
export interface BucketSize {
  readonly perMinute: number
  /** How many tokens a full bucket holds. */
  readonly atOnce: number
}

/** Milliseconds of rounding error to ignore, so that no caller is refused because of it. */
const ROUNDING = 0.001

export class Buckets {
  /** Milliseconds to refill one token. */
  readonly #step: number
  /** Milliseconds to refill an empty bucket. */
  readonly #depth: number
  readonly #half: number
  #recent = new Map<string, number>()
  #older: ReadonlyMap<string, number> = new Map()

  /** @param most the most buckets to remember */
  constructor({ perMinute, atOnce }: BucketSize, most = 20_000) {
    this.#step = 60_000 / perMinute
    this.#depth = this.#step * atOnce
    this.#half = Math.max(1, Math.floor(most / 2))
  }

  get size(): number {
    return this.#recent.size + this.#older.size
  }

  /** Takes a token. @returns 0, or the milliseconds until the next token if none is left (nothing is taken then) */
  take(key: string, now: number): number {
    const fullAgain = Math.max(this.#fullAgain(key), now) + this.#step
    const wait = fullAgain - now - this.#depth
    if (wait > ROUNDING) return wait
    this.#keep(key, fullAgain)
    return 0
  }

  /** Returns the milliseconds until a token is available, 0 if one is, without taking it. */
  wait(key: string, now: number): number {
    const wait = Math.max(this.#fullAgain(key), now) + this.#step - now - this.#depth
    return wait > ROUNDING ? wait : 0
  }

  /** Whether the bucket is remembered, so its owner was active recently. */
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
