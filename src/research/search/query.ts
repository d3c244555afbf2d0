/** Parses what a person types into a query of the index. Every text is valid. */
import * as v from "valibot"
import { arxivId, isUuid } from "../../contract/schema/fields.ts"
import { limits } from "../../contract/limits.ts"
import { isSign, keptOf, phrasesIn, termsOf } from "../../contract/words.ts"

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
