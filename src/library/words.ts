/** Turns the words of a person's query into full-text match expressions over their saved papers. */
import type { Actor } from "../ledger/journal/actor.ts"

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

export const WORDS = /[\p{L}\p{N}\p{M}]+/gu

const term = (word: string, isLast: boolean): string =>
  `"${word}"${isLast && [...word].length >= MIN_PREFIX ? " *" : ""}`

/** Returns the match expression of a single word. */
export const matchWord = (word: string, isLast: boolean, reader: Reader): string =>
  inOwnTexts(term(word, isLast), reader)

/** Returns the match expression of a query, which requires all of its words; undefined if the query has none. */
export function matchQuery(query: string, reader: Reader): string | undefined {
  const words = (query.match(WORDS) ?? []).slice(0, MAX_WORDS)
  if (words.length === 0) return undefined
  return inOwnTexts(words.map((word, index) => term(word, index === words.length - 1)).join(" AND "), reader)
}
