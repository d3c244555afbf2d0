/** Collects a body in one buffer. Many small pieces would take many times their length. */

/** Size of the first buffer allocated when a body has more than one piece. */
const FIRST = 16 * 1024

export class BodyBuffer {
  readonly #most: number
  #bytes: Buffer = Buffer.alloc(0)
  length = 0

  /** @param most the most bytes it may hold @param announced the declared length; null if none was declared */
  constructor(most: number, announced: number | null) {
    this.#most = Math.min(most, announced ?? most)
  }

  /** The bytes of memory in use after `chunk` is added. */
  holdsWith(chunk: Uint8Array): number {
    const length = this.length + chunk.length
    // The first piece is kept without copying.
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
