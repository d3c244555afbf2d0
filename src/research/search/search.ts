/**
 * Full-text search over everything that was written. Triggers in schema.sql note the items to find. Texts are indexed
 * soon after they are accepted. A search before that also reads the texts that are not indexed yet, and shows their
 * hits first.
 */
import { limits } from "../../contract/limits.ts"
import { recordKinds } from "../../contract/objects/objects.ts"
import { respelled } from "../../ledger/lists/substrings.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { parse, type Stored } from "../../contract/json.ts"
import {
  bodyOf,
  type Hit,
  hit,
  ITEM,
  openingOf,
  type PersonFound,
  passageOf,
  personHit,
  type Row,
  SHOWN,
  holds,
  ReadBudget,
} from "./snippet.ts"
import { INDEXED, indexing } from "./indexing.ts"
import {
  indexWords,
  allOf,
  indexQuery,
  IN_TEXT,
  labelQueries,
  type LookUp,
  lookUpOf,
  type ParsedQuery,
  parseQuery,
  type Within,
} from "./query.ts"
import { folded } from "../../contract/folding.ts"
import { isLongWord, isSign, keptOf, type Word, wordsIn } from "../../contract/words.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { Refusal } from "../../contract/refusals.ts"
import { offsetPage, pageSize } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { People } from "../../people/people.ts"
import type { EffectsOf } from "../../ledger/journal/timeline.ts"

/** Filters the items of a query by status, time and agent, newest first. */
const itemsOf = (found: string) => `
  SELECT ${SHOWN}
  FROM (${found}) found
  JOIN ${ITEM}
  WHERE (+? IS NULL OR coalesce(CASE WHEN i.kind IN (${recordKinds.map((kind) => `'${kind}'`).join(", ")})
      THEN coalesce(s.status, 'current') END, h.standing) = +?) AND h.at >= +? AND (+? IS NULL OR agent = +?)
  ORDER BY i.item DESC LIMIT +? OFFSET +?`
const NEWEST = `
  SELECT ${SHOWN}
  FROM (SELECT rowid AS item FROM search_index WHERE search_index MATCH +? ORDER BY rowid DESC LIMIT +? OFFSET +?) found
  JOIN ${ITEM}
  ORDER BY i.item DESC`
/**
 * The matches of the whole query, ranked by the words to weigh; fallen records come last. The weight of a word depends
 * on the count of all texts that have it, which takes too long for a common word, a Room or a kind. A text counts for
 * more the shorter it is, so the many attempts of a plan would stand above what was found with them: theirs count half.
 */
const RANKED = `
  SELECT ${SHOWN}
  FROM (SELECT q.rowid AS item, q.rank * iif(o.kind = 'attempt', 0.5, 1) AS place,
          d.status IS NOT NULL AS fallen
        FROM search_index q
    JOIN search_items o ON o.item = q.rowid
    LEFT JOIN fallen_records d ON d.version_id = o.id AND d.status <> 'disputed'
        WHERE q.search_index MATCH +? AND q.rowid >= +?
      AND +q.rowid IN (SELECT rowid FROM search_index WHERE search_index MATCH +?)
        ORDER BY fallen, place, item LIMIT +? OFFSET +?) found
  JOIN ${ITEM}
  ORDER BY found.fallen, found.place, i.item`
/** The object with an id, and what was written about it later. */
const BY_ID = `SELECT ${SHOWN}
  FROM (SELECT item FROM search_items WHERE id = +? ORDER BY item LIMIT +?) found
  JOIN ${ITEM}
  ORDER BY i.item`
/** Texts counted to choose between similar words. */
const SPELLING_TEXTS = 200
/** Texts read at a time to look for a phrase. */
const CHUNK = 64
/** People, or the members of a Room, which is given twice. */
const PERSON = `SELECT p.user_id AS userId, p.username, p.created_at AS at FROM people p
  WHERE (+? IS NULL OR EXISTS (SELECT 1 FROM members m WHERE m.room_id = +? AND m.user_id = p.user_id))`

type Search = ReturnType<typeof search>

