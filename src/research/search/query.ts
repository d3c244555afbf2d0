/** What a person types, as a query of the index: every text is a valid one. */
import { limits } from "../../contract/limits.ts"

/** What the index takes for a word: letters and digits of every script, with the marks that belong to them. */
export const WORDS = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu
const ASCII = /^[0-9A-Za-z]*$/
/** Written as Unicode folds it, less its marks: as the index keeps words. */
export const folded = (word: string): string =>
  ASCII.test(word) ? word.toLowerCase() : word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()

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

/** The same with every word for itself: what holds a phrase holds its words. */
export const asWords = ({ phrases, beginning }: Typed): Typed =>
  phrases.some(({ length }) => length > 1)
    ? { phrases: phrases.flatMap((parts) => parts.map((part) => [part])), beginning }
    : { phrases, beginning }

export interface Within {
  readonly roomId?: string | undefined
  readonly kinds?: readonly string[] | undefined
  /** Whose words. */
  readonly authorId?: string | undefined
  /** How an object must stand. */
  readonly status?: string | undefined
  /** Said at this time or later. */
  readonly since?: string | undefined
}

/**
 * The query for the index: all words, the last one by its beginning where that is wanted, in a Room and of some kinds.
 * @returns undefined where nothing was typed that a text could hold
 */
export function indexQuery({ phrases }: Typed, byBeginning: boolean, { roomId, kinds, authorId }: Within): string | undefined {
  if (phrases.length === 0) return undefined
  const tags = [
    ...(roomId === undefined ? [] : [`tags : ${quoted(roomId.replaceAll("-", ""))}`]),
    ...(authorId === undefined ? [] : [`tags : ${quoted(authorId.replaceAll("-", ""))}`]),
    ...(kinds === undefined ? [] : [`tags : (${kinds.map((kind) => quoted(`k${kind.replaceAll("_", "")}`)).join(" OR ")})`]),
  ]
  return [`{label title body} : (${phrases.map((parts) => quoted(parts.join(" "))).join(" ")}${byBeginning ? " *" : ""})`, ...tags].join(
    " AND ",
  )
}
