/** What the index knows of words, told in little time however often they stand in it. */
import { parse, type Stored } from "../../contract/json.ts"
import { present } from "../../contract/present.ts"
import type { Db } from "../../ledger/storage/database.ts"

/** How many words a text of the index has, out of the sizes that it keeps: a number for each column, seven bits a byte. */
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

/** Matches that are looked at first to tell how much there is to rank; then twice as many, and so on. */
const FIRST_LOOK = 32
/** Texts of each of several common words that are looked at first. */
const FIRST_COMMON = 250
const NEWEST = Number.MAX_SAFE_INTEGER

export function indexWords(db: Db) {
  // A row for each place where a word stands, of which the first alone is looked at: the words with their counts, as the data
  // has them, are told by reading all places of each.
  db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_vocabulary USING fts5vocab ('main', 'search_index', 'instance')")
  const next = db.prepare<{ term: string }>("SELECT term FROM temp.search_vocabulary WHERE term >= +? AND term < +? LIMIT 1")
  const count = db.prepare<{ matches: number }>(
    "SELECT count(*) AS matches FROM (SELECT 1 FROM search_index WHERE search_index MATCH +? LIMIT +?)",
  )
  const newest = db.prepare<{ items: Stored<number[]> }>(
    "SELECT json_group_array(item) AS items FROM (SELECT rowid AS item FROM search_index WHERE search_index MATCH +? ORDER BY rowid DESC LIMIT +?)",
  )
  const sizes = db.prepare<{ item: number; sz: Buffer }>(
    `SELECT d.id AS item, d.sz FROM (SELECT rowid AS item FROM search_index WHERE search_index MATCH +? AND rowid < +? ORDER BY rowid DESC LIMIT +?) f
     JOIN search_index_docsize d ON d.id = f.item ORDER BY d.id DESC`,
  )

  const has = (word: string): boolean => next.get(word, `${word}\u0000`) !== undefined

  return {
    /** Whether the index has a word. */
    has,
    /** The words that begin so, where they are at most so many. */
    beginning(word: string, most: number): string[] | undefined {
      const found: string[] = []
      for (let from = word; ; ) {
        const term = next.get(from, `${word}\u{10ffff}`)?.term
        if (term === undefined) return found
        if (found.length === most) return undefined
        found.push(term)
        from = `${term}\u0000`
      }
    },

    /** Of some folded words the one that most texts hold, of two alike the first; undefined where the index has none of them. */
    commonest(some: readonly string[], columns: string, most: number): string | undefined {
      const counts = some.filter(has).map((word) => ({ word, texts: count.get(`${columns} : "${word}"`, most)?.matches ?? 0 }))
      return counts
        .filter(({ texts }) => texts > 0)
        .reduce<(typeof counts)[number] | undefined>(
          (best, each) => (best === undefined || each.texts > best.texts ? each : best),
          undefined,
        )?.word
    },

    /** Which of some queries fewer than so many texts match; so many are looked at of all of them together. */
    areRare(queries: readonly string[], most: number): boolean[] {
      const share = Math.floor(most / queries.length)
      return queries.map((query) => (count.get(query, share)?.matches ?? 0) < share)
    },

    /**
     * The newest texts that match all of some queries, each of which very many match: looked for among the newest of each, so many
     * of all of them together; fewer where that gives as many as are wanted.
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
     * From which match on there are at most so many, with at most so many words in all.
     * @returns the number of the first match, 0 where all are so few, and whether the words were what ended it
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