export interface Bounds {
  readonly searchRanked: number
  readonly searchWeighed: number
  readonly searchRankedWords?: number
}

/** @param bounds the number of matches to rank, and the number of texts that a word may occur in to be weighed */
export function search(
  db: Db,
  { searchRanked, searchWeighed, searchRankedWords = limits.searchRankedWords }: Bounds = limits,
) {
  const words = indexWords(db)
  const best = db.prepare<Row>(RANKED)
  const byId = db.prepare<Row>(BY_ID)
  const narrowed = db.prepare<Row>(
    itemsOf(
      `SELECT rowid AS item
        FROM search_index
        WHERE search_index MATCH +?
        ORDER BY rowid DESC
        LIMIT ${limits.searchNarrowed}`,
    ),
  )
  const listed = db.prepare<Row>(itemsOf(`SELECT value AS item FROM json_each(+?) LIMIT ${limits.searchNarrowed}`))
  const newest = db.prepare<Row>(NEWEST)
  const person = db.prepare<PersonFound>(`${PERSON} AND p.user_id = +?`)
  const people = db.prepare<PersonFound>(
    `${PERSON} AND p.username >= +? AND p.username < +? ORDER BY p.username LIMIT ${limits.searchPeople}`,
  )
  const lacked = db.prepare<{ items: Stored<number[]> }>(
    `SELECT json_group_array(item) AS items FROM (SELECT item
      FROM search_items
      WHERE item > ${INDEXED}
      ORDER BY item DESC
      LIMIT ${limits.searchCommon})`,
  )
  const counted = db.prepare<{ matches: number }>(
    "SELECT count(*) AS matches FROM (SELECT 1 FROM search_index WHERE search_index MATCH +? LIMIT +?)",
  )

  const isNarrowed = ({ status, since, agent }: Within) =>
    status !== undefined || since !== undefined || agent !== undefined
  /** The parameters of `itemsOf`. */
  const filters = ({ status, since, agent }: Within) =>
    [status ?? null, status ?? null, since ?? "", agent ?? null, agent ?? null] as const
  const latest = (query: string, within: Within, count: number, offset: number): Row[] =>
    isNarrowed(within) ? narrowed.all(query, ...filters(within), count, offset) : newest.all(query, count, offset)
  const among = (items: readonly number[], within: Within, count: number, offset: number): Row[] =>
    listed.all(JSON.stringify(items), ...filters(within), count, offset)

  /** The objects with a label, then the texts that name it. */
  function labelled(label: string, within: Within, offset: number, count: number): Row[] {
    const [own, named] = labelQueries(label, within)
    const first = latest(own, within, count, offset)
    if (first.length === count) return first
    const passed = first.length > 0 || offset === 0 ? offset + first.length : (counted.get(own, offset)?.matches ?? 0)
    return [...first, ...latest(named, within, count - first.length, Math.max(0, offset - passed))]
  }

  function* inChunks(items: readonly number[], within: Within): Generator<readonly Row[]> {
    for (let at = 0; at < items.length; at += CHUNK) yield among(items.slice(at, at + CHUNK), within, CHUNK, 0)
  }
  /** Yields the matches of some words in chunks, best first. */
  function* bestFirst(weighed: string, from: number, whole: string): Generator<readonly Row[]> {
    for (let at = 0, rows: Row[] = []; at === 0 || rows.length === CHUNK; at += CHUNK)
      yield (rows = best.all(weighed, from, whole, CHUNK, at))
  }

  /** Reads texts in order, within a budget, and returns those that contain every phrase. */
  function verified(
    texts: Generator<readonly Row[]>,
    read: ParsedQuery,
    isOpen: boolean,
    count: number,
    offset: number,
  ): Row[] {
    const budget = new ReadBudget(limits.searchRead)
    const found: Row[] = []
    for (const rows of texts) {
      for (const row of rows) if (holds([row.ownTitle, bodyOf(row)], budget, read, isOpen)) found.push(row)
      if (budget.left <= 0 || found.length >= offset + count) break
    }
    return found.slice(offset, offset + count)
  }

  /**
   * Returns the first item to rank when a query has several words. If one of the words occurs in few enough texts, all
   * its texts can be ranked, and there is no need to look up which of them have the other words.
   */
  function newestOf(each: readonly string[], rare: readonly boolean[]) {
    const bounds = [searchRanked, searchRankedWords] as const
    const all = { from: 0, isLong: false }
    const isFew =
      each.length > 1 && each.some((query, word) => rare[word] === true && words.newest(query, ...bounds).from === 0)
    return isFew ? all : words.newest(allOf(...each), ...bounds)
  }

  /** Returns the matches, best first, or newest first if the words are in almost every text. */
  function matching(
    read: ParsedQuery,
    endings: readonly string[] | undefined,
    isRanked: boolean,
    within: Within,
    offset: number,
    count: number,
  ) {
    if (read.phrases.length === 0 || endings?.length === 0) return []
    const query = indexQuery(read, endings, within)
    const hasPhrase = query.wordsOf.some(({ length }) => length > 1)
    // The index does not distinguish long words with the same beginning.
    const isInexact = read.phrases.some((parts) => parts.some(isLongWord))
    const inItems = (items: readonly number[]) =>
      verified(inChunks(items, within), read, endings !== undefined, count, offset)
    const whole = allOf(...query.phrases, ...query.tags)
    const each = [...query.words, ...query.tags]
    const rare = words.areRare(each, searchWeighed)
    // If each word is very common but few texts have all of them, the index would search through all texts.
    if (!rare.includes(true)) {
      if (each.length === 1 && !isInexact) return latest(whole, within, count, offset)
      const isRead = hasPhrase || isInexact
      const items = words.common(
        each,
        isRead || isNarrowed(within) ? limits.searchCommon : offset + count,
        limits.searchCommon,
      )
      return isRead ? inItems(items) : among(items, within, count, offset)
    }
    const { from, isLong } = newestOf(each, rare)
    // For a phrase, the index would read all positions of its words, so the texts are read instead.
    if (isLong && hasPhrase)
      return inItems(
        words.common([allOf(...each)], limits.searchCommon, limits.searchCommon).filter((item) => item >= from),
      )
    const weighed = query.phrases.filter((_, phrase) => query.wordsOf[phrase]?.some((word) => rare[word]))
    const isWeighed = isRanked && !isLong && !isNarrowed(within) && weighed.length > 0
    if (!isInexact)
      return isWeighed ? best.all(allOf(...weighed), from, whole, count, offset) : latest(whole, within, count, offset)
    if (!isWeighed) return inItems(words.common([whole], limits.searchCommon, limits.searchCommon))
    return verified(bestFirst(allOf(...weighed), from, whole), read, endings !== undefined, count, offset)
  }

  /** The matches among texts that are not indexed yet, newest first. */
  function notIndexed({ as, text }: LookUp, within: Within): Row[] {
    const items = parse(lacked.one().items)
    if (items.length === 0) return []
    const [read, budget] = [parseQuery(text), new ReadBudget(limits.searchRead)]
    const isMatch = (row: Row) =>
      isIn(row, within) &&
      ((as === "label" && row.label?.toLowerCase() === text) ||
        (read.phrases.length > 0 &&
          holds([row.label, row.ownTitle, bodyOf(row)], budget, read, as === "words" || as === "name")))
    return [...inChunks(items, within)].flat().filter(isMatch)
  }

  /** People with this id or name, unless the search has filters that do not apply to people. */
  function peopleCalled(query: string, { kinds, roomId, authorId, agent, status, since }: Within): PersonFound[] {
    if (kinds?.includes("person") === false || [authorId, agent, status, since].some((filter) => filter !== undefined))
      return []
    const within = [roomId ?? null, roomId ?? null] as const
    const named = person.get(...within, query)
    return named === undefined ? people.all(...within, query, `${query}\u{10ffff}`) : [named]
  }

  /** Whether the index has a word, or, for the last word, one that starts with it. */
  const isKnown = ({ folded: word }: Word, isLast: boolean): boolean => {
    const kept = keptOf(word)
    if (isSign(word)) return true
    return isLast ? words.startingWith(kept, 1)?.length !== 0 : words.has(kept)
  }

  return {
    ...indexing(db),

    /**
     * Corrects words that no text has by one letter each. Returns undefined if the query names something, or cannot be
     * corrected.
     */
    respelled(query: string): string | undefined {
      if (lookUpOf(query).as !== "words") return undefined
      return respelled(query, [...wordsIn(query)], isKnown, (near) => words.commonest(near, IN_TEXT, SPELLING_TEXTS))
    },

    /**
     * Returns up to `count` hits after `offset`, best first: the objects that the whole query names, then the matches
     * of its words.
     */
    find(query: string, within: Within, offset: number, count: number): Hit[] {
      const lookUp = lookUpOf(query)
      const { as, text } = lookUp
      const called = folded(text)
      const found = as === "id" ? byId.all(text, limits.pageItems).filter((row) => isWithin(row, within)) : []
      const named = [
        ...peopleCalled(called, within).map((person) => personHit(person, called)),
        ...found.map((row) => hit(row, openingOf(row))),
      ]
      if (as === "id" && named.length > 0) return named.slice(offset, offset + count)
      const read = parseQuery(text)
      named.push(
        ...notIndexed(lookUp, within).map((row) => hit(row, passageOf(row, new ReadBudget(), read, as !== "label"))),
      )
      const first = named.slice(offset, offset + count)
      const [after, left] = [Math.max(0, offset - named.length), count - first.length]
      const endings =
        as === "label" || read.phrases.length === 0 || isSign(read.lastWord)
          ? undefined
          : words.startingWith(keptOf(read.lastWord), limits.searchBeginnings)
      const rows =
        as === "label"
          ? labelled(text, within, after, left)
          : matching(read, endings, as === "words", within, after, left)
      const budget = new ReadBudget()
      return [...first, ...rows.map((row) => hit(row, passageOf(row, budget, read, endings !== undefined)))]
    },
  }
}

