/**
 * Full-text search over everything that was said. What is to be found is noted by triggers; see schema.sql. Texts are indexed soon after
 * they were accepted. A search that comes before that reads those that the index lacks, and shows what it finds there first.
 */
import { limits } from "../../contract/limits.ts"
import { recordKinds } from "../../contract/objects/objects.ts"
import { respelled } from "../../ledger/lists/spelling.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { bodyOf, type Hit, hit, ITEM, openingOf, type PersonFound, passageOf, personHit, type Row, SHOWN } from "./hits.ts"
import { INDEXED, indexing } from "./indexing.ts"
import { indexWords } from "./index-words.ts"
import { folded, isLongWord, keptOf, WORDS } from "./words.ts"
import { allOf, askedFor, IN_TEXT, labelQueries, type LookUp, lookUpOf, type Typed, typed, type Within } from "./query.ts"
import { holds, Sight } from "./snippet.ts"

/** Some items, the newest first, where they stand so and were said since: all of them, or those of a list. */
const itemsOf = (found: string) => `
  SELECT ${SHOWN}
  FROM (${found}) found
  JOIN ${ITEM}
  WHERE (+? IS NULL OR coalesce(CASE WHEN i.kind IN (${recordKinds.map((kind) => `'${kind}'`).join(", ")}) THEN coalesce(s.status, 'current') END, h.standing) = +?) AND h.at >= +? AND (+? IS NULL OR agent = +?)
  ORDER BY i.item DESC LIMIT +? OFFSET +?`
const NEWEST = `
  SELECT ${SHOWN}
  FROM (SELECT rowid AS item FROM search_index WHERE search_index MATCH +? ORDER BY rowid DESC LIMIT +? OFFSET +?) found
  JOIN ${ITEM}
  ORDER BY i.item DESC`
/**
 * The best matches of the words that are to be weighed, among those of the whole query; what has fallen comes after the others.
 * The weight of a word is told by counting all that hold it, which takes too long of a common word, a Room or a kind.
 */
const RANKED = `
  SELECT ${SHOWN}
  FROM (SELECT q.rowid AS item, q.rank AS place, d.status IS NOT NULL AS fallen
        FROM search_index q JOIN search_items o ON o.item = q.rowid LEFT JOIN fallen_records d ON d.version_id = o.id AND d.status <> 'disputed'
        WHERE q.search_index MATCH +? AND q.rowid >= +? AND +q.rowid IN (SELECT rowid FROM search_index WHERE search_index MATCH +?)
        ORDER BY fallen, place, item LIMIT +? OFFSET +?) found
  JOIN ${ITEM}
  ORDER BY found.fallen, found.place, i.item`
/** What an id names, and what was said of it since. */
const BY_ID = `SELECT ${SHOWN} FROM (SELECT item FROM search_items WHERE id = +? ORDER BY item LIMIT +?) found JOIN ${ITEM} ORDER BY i.item`
/** Texts that are counted to tell which of several words is meant. */
const SPELLING_TEXTS = 200
/** Texts that are read at a time to tell whether a phrase stands in them. */
const CHUNK = 64
/** People, or the members of a Room: two parameters. */
const PERSON = `SELECT p.user_id AS userId, p.username, p.created_at AS at FROM people p
  WHERE (+? IS NULL OR EXISTS (SELECT 1 FROM members m WHERE m.room_id = +? AND m.user_id = p.user_id))`

export type Search = ReturnType<typeof search>

export interface Bounds {
  readonly searchRanked: number
  readonly searchWeighed: number
  readonly searchRankedWords?: number
}

