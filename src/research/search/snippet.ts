/**
 * Passages that show the matches in a text, as HTML for a page. They are not made by the index, whose method takes
 * quadratic time in the number of occurrences of a word.
 */
import { present } from "../../contract/typed.ts"
import { firstParagraph, escapeHtml } from "../../contract/text.ts"
import { limits } from "../../contract/limits.ts"
import type { ParsedQuery } from "./query.ts"
import { type Word, wordsIn } from "../../contract/words.ts"
import type { RecordStatus, SearchKind } from "../../contract/schema/enumerations.ts"
import type { Author, Person } from "../../contract/answers/parts.ts"
import { kindsOf } from "../../contract/objects/objects.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import { type Wording, wordsOf } from "./indexing.ts"
import { AGENT_AT, authorIn } from "../../ledger/journal/actor.ts"

const MARKS = { open: "\u0001", close: "\u0002" } as const
/** The number of words in a passage. */
const PASSAGE = 24
/** Occurrences kept from the beginning and from the end of the text read so far; those in between are dropped. */
const OCCURRENCES = 100

/** Renders a passage as HTML. Everything is escaped except `<mark>` and `</mark>`, which always come in pairs. */
export const snippetHtml = (passage: string): string =>
  escapeHtml(passage)
    .replace(/\u0001([^\u0001\u0002]*)\u0002/g, "<mark>$1</mark>")
    .replace(/[\u0001\u0002]/g, "")

/** The number of characters that may still be read to find phrases in texts. */
export class ReadBudget {
  left: number
  constructor(characters: number = limits.searchSight) {
    this.left = characters
  }
}

/** An occurrence of a phrase: its index in the query, and its first and last word in the text. */
interface Occurrence {
  readonly phrase: number
  readonly first: number
  readonly last: number
}

/** Returns the phrases that may end with a word, so that few of many phrases are compared at each word of a text. */
function byEnding({ phrases }: ParsedQuery, isPrefix: boolean): (word: string) => readonly number[] {
  const closed = Map.groupBy(isPrefix ? phrases.keys().take(phrases.length - 1) : phrases.keys(), (phrase) =>
    phrases[phrase]?.at(-1),
  )
  const open = isPrefix ? phrases.at(-1)?.at(-1) : undefined
  return (word) => {
    const ending = closed.get(word) ?? NONE
    return open !== undefined && word.startsWith(open) ? [...ending, phrases.length - 1] : ending
  }
}
const NONE: readonly number[] = []

