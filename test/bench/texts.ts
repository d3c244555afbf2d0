/**
 * Texts as people and programs write them, the same ones in each run, for measurements relative to the size of the
 * text.
 */

/** Pseudo-random numbers. */
export class Chance {
  #state: number
  constructor(seed: number) {
    this.#state = seed >>> 0
  }
  /** At least 0 and less than 1. */
  next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return this.#state / 2 ** 32
  }
  /** A whole number from 0, less than `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }
}

const SYLLABLES = "ba de ki lo mu na pe ri so tu va ce di fo gu la me ni po ra se ti vo wa be co da fi ga li".split(" ")
const ENDINGS = ["", "", "", "n", "r", "s", "t", "ing", "ed", "tion", "ly"]
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"
const WORDS = 20_000
/** How much more often common words occur than rare ones: about as in English technical prose. */
const STEEPNESS = 1.35

/** The words of a language, the most common and shortest first, with cumulative frequencies. */
function language(): { words: readonly string[]; sums: readonly number[] } {
  const chance = new Chance(1)
  const one = <T>(all: readonly T[]): T => all[chance.below(all.length)] as T
  const words = new Set<string>()
  while (words.size < WORDS) {
    const syllables =
      words.size < 20
        ? 1
        : words.size < 250
          ? 1 + chance.below(2)
          : words.size < 3_000
            ? 2 + chance.below(2)
            : 3 + chance.below(2)
    words.add(Array.from({ length: syllables }, () => one(SYLLABLES)).join("") + one(ENDINGS))
  }
  let sum = 0
  return { words: [...words], sums: [...words].map((_, rank) => (sum += (rank + 12) ** -STEEPNESS)) }
}

const { words, sums } = language()

function word(chance: Chance): string {
  const at = chance.next() * (sums.at(-1) ?? 0)
  let [low, high] = [0, sums.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sums[middle] ?? 0) < at) low = middle + 1
    else high = middle
  }
  return words[low] ?? ""
}

function sentence(chance: Chance): string {
  const said = Array.from({ length: 6 + chance.below(18) }, () =>
    chance.next() < 0.02 ? (chance.next() * 100).toFixed(2) : word(chance),
  ).join(" ")
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}.${chance.next() < 0.15 ? "\n\n" : " "}`
}

const run = (signs: string) => (chance: Chance) => signs.charAt(chance.below(signs.length))
const noise = (chance: Chance) =>
  `${Array.from({ length: 3 + chance.below(10) }, () => run(LETTERS.slice(0, 26))(chance)).join("")} `

/** A text of a given length, repeated from random parts. */
const textOf =
  (make: (chance: Chance) => string) =>
  (chance: Chance, length: number): string => {
    let text = ""
    while (text.length < length) text += make(chance)
    return text.slice(0, length)
  }

export const texts = {
  prose: textOf(sentence),
  base64: textOf(run(LETTERS)),
  hex: textOf(run("0123456789abcdef")),
  noise: textOf(noise),
}
export type TextKind = keyof typeof texts
