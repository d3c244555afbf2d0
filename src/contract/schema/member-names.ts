/** The names of the objects that are open while a JSON text is passed over, and whether one of them comes twice. */
import { limits } from "../limits.ts"

/** Names of one object up to which they are compared one with another; with more, a set is made. */
const FEW = 16
const QUOTE = 34
const BACKSLASH = 92
/** Signs of a string that are looked at one by one; the engine's own search is faster over a longer one. */
const NEAR = 24

/** Where the string ends that begins at `from`, behind its quote: the place of the closing quote, or -1. */
export function stringEnd(text: string, from: number): number {
  let at = from
  for (;;) {
    const near = at + NEAR
    for (; at < near; at += 1) {
      const sign = text.charCodeAt(at)
      if (sign === QUOTE) return at
      if (sign === BACKSLASH) at += 1
    }
    const quote = text.indexOf('"', at)
    if (quote < 0) return -1
    let escapes = quote
    while (escapes > at && text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1
    if ((quote - escapes) % 2 === 0) return quote
    at = quote + 1
  }
}

/** The string between two quotes, with its escapes read; undefined where they cannot be. */
export function stringIn(text: string, start: number, end: number): string | undefined {
  const written = text.slice(start, end)
  if (!written.includes("\\")) return written
  try {
    return JSON.parse(`"${written}"`)
  } catch {
    return undefined
  }
}

/** Start, end and a number made of each name; bodies are passed over one at a time, so that all share one table. */
const table = new Int32Array(3 * (limits.bodyValues + 1))

/** The names of one open object; those of the objects around it stand before them in the table. */
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

  /** Where in the table the names of an object inside this one may stand. */
  get top(): number {
    return this.#top
  }

  /** Takes the name between two quotes. @returns whether it was there before; undefined where it cannot be read */
  repeats(start: number, end: number): boolean | undefined {
    const text = this.#text
    let mark = end - start
    for (let at = start; at < end; at += 1) {
      const sign = text.charCodeAt(at)
      // One name can be written in several ways.
      if (sign === BACKSLASH) return this.#inSet(start, end)
      mark = (Math.imul(mark, 31) + sign) | 0
    }
    if (this.#set !== null || this.#top - this.#base >= 3 * FEW) return this.#inSet(start, end)
    for (let at = this.#base; at < this.#top; at += 3)
      if (table[at + 2] === mark && text.slice(table[at], table[at + 1]) === text.slice(start, end)) return true
    table[this.#top] = start
    table[this.#top + 1] = end
    table[this.#top + 2] = mark
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