/** @param bounds how many matches are ranked, and in how many texts a word may stand that is weighed */
export function search(db: Db, { searchRanked, searchWeighed, searchRankedWords = limits.searchRankedWords }: Bounds = limits) {
  const words = indexWords(db)
  const best = db.prepare<Row>(RANKED)
  const byId = db.prepare<Row>(BY_ID)
  const narrowed = db.prepare<Row>(
    itemsOf(`SELECT rowid AS item FROM search_index WHERE search_index MATCH +? ORDER BY rowid DESC LIMIT ${limits.searchNarrowed}`),
  )
  const listed = db.prepare<Row>(itemsOf(`SELECT value AS item FROM json_each(+?) LIMIT ${limits.searchNarrowed}`))
  const newest = db.prepare<Row>(NEWEST)
  const person = db.prepare<PersonFound>(`${PERSON} AND p.user_id = +?`)
  const people = db.prepare<PersonFound>(
    `${PERSON} AND p.username >= +? AND p.username < +? ORDER BY p.username LIMIT ${limits.searchPeople}`,
  )
  const lacked = db.prepare<{ items: Stored<number[]> }>(
    `SELECT json_group_array(item) AS items FROM (SELECT item FROM search_items WHERE item > ${INDEXED} ORDER BY item DESC LIMIT ${limits.searchCommon})`,
  )
  const counted = db.prepare<{ matches: number }>(
    "SELECT count(*) AS matches FROM (SELECT 1 FROM search_index WHERE search_index MATCH +? LIMIT +?)",
  )

  const isNarrowed = ({ status, since, agent }: Within) => status !== undefined || since !== undefined || agent !== undefined
  /** What an object has to be like besides. */
  const manner = ({ status, since, agent }: Within) => [status ?? null, status ?? null, since ?? "", agent ?? null, agent ?? null] as const
  const latest = (asked: string, within: Within, count: number, offset: number): Row[] =>
    isNarrowed(within) ? narrowed.all(asked, ...manner(within), count, offset) : newest.all(asked, count, offset)
  const among = (items: readonly number[], within: Within, count: number, offset: number): Row[] =>
    listed.all(JSON.stringify(items), ...manner(within), count, offset)

  /** What bears a label, then what names it. */
  function labelled(label: string, within: Within, offset: number, count: number): Row[] {
    const [borne, named] = labelQueries(label, within)
    const first = latest(borne, within, count, offset)
    if (first.length === count) return first
    const passed = first.length > 0 || offset === 0 ? offset + first.length : (counted.get(borne, offset)?.matches ?? 0)
    return [...first, ...latest(named, within, count - first.length, Math.max(0, offset - passed))]
  }

  /** Some items, so many at a time. */
  function* inChunks(items: readonly number[], within: Within): Generator<readonly Row[]> {
    for (let at = 0; at < items.length; at += CHUNK) yield among(items.slice(at, at + CHUNK), within, CHUNK, 0)
  }
  /** What matches some words, the best first, so many at a time. */
  function* bestFirst(weighed: string, from: number, whole: string): Generator<readonly Row[]> {
    for (let at = 0, rows: Row[] = []; at === 0 || rows.length === CHUNK; at += CHUNK)
      yield (rows = best.all(weighed, from, whole, CHUNK, at))
  }

  /** Of some texts, in their order, those that hold every phrase: they are read, as far as is done in little time. */
  function verified(texts: Generator<readonly Row[]>, read: Typed, isOpen: boolean, count: number, offset: number): Row[] {
    const sight = new Sight(limits.searchRead)
    const found: Row[] = []
    for (const rows of texts) {
      for (const row of rows) if (holds([row.ownTitle, bodyOf(row)], sight, read, isOpen)) found.push(row)
      if (sight.left <= 0 || found.length >= offset + count) break
    }
    return found.slice(offset, offset + count)
  }

  /**
   * From which item on what holds all of some words is ranked. Where one of them alone stands in few enough texts, there is no need to
   * look up which of these hold the others too.
   */
  function newestOf(each: readonly string[], rare: readonly boolean[]) {
    const bounds = [searchRanked, searchRankedWords] as const
    const all = { from: 0, isLong: false }
    const isFew = each.length > 1 && each.some((query, word) => rare[word] === true && words.newest(query, ...bounds).from === 0)
    return isFew ? all : words.newest(allOf(...each), ...bounds)
  }

  /** Best first; of words that almost everything holds, newest first. */
  function matching(read: Typed, endings: readonly string[] | undefined, isRanked: boolean, within: Within, offset: number, count: number) {
    if (read.phrases.length === 0 || endings?.length === 0) return []
    const asked = askedFor(read, endings, within)
    const asksPhrase = read.phrases.some(({ length }) => length > 1)
    // The index takes words that begin alike for the same where they are long.
    const isInexact = read.phrases.some((parts) => parts.some(isLongWord))
    const inItems = (items: readonly number[]) => verified(inChunks(items, within), read, endings !== undefined, count, offset)
    const whole = allOf(...asked.phrases, ...asked.tags)
    const each = [...asked.words, ...asked.tags]
    const rare = words.areRare(each, searchWeighed)
    // What very many texts hold each, and few together, the index would look for among all of them.
    if (!rare.includes(true)) {
      if (each.length === 1 && !isInexact) return latest(whole, within, count, offset)
      const isRead = asksPhrase || isInexact
      const items = words.common(each, isRead || isNarrowed(within) ? limits.searchCommon : offset + count, limits.searchCommon)
      return isRead ? inItems(items) : among(items, within, count, offset)
    }
    const { from, isLong } = newestOf(each, rare)
    // Reading all places of the words shows where they stand next to each other.
    if (isLong && asksPhrase)
      return inItems(words.common([allOf(...each)], limits.searchCommon, limits.searchCommon).filter((item) => item >= from))
    const weighed = asked.phrases.filter((_, phrase) => asked.wordsOf[phrase]?.some((word) => rare[word]))
    const isWeighed = isRanked && !isLong && !isNarrowed(within) && weighed.length > 0
    if (!isInexact) return isWeighed ? best.all(allOf(...weighed), from, whole, count, offset) : latest(whole, within, count, offset)
    if (!isWeighed) return inItems(words.common([whole], limits.searchCommon, limits.searchCommon))
    return verified(bestFirst(allOf(...weighed), from, whole), read, endings !== undefined, count, offset)
  }

  /** What the index lacks of what is asked for, the newest first. */
  function notIndexed({ as, text }: LookUp, within: Within): Row[] {
    const items = parse(lacked.one().items)
    if (items.length === 0) return []
    const [read, sight] = [typed(text), new Sight(limits.searchRead)]
    const isAsked = (row: Row) =>
      isIn(row, within) &&
      ((as === "label" && row.label?.toLowerCase() === text) ||
        (read.phrases.length > 0 && holds([row.label, row.ownTitle, bodyOf(row)], sight, read, as === "words" || as === "name")))
    return [...inChunks(items, within)].flat().filter(isAsked)
  }

  /** People whose id or name it is, where nothing was asked for that people have not. */
  function peopleCalled(query: string, { kinds, roomId, authorId, agent, status, since }: Within): PersonFound[] {
    if (kinds?.includes("person") === false || [authorId, agent, status, since].some((asked) => asked !== undefined)) return []
    const within = [roomId ?? null, roomId ?? null] as const
    const named = person.get(...within, query)
    return named === undefined ? people.all(...within, query, `${query}\u{10ffff}`) : [named]
  }

  /** Whether the index has a word as it is, or for the last one a word that begins so. */
  const isKnown = (word: string, isLast: boolean): boolean => {
    const kept = keptOf(folded(word))
    return isLast ? words.beginning(kept, 1)?.length !== 0 : words.has(kept)
  }

  return {
    ...indexing(db),

    /** A query of words with those that no text holds put right by one letter each; undefined where it names something, or nothing can be put right. */
    respelled(query: string): string | undefined {
      if (lookUpOf(query).as !== "words") return undefined
      return respelled(query, WORDS, isKnown, (near) => words.commonest([...new Set(near.map(folded))], IN_TEXT, SPELLING_TEXTS))
    },

    /** Up to `count` hits after so many, best first: what the query names as a whole, then what holds its words. */
    find(query: string, within: Within, offset: number, count: number): Hit[] {
      const lookUp = lookUpOf(query)
      const { as, text } = lookUp
      const called = text.toLowerCase()
      const found = as === "id" ? byId.all(text, limits.pageItems).filter((row) => isWithin(row, within)) : []
      const named = [...peopleCalled(called, within).map((one) => personHit(one, called)), ...found.map((row) => hit(row, openingOf(row)))]
      if (as === "id" && named.length > 0) return named.slice(offset, offset + count)
      const read = typed(text)
      named.push(...notIndexed(lookUp, within).map((row) => hit(row, passageOf(row, new Sight(), read, as !== "label"))))
      const first = named.slice(offset, offset + count)
      const [after, left] = [Math.max(0, offset - named.length), count - first.length]
      const endings =
        as === "label" || read.phrases.length === 0 ? undefined : words.beginning(keptOf(read.beginning), limits.searchBeginnings)
      const rows = as === "label" ? labelled(text, within, after, left) : matching(read, endings, as === "words", within, after, left)
      const sight = new Sight()
      return [...first, ...rows.map((row) => hit(row, passageOf(row, sight, read, endings !== undefined)))]
    },
  }
}

const isIn = ({ kind, roomId, userId }: Row, within: Within): boolean =>
  within.kinds?.includes(kind) !== false && (within.roomId ?? roomId) === roomId && (within.authorId ?? userId) === userId
const isWithin = (row: Row, within: Within): boolean => isIn(row, within) && standsSo(row, within)
const standsSo = ({ agent, status, standing, at }: Row, within: Within): boolean =>
  (within.agent ?? agent) === agent &&
  (within.status ?? "") === (within.status === undefined ? "" : (status ?? standing ?? "")) &&
  at >= (within.since ?? "")
