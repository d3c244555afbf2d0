/**
 * Texts that contain something, told by an index of trigrams. A query of which some trigram stands in few texts is looked for
 * among those alone. Any other, a shorter one too, is found by walking the list, newest first: what many texts hold is soon found.
 * The index tells a few texts too many, so what it tells is still compared. However it is looked for, so much is compared for a
 * page and no more: a page of what is seldom may be short, or empty, and goes on where it ended.
 */
import { limits } from "../../contract/limits.ts"
import type { Db } from "../storage/database.ts"

/** Trigrams of a query that are looked up; of a longer one some, spread over it. */
const MOST = 16
/** In how many texts a trigram may stand to be few: tried for all of them with the first, then with the next. */
const FEW = [64, 1_024, 4_096]

const quoted = (trigram: string): string => `"${trigram.replaceAll('"', '""')}"`

/** Trigrams of a text, by code points; none of one that is shorter. */
function trigramsOf(text: string): string[] {
  const signs = [...text]
  const step = Math.max(1, (signs.length - 2) / MOST)
  const starts = Array.from({ length: Math.min(MOST, Math.max(0, signs.length - 2)) }, (_, place) => Math.floor(place * step))
  return [...new Set(starts.map((start) => quoted(signs.slice(start, start + 3).join(""))))]
}

/**
 * @param table a full-text index with the trigram tokenizer, which folds letter case
 * @param few in how many texts a trigram may stand to be few, ascending
 */
export function substrings(db: Db, table: string, few: readonly number[] = FEW) {
  const counted = db.prepare<{ texts: number }>(`SELECT count(*) AS texts FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH +? LIMIT +?)`)
  return {
    /**
     * What to ask the index for the texts that may contain a query; undefined where they may be many.
     * Of what is asked for, fewer than the last of `few` match.
     */
    among(query: string): string | undefined {
      const trigrams = trigramsOf(query)
      const isFew = few.some((most) => trigrams.some((trigram) => (counted.get(trigram, most)?.texts ?? 0) < most))
      return isFew ? trigrams.join(" AND ") : undefined
    },
  }
}

/** Something that texts belong to, by its id, with the bytes of its texts. */
export interface Sized {
  readonly id: string
  readonly bytes: number
}
/** What was found, and the id after which it goes on where as much as may be compared was compared before the end. */
export interface Walked<Row> {
  readonly found: Row[]
  readonly stopped?: string
}
/** Bytes that looking at a text costs besides its own, and those that are compared at a time. */
const EACH = 200
const AT_ONCE = 250_000

/**
 * Looks through texts until so many were found or as much was compared as may be.
 * @param texts in the order of the list, in portions that are read as they are needed
 * @param look those of some ids that contain what is looked for, in the order of the list
 * @param most bytes to compare
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
  for (const portion of texts) {
    for (const { id, bytes } of portion) {
      ids.push(id)
      waiting += bytes + EACH
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

/** Portions of a list that is read from one id on, the first of them small: what many texts hold is found there. */
export function* portions(from: string, read: (from: string, count: number) => Sized[]): Generator<Sized[]> {
  for (let [last, count] = [from, 64]; ; count = 512) {
    const portion = read(last, count)
    yield portion
    const end = portion.at(-1)
    if (portion.length < count || end === undefined) return
    last = end.id
  }
}
