/** Looks up words in the index in bounded time, however often they occur. */
import { parse, type Stored } from "../../contract/json.ts"
import { present } from "../../contract/present.ts"
import type { Db } from "../../ledger/storage/database.ts"

/** The number of words of a text, from its sizes in the index: a number for each column, in bytes of seven bits. */
function wordsOf(sizes: Buffer): number {
  let words = 0
  let number = 0
  for (const byte of sizes) {
    number = number * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    words += number
    number = 0
  }
  return words
}

/** Matches to read at first to find out how much there is to rank. Each further read doubles. */
const FIRST_LOOK = 32
/** Texts of each common word to read at first. */
const FIRST_COMMON = 250
const NEWEST = Number.MAX_SAFE_INTEGER

export function indexWords(db: Db) {
  // A row for each occurrence of a word, of which only the first is read. The table of words with counts would read all
  // occurrences of each word.
  db.exec(
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_vocabulary USING fts5vocab ('main', 'search_index', 'instance')",
  )
  const next = db.prepare<{ term: string }>(
    "SELECT term FROM temp.search_vocabulary WHERE term >= +? AND term < +? LIMIT 1",
  )
  const count = db.prepare<{ matches: number }>(
    "SELECT count(*) AS matches FROM (SELECT 1 FROM search_index WHERE search_index MATCH +? LIMIT +?)",
  )
  const newest = db.prepare<{ items: Stored<number[]> }>(
    `SELECT json_group_array(item) AS items
      FROM (SELECT rowid AS item FROM search_index WHERE search_index MATCH +? ORDER BY rowid DESC LIMIT +?)`,
  )
  const sizes = db.prepare<{ item: number; sz: Buffer }>(
    `SELECT d.id AS item, d.sz FROM (SELECT rowid AS item
      FROM search_index
      WHERE search_index MATCH +? AND rowid < +?
      ORDER BY rowid DESC
      LIMIT +?) f
     JOIN search_index_docsize d ON d.id = f.item ORDER BY d.id DESC`,
  )

  const has = (word: string): boolean => next.get(word, `${word}\u0000`) !== undefined

  return {
    has,
    /** Returns the words with a prefix; undefined if there are more than `most`. */
    startingWith(prefix: string, most: number): string[] | undefined {
      const found: string[] = []
      for (let from = prefix; ; ) {
        const term = next.get(from, `${prefix}\u{10ffff}`)?.term
        if (term === undefined) return found
        if (found.length === most) return undefined
        found.push(term)
        from = `${term}\u0000`
      }
    },

    /** Returns the folded word that most texts contain, the first in a tie; undefined if the index has none of them. */
    commonest(candidates: readonly string[], columns: string, most: number): string | undefined {
      const counts = candidates
        .filter(has)
        .map((word) => ({ word, texts: count.get(`${columns} : "${word}"`, most)?.matches ?? 0 }))
      return counts.filter(({ texts }) => texts > 0).sort((one, other) => other.texts - one.texts)[0]?.word
    },

    /** Whether each query matches few texts. Reads at most `most` texts, shared by all queries. */
    areRare(queries: readonly string[], most: number): boolean[] {
      const share = Math.floor(most / queries.length)
      return queries.map((query) => (count.get(query, share)?.matches ?? 0) < share)
    },

    /**
     * Returns the newest texts that match all queries, when very many texts match each of them. Reads only the newest
     * matches of each query, at most `most` in total, and stops early once it has as many as are wanted.
     */
    common(queries: readonly string[], wanted: number, most: number): number[] {
      const share = Math.floor(most / queries.length)
      for (let look = Math.min(share, FIRST_COMMON); ; look = Math.min(share, look * 8)) {
        const [first = [], ...others] = queries.map((query) => parse(newest.one(query, look).items))
        const sets = others.map((items) => new Set(items))
        const found = first.filter((item) => sets.every((items) => items.has(item)))
        if (found.length >= wanted || look === share) return found
      }
    },

    /**
     * Finds the newest matches with at most `matches` texts and `words` words in total.
     * @returns the oldest item of these matches, or 0 if all matches fit, and whether `words` was the limit that was
     * reached
     */
    newest(query: string, matches: number, words: number): { from: number; isLong: boolean } {
      let [seen, read] = [0, 0]
      for (let before = NEWEST, look = FIRST_LOOK; ; look *= 2) {
        const page = sizes.all(query, before, look)
        for (const { item, sz } of page) {
          read += wordsOf(sz)
          seen += 1
          if (read > words) return { from: item, isLong: true }
          if (seen >= matches) return { from: item, isLong: false }
        }
        if (page.length < look) return { from: 0, isLong: false }
        before = present(page.at(-1)).item
      }
    },
  }
}