const isIn = ({ kind, roomId, userId }: Row, within: Within): boolean =>
  within.kinds?.includes(kind) !== false &&
  (within.roomId ?? roomId) === roomId &&
  (within.authorId ?? userId) === userId
const isWithin = (row: Row, within: Within): boolean => isIn(row, within) && standsSo(row, within)
const standsSo = ({ agent, status, standing, at }: Row, within: Within): boolean =>
  (within.agent ?? agent) === agent &&
  (within.status ?? "") === (within.status === undefined ? "" : (status ?? standing ?? "")) &&
  at >= (within.since ?? "")

// The read of full-text search.

interface Tables {
  readonly people: People
  readonly search: Search
  readonly effects: { readonly sentencesOf: EffectsOf }
}

export function searchReads({ people, search, effects }: Tables) {
  /** Adds the effects of findings. */
  function withEffects(hits: readonly Hit[]): Hit[] {
    const sentences = effects.sentencesOf(hits.flatMap(({ kind, id }) => (kind === "finding" ? [id] : [])))
    return hits.map((hit) => {
      const own = sentences.get(hit.id)
      return own === undefined ? hit : { ...hit, effects: [...own] }
    })
  }

  return {
    search({ query }) {
      const { query: words, roomId, kinds, author, agent, status, since, after = 0 } = query
      const authorId = author === undefined ? undefined : people.idOf(author)
      if (author !== undefined && authorId === undefined)
        throw new Refusal("invalid_parameter", "There is no person with that id or name.", {
          issues: [{ path: "/author", message: "must be the id or the name of a person" }],
        })
      const within = { roomId, kinds, authorId, agent, status, since }
      const found = search.find(words, within, after, pageSize(query) + 1)
      const near = found.length > 0 || after > 0 ? undefined : search.respelled(words)
      const didYouMean = near !== undefined && search.find(near, within, 0, 1).length > 0 ? near : null
      const page = offsetPage(found, after, query)
      return { ...page, items: withEffects(page.items), didYouMean }
    },
  } satisfies Partial<Readers>
}

export const domain = {
  tables: [({ db }: Ground) => ({ search: search(db) })],
  reads: [searchReads],
} satisfies Domain
