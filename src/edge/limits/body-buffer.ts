/** The bytes of a body while it comes, in one piece of memory: as many small pieces they would take many times their length. */

/** Bytes of the first piece made for a body of which more comes than its first part. */
const FIRST = 16 * 1024

export class Gathered {
  readonly #most: number
  #bytes: Buffer = Buffer.alloc(0)
  length = 0

  /** @param most bytes it may hold; `announced` bytes it is said to have, null where nothing is said */
  constructor(most: number, announced: number | null) {
    this.#most = Math.min(most, announced ?? most)
  }

  /** The bytes of memory it takes once `chunk` is added. */
  holdsWith(chunk: Uint8Array): number {
    const length = this.length + chunk.length
    // The first part is kept as it came.
    if (this.length === 0 || length <= this.#bytes.length) return Math.max(this.#bytes.length, length)
    let room = FIRST
    while (room < length) room *= 2
    return Math.max(length, Math.min(room, this.#most))
  }

  add(chunk: Buffer): void {
    if (this.length === 0) {
      this.#bytes = chunk
    } else {
      const room = this.holdsWith(chunk)
      if (room > this.#bytes.length) {
        const larger = Buffer.allocUnsafeSlow(room)
        this.#bytes.copy(larger, 0, 0, this.length)
        this.#bytes = larger
      }
      chunk.copy(this.#bytes, this.length)
    }
    this.length += chunk.length
  }

  take(): Uint8Array {
    const whole = this.#bytes.subarray(0, this.length)
    this.forget()
    return whole
  }

  forget(): void {
    this.#bytes = Buffer.alloc(0)
    this.length = 0
  }
}
