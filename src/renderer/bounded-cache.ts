/**
 * A cache of values that never change. It holds a limited number of bytes, and drops the least recently used value
 * first.
 */
export class BoundedCache<T> {
  readonly #entries = new Map<string, T>()
  readonly #most: number
  readonly #sizeOf: (name: string, value: T) => number
  #bytes = 0

  /** @param most in bytes @param sizeOf returns the bytes of an entry */
  constructor(most: number, sizeOf: (name: string, value: T) => number) {
    this.#most = most
    this.#sizeOf = sizeOf
  }

  get bytes(): number {
    return this.#bytes
  }

  get(name: string): T | undefined {
    const found = this.#entries.get(name)
    if (found === undefined) return undefined
    this.#entries.delete(name)
    this.#entries.set(name, found)
    return found
  }

  set(name: string, value: T): void {
    if (this.#entries.has(name)) return
    this.#entries.set(name, value)
    this.#bytes += this.#sizeOf(name, value)
    for (const [oldest, dropped] of this.#entries) {
      if (this.#bytes <= this.#most) break
      this.#entries.delete(oldest)
      this.#bytes -= this.#sizeOf(oldest, dropped)
    }
  }
}
