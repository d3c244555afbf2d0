/** A cache of rendered texts, by the digest of their source: accepted texts never change. */
import { hash } from "node:crypto"
import type { Kind } from "./as-written.ts"

/** A text's key in the cache. */
export const nameOf = (text: string, kind: Kind): string => `${kind}:${hash("sha256", text, "base64")}`

/** Caches up to `most` bytes, and drops the least recently used first. */
export class Kept {
  readonly #entries = new Map<string, string>()
  readonly #most: number
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  get bytes(): number {
    return this.#bytes
  }

  get(name: string): string | undefined {
    const found = this.#entries.get(name)
    if (found === undefined) return undefined
    this.#entries.delete(name)
    this.#entries.set(name, found)
    return found
  }

  set(name: string, markup: string): void {
    if (this.#entries.has(name)) return
    this.#entries.set(name, markup)
    this.#bytes += sizeOf(name, markup)
    for (const [oldest, text] of this.#entries) {
      if (this.#bytes <= this.#most) break
      this.#entries.delete(oldest)
      this.#bytes -= sizeOf(oldest, text)
    }
  }
}

/** Two bytes per character: what V8 uses for a text with any character beyond Latin 1. */
const sizeOf = (name: string, markup: string) => 2 * (name.length + markup.length)
