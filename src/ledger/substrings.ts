/**
 * Texts that contain something, told by an index of trigrams. A query of which some trigram stands in few texts is looked for
 * among those alone. Any other, a shorter one too, is found by walking the list, newest first: what many texts hold is soon found.
 * The index tells a few texts too many, so what it tells is still compared.
 */
import type { Db } from "./database.ts"

/** Trigrams of a query that are looked up; of a longer one some, spread over it. */
const MOST = 16
/** In how many texts a trigram may stand to be few: tried for all of them with the first, then with the next. */
const FEW = [64, 1_024, 8_192]

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
  const counted = db.prepare<{ texts: number }>(`SELECT count(*) AS texts FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ?)`)
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