/** Reads a text until every phrase has occurred, or the budget is used up. */
function lookThrough(text: string, budget: ReadBudget, query: ParsedQuery, isPrefix: boolean) {
  const words: Word[] = []
  const found: Occurrence[] = []
  const missing = new Set(query.phrases.keys())
  const ending = byEnding(query, isPrefix)
  const seen = text.slice(0, budget.left)
  let end = Number.POSITIVE_INFINITY
  for (const word of wordsIn(seen)) {
    const last = words.length
    words.push(word)
    for (const phrase of ending(word.folded)) {
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
  budget.left -= Math.min(seen.length, words.at(-1)?.to ?? seen.length)
  return { words, found }
}

/** Returns the occurrences within one passage that have the most different phrases, the first in a tie. */
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

/** Whether every phrase occurs in one of the texts, within the budget. */
export function holds(
  texts: readonly (string | null)[],
  budget: ReadBudget,
  query: ParsedQuery,
  isPrefix: boolean,
): boolean {
  const missing = new Set(query.phrases.keys())
  for (const text of texts)
    for (const { phrase } of text === null ? [] : lookThrough(text, budget, query, isPrefix).found)
      missing.delete(phrase)
  return missing.size === 0
}

/** Returns the passage of a text around the marked matches; undefined if none is found within the budget. */
function passageIn(text: string, budget: ReadBudget, query: ParsedQuery, isPrefix: boolean): string | undefined {
  const { words, found } = lookThrough(text, budget, query, isPrefix)
  const shown = bestOf(found)
  const [first, last] = [shown[0], shown.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const room = PASSAGE - (last.last - first.first + 1)
  const begin = Math.max(0, Math.min(first.first - (room >> 1), words.length - PASSAGE))
  return cut(text, words, begin, shown)
}

/** Returns the beginning of a text without marks. */
const beginningOf = (text: string): string => {
  const start = text.slice(0, PASSAGE * 10)
  return start.length < text.length ? `${plain(start)}…` : plain(start)
}

function cut(text: string, words: readonly Word[], begin: number, shown: readonly Occurrence[]): string {
  const end = Math.min(begin + PASSAGE, words.length)
  const from = begin === 0 ? 0 : present(words[begin]).from
  const to =
    end === words.length ? Math.min(text.length, (words.at(-1)?.to ?? 0) + limits.searchWord) : present(words[end]).from
  // A word may be as long as a text, so each part between two marks is shortened.
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

/** Returns a part of a passage without mark characters, and without its middle if it is long. */
function plain(part: string): string {
  const longest = limits.searchWord
  const shown = part.length <= 2 * longest ? part : `${part.slice(0, longest)}…${part.slice(-longest)}`
  return shown.replace(/[\u0001\u0002]/g, "").toWellFormed()
}

// The hits of a search: their rows, and how they are shown.

export type Hit = AnswerOf<"search">["items"][number]

export interface Row
  extends Author,
    Pick<Hit, "id" | "label" | "title" | "threadId" | "entryId" | "at" | "status" | "standing"> {
  readonly item: number
  readonly kind: SearchKind
  readonly roomId: string
  readonly replacedBy: string | null
  readonly replacedByLabel: string | null
  readonly replacedByRoom: string | null
  readonly ownTitle: string | null
  readonly content: Wording["content"]
}

const isRecord = (kind: SearchKind): boolean => kindsOf("record").includes(kind)
const statusOf = (row: Row): RecordStatus | null => (isRecord(row.kind) ? (row.status ?? "current") : null)

export function hit(row: Row, snippet: string): Hit {
  const { kind, id, label, title, roomId, threadId, entryId, at, replacedBy: versionId } = row
  // A checkpoint is called by its answer or, without one, by the first whole paragraph of what it concludes.
  const called = kind === "checkpoint" ? firstParagraph(title) : title
  const place = { kind, id, label, title: called, roomId, threadId, entryId }
  const status = statusOf(row)
  const mark = fromOtherRoom(row.replacedByRoom ?? roomId, roomId)
  const replacedBy = versionId === null ? null : { versionId, label: row.replacedByLabel ?? "", ...mark }
  return {
    ...place,
    author: authorIn(row),
    at,
    status,
    snippet: snippetHtml(snippet),
    standing: status ?? row.standing,
    replacedBy,
  }
}

/** The columns of an item, and the tables that they come from. */
export const SHOWN = `i.item, i.kind, i.id, h.label, h.line AS title, h.room_id AS roomId, h.thread_id AS threadId,
    CASE WHEN i.kind <> 'thread' THEN h.entry_id END AS entryId, h.user_id AS userId, p.username,
    ${AGENT_AT("h.position")} AS agent, h.at, s.status, h.standing,
    y.version_id AS replacedBy, y.label AS replacedByLabel, y.room_id AS replacedByRoom, w.title AS ownTitle, w.content`
export const ITEM = `search_items i USING (item)
  JOIN search_places h USING (item)
  JOIN search_texts w USING (item)
  JOIN people p ON p.user_id = h.user_id
  LEFT JOIN standings s ON s.version_id = i.id
  LEFT JOIN records y ON s.status <> 'current' AND y.version_id = (SELECT k.replacement_version_id FROM research_links k
    WHERE k.target_version_id = i.id AND k.replacement_version_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM link_withdrawals d WHERE d.link_id = k.link_id) ORDER BY k.link_id DESC LIMIT 1)`

/** The words of a row without its title. */
export const bodyOf = ({ kind, title, content }: Row): string | null => wordsOf({ kind, line: title, content })

/** The beginning of a row's text. */
export const openingOf = (row: Row): string => beginningOf(row.ownTitle ?? bodyOf(row) ?? "")

/** The best passage of a row: from its title, from its body, or its beginning. */
export function passageOf(row: Row, budget: ReadBudget, query: ParsedQuery, isPrefix: boolean): string {
  const passage = (text: string | null) => (text === null ? undefined : passageIn(text, budget, query, isPrefix))
  return passage(row.ownTitle) ?? passage(bodyOf(row)) ?? openingOf(row)
}

/** A person found by name. */
export type PersonFound = Person & { readonly at: string }

export const personHit = ({ userId, username, at }: PersonFound, query: string): Hit => {
  const snippet = username.startsWith(query) ? `<mark>${query}</mark>${username.slice(query.length)}` : username
  const place = {
    kind: "person",
    id: userId,
    label: null,
    title: username,
    roomId: null,
    threadId: null,
    entryId: null,
  } as const
  return {
    ...place,
    author: { userId, username, agent: null },
    at,
    status: null,
    snippet,
    standing: null,
    replacedBy: null,
  }
}
