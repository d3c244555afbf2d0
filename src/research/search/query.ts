/** What a person types, as a query of the index: every text is a valid one. */

/** What the index takes for a word: letters and digits of every script, with the marks that belong to them. */
const WORD = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/u
/** Written as Unicode folds it, less its marks: as the index keeps words. */
const folded = (word: string): string => word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()

/** Quoted, nothing in a word has a meaning of its own; signs within it (`warm-up`) make it a phrase. */
const quoted = (word: string): string => `"${word.replaceAll('"', '""')}"`

export interface Typed {
  /** The words, quoted. */
  readonly words: readonly string[]
  /** The end of the last one as the index keeps it, which may be the beginning of a word; empty where there is none. */
  readonly beginning: string
}

/** Takes apart what was typed; signs that stand alone are no words. */
export function typed(query: string): Typed {
  const words = query.split(/\s+/u).filter((word) => WORD.test(word))
  const parts = words.at(-1)?.match(new RegExp(WORD, "gu")) ?? []
  return { words: words.map(quoted), beginning: folded(parts.at(-1) ?? "") }
}

export interface Within {
  readonly roomId?: string | undefined
  readonly kinds?: readonly string[] | undefined
}

/**
 * The query for the index: all words, the last one by its beginning where that is wanted, in a Room and of some kinds.
 * @returns undefined where nothing was typed that a text could hold
 */
export function indexQuery({ words }: Typed, byBeginning: boolean, { roomId, kinds }: Within): string | undefined {
  if (words.length === 0) return undefined
  const tags = [
    ...(roomId === undefined ? [] : [`tags : ${quoted(roomId.replaceAll("-", ""))}`]),
    ...(kinds === undefined ? [] : [`tags : (${kinds.map(quoted).join(" OR ")})`]),
  ]
  return [`{label title body} : (${words.join(" ")}${byBeginning ? " *" : ""})`, ...tags].join(" AND ")
}
