/** What a person types to find their saved papers, as the index of words is asked for it. */
import type { Actor } from "../ledger/journal/actor.ts"

/** Words of a query that are looked for; of a longer one the first. */
const MOST = 12
/** Signs from which on the last word, which may still be typed, is looked for by its beginning. */
const BEGINNING = 3

/** What of a person's Library a reader may search: a key neither what it may not read nor notes out of its reach. */
function columnsFor({ key }: Pick<Actor, "key">): string {
  const notes = key === undefined || key.reach === "all"
  const annotations = key === undefined || key.permissions.has("read_annotations")
  return ["paper", ...(notes ? ["notes"] : []), ...(annotations ? ["annotations"] : [])].join(" ")
}

/** Some words, or with `*` beginnings of words, as the index is asked for them: in texts of that person alone. */
const asked = (words: string, actor: Pick<Actor, "userId" | "key">): string =>
  `owner : "${actor.userId.replaceAll("-", "")}" AND {${columnsFor(actor)}} : (${words})`

/** What counts as a word. */
export const WORDS = /[\p{L}\p{N}\p{M}]+/gu

/** What one word is looked for by; the last one, which may still be typed, by its beginning. */
const wordAsked = (word: string, isLast: boolean): string => `"${word}"${isLast && [...word].length >= BEGINNING ? " *" : ""}`

/** One word, as the index is asked for it. */
export const matchWord = (word: string, isLast: boolean, actor: Pick<Actor, "userId" | "key">): string =>
  asked(wordAsked(word, isLast), actor)

/** A query as the index takes it: every word of it, in texts of that person alone; undefined where it holds no word. */
export function matchQuery(query: string, actor: Pick<Actor, "userId" | "key">): string | undefined {
  const words = (query.match(WORDS) ?? []).slice(0, MOST)
  if (words.length === 0) return undefined
  return asked(words.map((word, index) => wordAsked(word, index === words.length - 1)).join(" AND "), actor)
}
