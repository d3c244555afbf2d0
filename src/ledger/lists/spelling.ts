/** Words one typing error away: two letters swapped, one added, one missing, or one replaced. */
import type { Word } from "../../contract/words.ts"

/** The letters to try for a word, by its script. */
const ALPHABETS: readonly (readonly [script: RegExp, letters: string])[] = [
  [/^[\p{Script=Latin}\p{N}]+$/u, "abcdefghijklmnopqrstuvwxyz0123456789"],
  [/^[\p{Script=Cyrillic}\p{N}]+$/u, "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ"],
  [/^[\p{Script=Greek}\p{N}]+$/u, "αβγδεζηθικλμνξοπρστυφχψω"],
]
/** Lengths of the words to correct: shorter ones have too many neighbours, longer ones are usually keys and digests. */
const SHORTEST = 4
const LONGEST = 24

/**
 * Returns every word one typing error away, likely errors first: about 75 for each letter. @param word folded
 */
export function nearWords(word: string): string[] {
  const letters = [...word]
  if (letters.length < SHORTEST || letters.length > LONGEST) return []
  const alphabet = [...(ALPHABETS.find(([script]) => script.test(word))?.[1] ?? "")]
  const near = new Set<string>()
  const put = (at: number, taken: number, ...put: readonly string[]) =>
    near.add([...letters.slice(0, at), ...put, ...letters.slice(at + taken)].join(""))
  for (let at = 0; at + 1 < letters.length; at += 1) put(at, 2, letters[at + 1] ?? "", letters[at] ?? "")
  for (const [at, letter] of letters.entries()) if (letters[at - 1] !== letter) put(at, 1)
  for (let at = 0; at <= letters.length; at += 1) for (const letter of alphabet) put(at, 0, letter)
  for (let at = 0; at < letters.length; at += 1) for (const letter of alphabet) put(at, 1, letter)
  near.delete(word)
  return [...near]
}

/** The most words of a query to correct. */
const MOST = 3

/**
 * Corrects the words of a query that nothing matches, each by one letter.
 * @param words the words of the query
 * @param isKnown whether a word has matches; the last word may be a prefix
 * @param best returns the best of some words; undefined if none has matches
 * @returns undefined if some word cannot be corrected
 */
export function respelled(
  query: string,
  words: readonly Word[],
  isKnown: (word: Word, isLast: boolean) => boolean,
  best: (near: readonly string[]) => string | undefined,
): string | undefined {
  const wrong = words.filter((word, index) => !isKnown(word, index === words.length - 1))
  if (wrong.length === 0 || wrong.length > MOST) return undefined
  let text = ""
  let at = 0
  for (const { from, to, folded } of wrong) {
    const right = best(nearWords(folded))
    if (right === undefined) return undefined
    text += query.slice(at, from) + right
    at = to
  }
  return text + query.slice(at)
}
