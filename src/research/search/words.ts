/**
 * Words as the index of them has them. Those longer than it keeps are mostly digests, keys and encoded bytes, each of which stands in one
 * text alone and would take as much of the index as of the text: they are found by how they begin, and told apart by reading the text.
 */
/** What the index takes for a word: letters and digits of every script, with the marks that belong to them. */
export const WORDS = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu
const ASCII = /^[0-9A-Za-z]*$/
/** Written as Unicode folds it, less its marks: as the index keeps words. */
export const folded = (word: string): string =>
  ASCII.test(word) ? word.toLowerCase() : word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()

/** Letters and digits of a word that the index keeps; of words in other scripts, all. */
const KEPT = 16
/** Words as the index tells them apart that may be longer, each looked at where it begins. */
const LONG = new RegExp(`(?<![\\p{L}\\p{N}\\p{Co}\\p{M}])[\\p{L}\\p{N}\\p{Co}][\\p{L}\\p{N}\\p{Co}\\p{M}]{${KEPT},}`, "gu")
/** The same for a text of ASCII alone. */
const LONG_ASCII = new RegExp(`(?<![0-9A-Za-z])[0-9A-Za-z]{${KEPT + 1},}`, "g")
const ALL_ASCII = /^[\u0000-\u007f]*$/

/** A folded word as the index has it. */
export const keptOf = (word: string): string => (ASCII.test(word) ? word.slice(0, KEPT) : word)

/** Whether the index may take other words for a folded one. */
export const isLongWord = (word: string): boolean => word.length >= KEPT && ASCII.test(word)

/** A text as it is given to the index. */
export const indexed = (text: string): string =>
  ALL_ASCII.test(text)
    ? text.replace(LONG_ASCII, (word) => word.slice(0, KEPT))
    : text.replace(LONG, (word) => {
        const said = folded(word)
        return ASCII.test(said) ? said.slice(0, KEPT) : word
      })
