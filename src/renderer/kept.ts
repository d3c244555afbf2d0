/** Rendered texts, kept by the digest of what they were made of: accepted texts never change, so neither does what becomes of them. */
import { hash } from "node:crypto"
import type { Kind } from "./as-written.ts"

/** The name under which a text's rendering is kept. */
export const nameOf = (text: string, kind: Kind): string => `${kind}:${hash("sha256", text, "base64")}`

/** Keeps up to `most` bytes; what was not asked for the longest goes first. */
export class Kept {
  readonly #made = new Map<string, string>()
  readonly #most: number
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  get bytes(): number {
    return this.#bytes
  }

  get(name: string): string | undefined {
    const found = this.#made.get(name)
    if (found === undefined) return undefined
    this.#made.delete(name)
    this.#made.set(name, found)
    return found
  }

  set(name: string, made: string): void {
    if (this.#made.has(name)) return
    this.#made.set(name, made)
    this.#bytes += sizeOf(name, made)
    for (const [oldest, text] of this.#made) {
      if (this.#bytes <= this.#most) break
      this.#made.delete(oldest)
      this.#bytes -= sizeOf(oldest, text)
    }
  }
}

/** Two bytes a character: what V8 takes for a text with a sign beyond Latin 1. */
const sizeOf = (name: string, made: string) => 2 * (name.length + made.length)
