/**
 * Passages that show what was found: text that can be put into a page as it is. They are made here and not by the index, whose
 * own way takes time by the square of how often a word stands in a text.
 */
import { present } from "../../contract/present.ts"
import { limits } from "../../contract/limits.ts"
import type { Typed } from "./query.ts"
import { folded, WORDS } from "./words.ts"

/** What is set around a word that was found. */
const MARKS = { open: "\u0001", close: "\u0002" } as const
/** Words of a passage. */
const PASSAGE = 24
/** Occurrences that are weighed at either end of what was looked through; those in between are forgotten. */
const OCCURRENCES = 100

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? "")

/** HTML in which everything is escaped but `<mark>` and `</mark>`, which come in pairs whatever the text holds. */
export const snippetHtml = (passage: string): string =>
  escaped(passage)
    .replace(/\u0001([^\u0001\u0002]*)\u0002/g, "<mark>$1</mark>")
    .replace(/[\u0001\u0002]/g, "")

/** Characters of texts that the passages of one page may still be looked for in. */
export class Sight {
  left: number
  constructor(characters: number = limits.searchSight) {
    this.left = characters
  }
}

interface Word {
  readonly from: number
  readonly to: number
  readonly folded: string
}

/** Where a phrase stands, by its number in the query and by the words it takes. */
interface Occurrence {
  readonly phrase: number
  readonly first: number
  readonly last: number
}

/** The phrases that may end with a word, by that word: of many phrases, few are looked at for each word of a text. */
function byEnding({ phrases }: Typed, byBeginning: boolean): (word: string) => readonly number[] {
  const closed = Map.groupBy(byBeginning ? phrases.keys().take(phrases.length - 1) : phrases.keys(), (phrase) => phrases[phrase]?.at(-1))
  const open = byBeginning ? phrases.at(-1)?.at(-1) : undefined
  return (word) => {
    const ending = closed.get(word) ?? NONE
    return open !== undefined && word.startsWith(open) ? [...ending, phrases.length - 1] : ending
  }
}
const NONE: readonly number[] = []

/** Looks through a text until everything was seen once, or as far as may be seen. */
function lookThrough(text: string, sight: Sight, query: Typed, byBeginning: boolean) {
  const words: Word[] = []
  const found: Occurrence[] = []
  const missing = new Set(query.phrases.keys())
  const ending = byEnding(query, byBeginning)
  const seen = text.slice(0, sight.left)
  let end = Number.POSITIVE_INFINITY
  for (const { 0: word, index } of seen.matchAll(WORDS)) {
    const last = words.length
    const said = folded(word)
    words.push({ from: index, to: index + word.length, folded: said })
    for (const phrase of ending(said)) {
      const parts = present(query.phrases[phrase])
      const first = words.length - parts.length
      if (!parts.every((part, place) => place === parts.length - 1 || words[first + place]?.folded === part)) continue
      found.push({ phrase, first, last })
      missing.delete(phrase)
    }
    if (missing.size === 0) end = Math.min(end, words.length + PASSAGE)
    if (words.length >= end) break
    if (found.length > 4 * OCCURRENCES) found.splice(OCCURRENCES, found.length - 2 * OCCURRENCES)
  }
  sight.left -= Math.min(seen.length, words.at(-1)?.to ?? seen.length)
  return { words, found }
}

/** Of the occurrences that fit into one passage, those with the most different phrases; the first of such. */
function bestOf(found: readonly Occurrence[]): readonly Occurrence[] {
  let best: readonly Occurrence[] = []
  let most = 0
  for (let start = 0; start < found.length; start += 1) {
    const within: Occurrence[] = []
    for (let next = start; next < found.length && within.length < PASSAGE; next += 1) {
      const one = present(found[next])
      if (one.last - present(found[start]).first >= PASSAGE) break
      within.push(one)
    }
    const different = new Set(within.map(({ phrase }) => phrase)).size
    if (different > most) [best, most] = [within, different]
  }
  return best
}

/** Whether every phrase stands in one of the texts, as far as they are in sight. */
export function holds(texts: readonly (string | null)[], sight: Sight, query: Typed, byBeginning: boolean): boolean {
  const missing = new Set(query.phrases.keys())
  for (const text of texts)
    for (const { phrase } of text === null ? [] : lookThrough(text, sight, query, byBeginning).found) missing.delete(phrase)
  return missing.size === 0
}

/** The passage of a text around what was looked for, marked; undefined where that is not in sight. */
export function passageIn(text: string, sight: Sight, query: Typed, byBeginning: boolean): string | undefined {
  const { words, found } = lookThrough(text, sight, query, byBeginning)
  const shown = bestOf(found)
  const [first, last] = [shown[0], shown.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const room = PASSAGE - (last.last - first.first + 1)
  const begin = Math.max(0, Math.min(first.first - (room >> 1), words.length - PASSAGE))
  return cut(text, words, begin, shown)
}

/** The beginning of a text, where there is nothing to mark. */
export const beginningOf = (text: string): string => {
  const start = text.slice(0, PASSAGE * 10)
  return start.length < text.length ? `${plain(start)}…` : plain(start)
}

function cut(text: string, words: readonly Word[], begin: number, shown: readonly Occurrence[]): string {
  const end = Math.min(begin + PASSAGE, words.length)
  const from = begin === 0 ? 0 : present(words[begin]).from
  const to = end === words.length ? Math.min(text.length, (words.at(-1)?.to ?? 0) + limits.searchWord) : present(words[end]).from
  // A word may be as long as a text: of each part between two marks only so much is shown.
  let made = begin === 0 ? "" : "…"
  let at = from
  for (const { first, last } of shown) {
    const [open, close] = [present(words[first]).from, present(words[last]).to]
    if (close <= at) continue
    made += plain(text.slice(at, Math.max(at, open)))
    made += `${MARKS.open}${plain(text.slice(Math.max(at, open), close))}${MARKS.close}`
    at = close
  }
  made += plain(text.slice(at, to))
  return to < text.length ? `${made.trimEnd()}…` : made
}

/** A part of a passage, its middle left out where it is long, without what would be taken for a mark. */
function plain(part: string): string {
  const longest = limits.searchWord
  const shown = part.length <= 2 * longest ? part : `${part.slice(0, longest)}…${part.slice(-longest)}`
  return shown.replace(/[\u0001\u0002]/g, "").toWellFormed()
}
