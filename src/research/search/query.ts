/** Parses what a person types into a query of the index, and looks its words up. Every text is valid. */
import * as v from "valibot"
import { arxivId, isUuid } from "../../contract/schema/fields.ts"
import { limits } from "../../contract/limits.ts"
import { isSign, keptOf, phrasesIn, termsOf } from "../../contract/words.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { present } from "../../contract/typed.ts"
import type { Db } from "../../ledger/storage/database.ts"

const LABEL = /^[a-z][1-9][0-9]{0,8}$/iu
/** An abbreviated commit or a digest. */
const HEX = /^(?=[a-f]*[0-9])[0-9a-f]{7,64}$/iu

export interface LookUp {
  /** `id`, `label`, or `name` of something outside the service (a commit, a paper), whose hits are not ranked. */
  readonly as: "id" | "label" | "name" | "words"
  readonly text: string
}

/** Classifies a query by its form: words, unless the whole query names something. */
export function lookUpOf(query: string): LookUp {
  const text = query.trim()
  if (isUuid(text)) return { as: "id", text: text.toLowerCase() }
  if (LABEL.test(text)) return { as: "label", text: text.toLowerCase() }
  if (HEX.test(text)) return { as: "name", text }
  const paper = v.safeParse(arxivId, text.replace(/^arxiv:\s*/iu, ""))
  return paper.success ? { as: "name", text: paper.output } : { as: "words", text }
}

/** Quotes a word, so that nothing in it is an operator. */
const quoted = (word: string): string => `"${word.replaceAll('"', '""')}"`

export interface ParsedQuery {
  /**
   * The folded words, and phrases such as `warm-up`, that must occur, without duplicates. A word of a script without
   * spaces is a phrase of its signs.
   */
  readonly phrases: readonly (readonly string[])[]
  /** The last word, which may be the prefix of a longer one; empty without words. */
  readonly lastWord: string
}

/**
 * Splits a phrase into pieces within the limit of the index. All of them must occur. Pieces of signs share one sign.
 */
function pieces(parts: readonly string[]): (readonly string[])[] {
  const shared = parts.length > 1 && isSign(parts[0]) ? 1 : 0
  return Array.from({ length: Math.ceil((parts.length - shared) / limits.searchPhrase) }, (_, piece) =>
    parts.slice(piece * limits.searchPhrase, (piece + 1) * limits.searchPhrase + shared),
  )
}

/** Parses a query. Punctuation alone is ignored, and duplicates are looked up once. */
export function parseQuery(query: string): ParsedQuery {
  const all = (query.match(/"[^"]*"|[^\s"]+/gu) ?? [])
    .flatMap((part) => phrasesIn(part, part.startsWith('"')))
    .flatMap(pieces)
  const last = all.at(-1)
  if (last === undefined) return { phrases: [], lastWord: "" }
  const distinct = new Map(all.slice(0, -1).map((parts) => [parts.join(" "), parts]))
  return { phrases: [...distinct.values(), last], lastWord: last.at(-1) ?? "" }
}

export interface Within {
  readonly roomId?: string | undefined
  readonly kinds?: readonly string[] | undefined
  readonly authorId?: string | undefined
  readonly agent?: string | undefined
  readonly status?: string | undefined
  /** The earliest time of the text. */
  readonly since?: string | undefined
}

/** The conditions of the index that limit a search to a Room, a person or some kinds. */
export const tagsOf = ({ roomId, kinds, authorId }: Within): string[] => [
  ...(roomId === undefined ? [] : [`tags : ${quoted(roomId.replaceAll("-", ""))}`]),
  ...(authorId === undefined ? [] : [`tags : ${quoted(authorId.replaceAll("-", ""))}`]),
  ...(kinds === undefined
    ? []
    : [`tags : (${kinds.map((kind) => quoted(`k${kind.replaceAll("_", "")}`)).join(" OR ")})`]),
]

export const IN_TEXT = "{label title body}"
export const IN_TITLE_OR_BODY = "{title body}"

/** The parts of an index query, all of which must match. */
export interface IndexQuery {
  /** Each phrase, the last one with each of its possible endings. */
  readonly phrases: readonly string[]
  /** Each word of the phrases on its own. A text with a phrase also has its words. */
  readonly words: readonly string[]
  /** For each phrase, the indices of its words in `words`. */
  readonly wordsOf: readonly (readonly number[])[]
  readonly tags: readonly string[]
}

/** @param endings the words that start with the last word; undefined if it must match as a whole */
export function indexQuery(
  { phrases }: ParsedQuery,
  endings: readonly string[] | undefined,
  within: Within,
): IndexQuery {
  const words: string[] = []
  const wordsOf: number[][] = []
  const queries = phrases.map((folded, phrase) => {
    const parts = termsOf(folded).map(keptOf)
    const open = phrase === phrases.length - 1 ? endings : undefined
    const either = (queryOf: (ending: string) => string) =>
      `${IN_TEXT} : (${(open ?? [parts.at(-1) ?? ""]).map(queryOf).join(" OR ")})`
    wordsOf.push(
      parts.map(
        (part, index) => words.push(index === parts.length - 1 ? either(quoted) : `${IN_TEXT} : ${quoted(part)}`) - 1,
      ),
    )
    return either((ending) => quoted([...parts.slice(0, -1), ending].join(" ")))
  })
  return { phrases: queries, words, wordsOf, tags: tagsOf(within) }
}

/** Joins queries that must all match. */
export const allOf = (...queries: readonly string[]): string => queries.join(" AND ")

/** The two queries for a label: the objects that have it, then the texts that name it. */
export const labelQueries = (label: string, within: Within): readonly [labelled: string, named: string] => {
  const [labelled, tags] = [`label : ${quoted(label)}`, tagsOf(within)]
  return [
    [labelled, ...tags].join(" AND "),
    `(${[`${IN_TITLE_OR_BODY} : ${quoted(label)}`, ...tags].join(" AND ")}) NOT (${labelled})`,
  ]
}

// Looks up words in the index in bounded time, however often they occur.

/** The number of words of a text, from its sizes in the index: a number for each column, in bytes of seven bits. */
function wordsOfQuery(sizes: Buffer): number {
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
          read += wordsOfQuery(sz)
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
