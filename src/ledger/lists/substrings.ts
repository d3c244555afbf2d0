/**
 * Substring search by an index of trigrams. If some trigram of the query occurs in few texts, only those are compared
 * with the query. Otherwise, and for a query of less than three characters, the list is scanned, newest first: a common
 * substring is soon found. The index may return texts that do not match, so each is compared. Either way, a page
 * compares a limited number of bytes: a page of rare matches may be short or empty, and the next page continues where
 * it stopped.
 */
import { limits } from "../../contract/limits.ts"
import type { Db } from "../storage/database.ts"

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
 * @param texts in the order of the list, in batches that are read on demand
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

/** Reads a list in batches from an id on. The first batch is small: it is enough for a common substring. */
export function* batches(from: string, read: (from: string, count: number) => Sized[]): Generator<Sized[]> {
  for (let [last, count] = [from, 64]; ; count = 512) {
    const batch = read(last, count)
    yield batch
    const end = batch.at(-1)
    if (batch.length < count || end === undefined) return
    last = end.id
  }
}
