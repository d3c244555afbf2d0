/** Words that are one typing error away from another: two letters swapped, one too many, one missing, or another one in its place. */

/** Letters that a word of the script of each may be meant with. */
const ALPHABETS: readonly (readonly [script: RegExp, letters: string])[] = [
  [/^[\p{Script=Latin}\p{N}]+$/u, "abcdefghijklmnopqrstuvwxyz0123456789"],
  [/^[\p{Script=Cyrillic}\p{N}]+$/u, "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ"],
  [/^[\p{Script=Greek}\p{N}]+$/u, "αβγδεζηθικλμνξοπρςστυφχψω"],
]
/** Letters of a word that is looked at: shorter ones are too near to each other, longer ones are keys and digests. */
const SHORTEST = 4
const LONGEST = 24

/** Every word one typing error away, likely errors first: at most some 75 for each letter. @param word in lower case */
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

/** Words of a query that are put right at most. */
const MOST = 3

/**
 * A query with the words that nothing holds put right, each by one letter.
 * @param words what counts as a word
 * @param isKnown whether a word is found as it is; the last one may be the beginning of one
 * @param best the best of some words; undefined where none of them is found
 * @returns undefined where nothing can be put right
 */
export function respelled(
  query: string,
  words: RegExp,
  isKnown: (word: string, isLast: boolean) => boolean,
  best: (near: readonly string[]) => string | undefined,
): string | undefined {
  const found = [...query.matchAll(words)]
  const wrong = found.filter(([word], index) => !isKnown(word, index === found.length - 1))
  if (wrong.length === 0 || wrong.length > MOST) return undefined
  let text = ""
  let at = 0
  for (const match of wrong) {
    const right = best(nearWords(match[0].toLowerCase()))
    if (right === undefined) return undefined
    text += query.slice(at, match.index) + right
    at = match.index + match[0].length
  }
  return text + query.slice(at)
}
