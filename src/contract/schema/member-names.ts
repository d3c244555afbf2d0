/** Collects the member names of the objects that are open while a JSON text is scanned, and finds duplicates. */
import { limits } from "../limits.ts"

/** Up to this many names of one object are compared one by one; with more, a set is made. */
const FEW = 16
const QUOTE = 34
const BACKSLASH = 92
/** Characters of a string that are scanned one by one; the engine's own search is faster over a longer string. */
const NEAR = 24

/** The index of the closing quote of the string that begins at `from`, after its opening quote; -1 if there is none. */
export function stringEnd(text: string, from: number): number {
  let at = from
  for (;;) {
    const limit = at + NEAR
    for (; at < limit; at += 1) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) return at
      if (code === BACKSLASH) at += 1
    }
    const quote = text.indexOf('"', at)
    if (quote < 0) return -1
    let escapes = quote
    while (escapes > at && text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1
    if ((quote - escapes) % 2 === 0) return quote
    at = quote + 1
  }
}

/** The string between two quotes, with its escapes decoded; undefined if they are invalid. */
export function stringIn(text: string, start: number, end: number): string | undefined {
  const written = text.slice(start, end)
  if (!written.includes("\\")) return written
  try {
    return JSON.parse(`"${written}"`)
  } catch {
    return undefined
  }
}

/** The start, the end and a hash of each name. Bodies are scanned one at a time, so they share one table. */
const table = new Int32Array(3 * (limits.bodyValues + 1))

/** The names of one open object. The names of the objects around it come before them in the table. */
export class MemberNames {
  readonly #text: string
  readonly #base: number
  #top: number
  #set: Set<string> | null = null

  constructor(text: string, base: number) {
    this.#text = text
    this.#base = base
    this.#top = base
  }

  /** The index in the table at which the names of an inner object may begin. */
  get top(): number {
    return this.#top
  }

  /** Adds the name between two quotes. @returns whether it is a duplicate; undefined if it cannot be read */
  repeats(start: number, end: number): boolean | undefined {
    const text = this.#text
    let hash = end - start
    for (let at = start; at < end; at += 1) {
      const code = text.charCodeAt(at)
      // The same name can be written in several ways.
      if (code === BACKSLASH) return this.#inSet(start, end)
      hash = (Math.imul(hash, 31) + code) | 0
    }
    if (this.#set !== null || this.#top - this.#base >= 3 * FEW) return this.#inSet(start, end)
    for (let at = this.#base; at < this.#top; at += 3)
      if (table[at + 2] === hash && text.slice(table[at], table[at + 1]) === text.slice(start, end)) return true
    table[this.#top] = start
    table[this.#top + 1] = end
    table[this.#top + 2] = hash
    this.#top += 3
    return false
  }

  #inSet(start: number, end: number): boolean | undefined {
    if (this.#set === null) {
      this.#set = new Set()
      for (let at = this.#base; at < this.#top; at += 3) this.#set.add(this.#text.slice(table[at], table[at + 1]))
    }
    const name = stringIn(this.#text, start, end)
    if (name === undefined) return undefined
    if (this.#set.has(name)) return true
    this.#set.add(name)
    return false
  }
}
