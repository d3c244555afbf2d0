/** What a person types, as a query of the index: every text is a valid one. */
import * as v from "valibot"
import { arxivId, isUuid } from "../../contract/schema/fields.ts"
import { limits } from "../../contract/limits.ts"
import { folded, keptOf, WORDS } from "./words.ts"

const LABEL = /^[a-z][1-9][0-9]{0,8}$/iu
/** The beginning of a commit that tells it apart, or a digest. */
const HEX = /^(?=[a-f]*[0-9])[0-9a-f]{7,64}$/iu

export interface LookUp {
  /** `id`, `label`, or `name` of something written elsewhere (a commit, a paper): nothing is ranked then. */
  readonly as: "id" | "label" | "name" | "words"
  readonly text: string
}

/** What a query is, by its form: words, unless it names something as a whole. */
export function lookUpOf(query: string): LookUp {
  const text = query.trim()
  if (isUuid(text)) return { as: "id", text: text.toLowerCase() }
  if (LABEL.test(text)) return { as: "label", text: text.toLowerCase() }
  if (HEX.test(text)) return { as: "name", text }
  const paper = v.safeParse(arxivId, text.replace(/^arxiv:\s*/iu, ""))
  return paper.success ? { as: "name", text: paper.output } : { as: "words", text }
}

/** Quoted, nothing in a word has a meaning of its own. */
const quoted = (word: string): string => `"${word.replaceAll('"', '""')}"`

export interface Typed {
  /** What must occur, each once: words, and phrases where signs stand within (`warm-up`), folded. */
  readonly phrases: readonly (readonly string[])[]
  /** The end of the last one as the index keeps it, which may be the beginning of a word; empty where there is none. */
  readonly beginning: string
}

/** A phrase in pieces no longer than the index is asked for at once; all of them must occur. */
const pieces = (parts: readonly string[]): (readonly string[])[] =>
  Array.from({ length: Math.ceil(parts.length / limits.searchPhrase) }, (_, piece) =>
    parts.slice(piece * limits.searchPhrase, (piece + 1) * limits.searchPhrase),
  )

/** Takes apart what was typed; signs that stand alone are no words, and what stands there twice is looked up once. */
export function typed(query: string): Typed {
  const all = (query.match(/"[^"]*"|[^\s"]+/gu) ?? []).flatMap((word) => pieces((word.match(WORDS) ?? []).map(folded)))
  const last = all.at(-1)
  if (last === undefined) return { phrases: [], beginning: "" }
  const distinct = new Map(all.slice(0, -1).map((parts) => [parts.join(" "), parts]))
  return { phrases: [...distinct.values(), last], beginning: last.at(-1) ?? "" }
}

export interface Within {
  readonly roomId?: string | undefined
  readonly kinds?: readonly string[] | undefined
  /** Whose words. */
  readonly authorId?: string | undefined
  /** With which agent they were said. */
  readonly agent?: string | undefined
  /** How an object must stand. */
  readonly status?: string | undefined
  /** Said at this time or later. */
  readonly since?: string | undefined
}

/** What keeps a search to a Room, a person or some kinds. */
const tagsOf = ({ roomId, kinds, authorId }: Within): string[] => [
  ...(roomId === undefined ? [] : [`tags : ${quoted(roomId.replaceAll("-", ""))}`]),
  ...(authorId === undefined ? [] : [`tags : ${quoted(authorId.replaceAll("-", ""))}`]),
  ...(kinds === undefined ? [] : [`tags : (${kinds.map((kind) => quoted(`k${kind.replaceAll("_", "")}`)).join(" OR ")})`]),
]

export const IN_TEXT = "{label title body}"

/** A query of the index in its parts, all of which must hold. */
export interface Asked {
  /** Each phrase as it is; the last one with each word that it may end with. */
  readonly phrases: readonly string[]
  /** Each word of them for itself: what holds a phrase holds its words. */
  readonly words: readonly string[]
  /** Of each phrase, the places of its words in that list. */
  readonly wordsOf: readonly (readonly number[])[]
  readonly tags: readonly string[]
}

/** @param endings the words that the last one may be the beginning of; undefined where it stands for itself */
export function askedFor({ phrases }: Typed, endings: readonly string[] | undefined, within: Within): Asked {
  const words: string[] = []
  const wordsOf: number[][] = []
  const asked = phrases.map((said, phrase) => {
    const parts = said.map(keptOf)
    const open = phrase === phrases.length - 1 ? endings : undefined
    const either = (made: (ending: string) => string) => `${IN_TEXT} : (${(open ?? [parts.at(-1) ?? ""]).map(made).join(" OR ")})`
    wordsOf.push(parts.map((part, place) => words.push(place === parts.length - 1 ? either(quoted) : `${IN_TEXT} : ${quoted(part)}`) - 1))
    return either((ending) => quoted([...parts.slice(0, -1), ending].join(" ")))
  })
  return { phrases: asked, words, wordsOf, tags: tagsOf(within) }
}

/** One query of several that must all hold. */
export const allOf = (...queries: readonly string[]): string => queries.join(" AND ")

/** The queries for a label, one after the other: what bears it, and what names it. */
export const labelQueries = (label: string, within: Within): readonly [borne: string, named: string] => {
  const [borne, tags] = [`label : ${quoted(label)}`, tagsOf(within)]
  return [[borne, ...tags].join(" AND "), `(${[`{title body} : ${quoted(label)}`, ...tags].join(" AND ")}) NOT (${borne})`]
}
