/**
 * Words as the index stores them. Long words are mostly digests, keys and encoded bytes, which occur in one text only
 * and would take as much space in the index as in the text. The index has only their beginning, and they are
 * distinguished by reading the text.
 */
/** Matches the words of a text as the index does: letters and digits of every script, with their combining marks. */
export const WORDS = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu
const ASCII = /^[0-9A-Za-z]*$/
/** Folds a word to lower case without combining marks, as the index does. */
export const folded = (word: string): string =>
  ASCII.test(word) ? word.toLowerCase() : word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()

/** The number of characters of an ASCII word that the index keeps. Other words are kept whole. */
const KEPT = 16
/** Matches words that may be longer than the index keeps. */
const LONG = new RegExp(
  `(?<![\\p{L}\\p{N}\\p{Co}\\p{M}])[\\p{L}\\p{N}\\p{Co}][\\p{L}\\p{N}\\p{Co}\\p{M}]{${KEPT},}`,
  "gu",
)
/** The same for a text of ASCII alone. */
const LONG_ASCII = new RegExp(`(?<![0-9A-Za-z])[0-9A-Za-z]{${KEPT + 1},}`, "g")
const ALL_ASCII = /^[\u0000-\u007f]*$/

/** Returns a folded word as the index stores it. */
export const keptOf = (word: string): string => (ASCII.test(word) ? word.slice(0, KEPT) : word)

/** Whether the index may confuse a folded word with others. */
export const isLongWord = (word: string): boolean => word.length >= KEPT && ASCII.test(word)

/** Returns a text in the form that is written to the index. */
export const indexed = (text: string): string =>
  ALL_ASCII.test(text)
    ? text.replace(LONG_ASCII, (word) => word.slice(0, KEPT))
    : text.replace(LONG, (word) => {
        const plain = folded(word)
        return ASCII.test(plain) ? plain.slice(0, KEPT) : word
      })
