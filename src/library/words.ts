/** Turns the words of a person's query into full-text match expressions over their saved papers. */
import type { Actor } from "../ledger/journal/actor.ts"
import { isSign, phrasesIn, termsOf } from "../contract/words.ts"

/** Words of a query that are searched for; any further words are ignored. */
const MAX_WORDS = 12
/** Length from which the last word, which may be incomplete, is matched as a prefix. */
const MIN_PREFIX = 3

type Reader = Pick<Actor, "userId" | "key">

/**
 * The index columns that a reader may search. A key may lack the permission to read annotations, or notes may be out of
 * its reach.
 */
function columnsFor({ key }: Reader): string {
  const notes = key === undefined || key.reach === "all"
  const annotations = key === undefined || key.permissions.has("read_annotations")
  return ["paper", ...(notes ? ["notes"] : []), ...(annotations ? ["annotations"] : [])].join(" ")
}

/** Limits terms to the reader's own texts. */
const inOwnTexts = (terms: string, reader: Reader): string =>
  `owner : "${reader.userId.replaceAll("-", "")}" AND {${columnsFor(reader)}} : (${terms})`

/** @param words a word, or neighbouring signs of a script without spaces */
const term = (words: readonly string[], isLast: boolean): string => {
  const isPrefix = isLast && !isSign(words[0]) && [...words.join("")].length >= MIN_PREFIX
  return `"${termsOf(words).join(" ")}"${isPrefix ? " *" : ""}`
}

/** Returns the match expression of a single word. */
export const matchWord = (word: string, isLast: boolean, reader: Reader): string =>
  inOwnTexts(term([word], isLast), reader)

/** Returns the match expression of a query, which requires all of its words; undefined if the query has none. */
export function matchQuery(query: string, reader: Reader): string | undefined {
  const words = phrasesIn(query, false).flatMap((phrase) =>
    isSign(phrase[0]) ? [phrase] : phrase.map((word) => [word]),
  )
  const terms = words.slice(0, MAX_WORDS).map((word, index, all) => term(word, index === all.length - 1))
  return terms.length === 0 ? undefined : inOwnTexts(terms.join(" AND "), reader)
}
