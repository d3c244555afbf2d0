/** The newest of what was worked out, each under a key, for the next time that it is asked for. */
export class Remembered<T> {
  readonly #entries = new Map<string, T>()
  readonly #most: number

  /** @param most how many are kept */
  constructor(most: number) {
    this.#most = most
  }

  get(key: string): T | undefined {
    const found = this.#entries.get(key)
    if (found !== undefined) this.set(key, found)
    return found
  }

  set(key: string, value: T): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    for (const oldest of this.#entries.keys().take(Math.max(0, this.#entries.size - this.#most)))
      this.#entries.delete(oldest)
  }

  clear(): void {
    this.#entries.clear()
  }
}
