/**
 * Substring search by an index of trigrams. If some trigram of the query occurs in few texts, only those are compared
 * with the query. Otherwise, and for a query of less than three characters, the list is scanned, newest first: a common
 * substring is soon found. The index may return texts that do not match, so each is compared. Either way, a page
 * compares a limited number of bytes: a page of rare matches may be short or empty, and the next page continues where
 * it stopped.
 */
import type { Word } from "../../contract/words.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../storage/database.ts"

// Words one typing error away: two letters swapped, one added, one missing, or one replaced.

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
const MOST_SPELLINGS = 3

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
  if (wrong.length === 0 || wrong.length > MOST_SPELLINGS) return undefined
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

/** The most trigrams of a query to look up; a longer query is sampled evenly. */
const MOST = 16
/**
 * The number of texts below which a trigram is rare. All trigrams are tried with the first limit, then with the next.
 */
const FEW = [64, 1_024, 4_096]

const quoted = (trigram: string): string => `"${trigram.replaceAll('"', '""')}"`

/** Returns the trigrams of a text by code points; none for a text of less than three. */
function trigramsOf(text: string): string[] {
  const signs = [...text]
  const step = Math.max(1, (signs.length - 2) / MOST)
  const starts = Array.from({ length: Math.min(MOST, Math.max(0, signs.length - 2)) }, (_, place) =>
    Math.floor(place * step),
  )
  return [...new Set(starts.map((start) => quoted(signs.slice(start, start + 3).join(""))))]
}

/**
 * @param table a full-text index of folded texts with the trigram tokenizer
 * @param few the limits below which a trigram is rare, ascending
 */
export function substrings(db: Db, table: string, few: readonly number[] = FEW) {
  const counted = db.prepare<{ texts: number }>(
    `SELECT count(*) AS texts FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH +? LIMIT +?)`,
  )
  return {
    /**
     * Returns the index query for the texts that may contain `query`, which is folded; undefined if there may be many.
     * The index query matches fewer texts than the last limit of `few`.
     */
    among(query: string): string | undefined {
      const trigrams = trigramsOf(query)
      const isFew = few.some((most) => trigrams.some((trigram) => (counted.get(trigram, most)?.texts ?? 0) < most))
      return isFew ? trigrams.join(" AND ") : undefined
    },
  }
}

/** An object with the size of its texts, in bytes. */
export interface Sized {
  readonly id: string
  readonly bytes: number
}
/** The matches, and the id to continue after if the byte limit was reached before the end of the list. */
export interface Walked<Row> {
  readonly found: Row[]
  readonly stopped?: string
}
/** Bytes that are added for each text to account for its overhead, and bytes that are compared at once. */
const OVERHEAD = 200
const AT_ONCE = 250_000

/**
 * Compares texts until `count` are found or the byte limit is reached.
 * @param texts in the order of the list, in portions that are read on demand
 * @param look returns those of the given ids whose texts match, in the order of the list
 * @param most the most bytes to compare
 */
export function walked<Row>(
  texts: Iterable<readonly Sized[]>,
  look: (ids: readonly string[]) => Row[],
  count: number,
  most: number = limits.substringRead,
): Walked<Row> {
  const found: Row[] = []
  let [ids, waiting, left]: [string[], number, number] = [[], 0, most]
  const compare = () => {
    if (ids.length > 0) found.push(...look(ids))
    ;[ids, left, waiting] = [[], left - waiting, 0]
  }
  for (const batch of texts) {
    for (const { id, bytes } of batch) {
      ids.push(id)
      waiting += bytes + OVERHEAD
      if (waiting < Math.min(AT_ONCE, left)) continue
      compare()
      if (found.length >= count) return { found: found.slice(0, count) }
      if (left <= 0) return { found, stopped: id }
    }
    compare()
    if (found.length >= count) break
  }
  return { found: found.slice(0, count) }
}

/** Reads a list in portions from an id on. The first portion is small: it is enough for a common substring. */
export function* portions(from: string, read: (from: string, count: number) => Sized[]): Generator<Sized[]> {
  for (let [last, count] = [from, 64]; ; count = 512) {
    const portion = read(last, count)
    yield portion
    const end = portion.at(-1)
    if (portion.length < count || end === undefined) return
    last = end.id
  }
}
