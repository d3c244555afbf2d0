/** Full-text search over everything that was said. What is to be found is noted by triggers; see schema.sql. */
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/database.ts"
import { type Hit, hit, ITEM, type PersonFound, passageOf, personHit, type Row, SHOWN } from "./hits.ts"
import { indexWords } from "./index-words.ts"
import { allOf, askedFor, labelQueries, lookUpOf, type Typed, typed, type Within } from "./query.ts"
import { beginningOf, holds, Sight } from "./snippet.ts"

/** Some items, the newest first, where they stand so and were said since: all of them, or those of a list. */
const itemsOf = (found: string) => `
  SELECT ${SHOWN}
  FROM (${found}) found
  JOIN ${ITEM}
  WHERE (? IS NULL OR coalesce(CASE WHEN i.kind IN ('hypothesis', 'finding', 'cited_claim') THEN coalesce(s.status, 'current') END, h.standing) = ?) AND h.at >= ?
  ORDER BY i.item DESC LIMIT ? OFFSET ?`
const NEWEST = `
  SELECT ${SHOWN}
  FROM (SELECT rowid AS item FROM search_index WHERE search_index MATCH ? ORDER BY rowid DESC LIMIT ? OFFSET ?) found
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
        WHERE q.search_index MATCH ? AND q.rowid >= ? AND +q.rowid IN (SELECT rowid FROM search_index WHERE search_index MATCH ?)
        ORDER BY fallen, place, item LIMIT ? OFFSET ?) found
  JOIN ${ITEM}
  ORDER BY found.fallen, found.place, i.item`
/** What an id names, and what was said of it since. */
const BY_ID = `SELECT ${SHOWN} FROM (SELECT item FROM search_items WHERE id = ? ORDER BY item LIMIT ?) found JOIN ${ITEM} ORDER BY i.item`
/** Texts that are read at a time to tell whether a phrase stands in them. */
const CHUNK = 64
const PERSON = "SELECT user_id AS userId, username, created_at AS at FROM people"

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
    itemsOf(`SELECT rowid AS item FROM search_index WHERE search_index MATCH ? ORDER BY rowid DESC LIMIT ${limits.searchNarrowed}`),
  )
  const listed = db.prepare<Row>(itemsOf(`SELECT value AS item FROM json_each(?) LIMIT ${limits.searchNarrowed}`))
  const newest = db.prepare<Row>(NEWEST)
  const person = db.prepare<PersonFound>(`${PERSON} WHERE user_id = ?`)
  const people = db.prepare<PersonFound>(`${PERSON} WHERE username >= ? AND username < ? ORDER BY username LIMIT ${limits.searchPeople}`)
  const index = db.prepare(
    `INSERT INTO search_index (rowid, label, title, body, tags)
     SELECT * FROM search_texts WHERE item > (SELECT coalesce(max(id), 0) FROM search_index_docsize)`,
  )
  // A text for each record; before the other index, by which it tells what is new.
  const indexConcepts = db.prepare(
    `INSERT INTO concept_trigrams (rowid, text)
     SELECT i.item, group_concat(concat_ws(char(10), d.key, d.label, d.definition), char(10)) FROM search_items i CROSS JOIN concepts d ON d.version_id = i.id
     WHERE i.item > (SELECT coalesce(max(id), 0) FROM search_index_docsize) GROUP BY i.item`,
  )
  const flushConcepts = db.prepare("INSERT INTO concept_trigrams (concept_trigrams) VALUES ('flush')")
  const flush = db.prepare("INSERT INTO search_index (search_index) VALUES ('flush')")
  const counted = db.prepare<{ matches: number }>(
    "SELECT count(*) AS matches FROM (SELECT 1 FROM search_index WHERE search_index MATCH ? LIMIT ?)",
  )

  const isNarrowed = ({ status, since }: Within) => status !== undefined || since !== undefined
  /** What an object has to be like besides. */
  const manner = ({ status, since }: Within) => [status ?? null, status ?? null, since ?? ""] as const
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

  /** Of some texts, the newest first, those that hold every phrase: they are read, as far as is done in little time. */
  function verified(items: readonly number[], read: Typed, isOpen: boolean, within: Within, count: number, offset: number): Row[] {
    const sight = new Sight(limits.searchRead)
    const found: Row[] = []
    for (let at = 0; at < items.length && sight.left > 0 && found.length < offset + count; at += CHUNK)
      for (const row of among(items.slice(at, at + CHUNK), within, CHUNK, 0))
        if (holds([row.ownTitle, row.body], sight, read, isOpen)) found.push(row)
    return found.slice(offset, offset + count)
  }

  /** Best first; of words that almost everything holds, newest first. */
  function matching(read: Typed, endings: readonly string[] | undefined, isRanked: boolean, within: Within, offset: number, count: number) {
    if (read.phrases.length === 0 || endings?.length === 0) return []
    const asked = askedFor(read, endings, within)
    const asksPhrase = read.phrases.some(({ length }) => length > 1)
    const whole = allOf(...asked.phrases, ...asked.tags)
    const each = [...asked.words, ...asked.tags]
    const rare = words.areRare(each, searchWeighed)
    // What very many texts hold each, and few together, the index would look for among all of them.
    if (!rare.includes(true)) {
      if (each.length === 1) return latest(whole, within, count, offset)
      const items = words.common(each, asksPhrase || isNarrowed(within) ? limits.searchCommon : offset + count, limits.searchCommon)
      return asksPhrase ? verified(items, read, endings !== undefined, within, count, offset) : among(items, within, count, offset)
    }
    const { from, isLong } = words.newest(allOf(...each), searchRanked, searchRankedWords)
    // Where the words of a phrase stand next to each other is told by reading all their places.
    if (isLong && asksPhrase) {
      const items = words.common([allOf(...each)], limits.searchCommon, limits.searchCommon).filter((item) => item >= from)
      return verified(items, read, endings !== undefined, within, count, offset)
    }
    const weighed = asked.phrases.filter((_, phrase) => asked.wordsOf[phrase]?.some((word) => rare[word]))
    if (!isRanked || isLong || isNarrowed(within) || weighed.length === 0) return latest(whole, within, count, offset)
    return best.all(allOf(...weighed), from, whole, count, offset)
  }

  /** People whose id or name it is, where nothing was asked for that people have not. */
  function peopleCalled(query: string, { kinds, roomId, authorId, status, since }: Within): PersonFound[] {
    if (kinds?.includes("person") === false || [roomId, authorId, status, since].some((asked) => asked !== undefined)) return []
    const named = person.get(query)
    return named === undefined ? people.all(query, `${query}\u{10ffff}`) : [named]
  }

  const forgetConcepts = db.prepare("INSERT INTO concept_trigrams (concept_trigrams) VALUES ('delete-all')")
  const forget = db.prepare("INSERT INTO search_index (search_index) VALUES ('delete-all')")

  return {
    /** Makes the indexes anew, of the texts as they are. */
    reindex(): void {
      for (const statement of [forgetConcepts, forget, indexConcepts, flushConcepts, index, flush]) statement.run()
    },

    /**
     * Indexes what was noted since the last time. Done once for all that a transaction wrote, as its last step: alone, each
     * text would become a segment of the index, to be merged later with all the others. It is written out at once: what has
     * no space then fails before the commit, where it is certain that nothing is stored.
     */
    index(): void {
      if (indexConcepts.run() > 0) flushConcepts.run()
      if (index.run() > 0) flush.run()
    },

    /** Up to `count` hits after so many, best first: what the query names as a whole, then what holds its words. */
    find(query: string, within: Within, offset: number, count: number): Hit[] {
      const { as, text } = lookUpOf(query)
      const called = text.toLowerCase()
      const found = as === "id" ? byId.all(text, limits.pageItems).filter((row) => isWithin(row, within)) : []
      const named = [
        ...peopleCalled(called, within).map((one) => personHit(one, called)),
        ...found.map((row) => hit(row, beginningOf(row.ownTitle ?? row.body ?? ""))),
      ]
      if (as === "id" && named.length > 0) return named.slice(offset, offset + count)
      const first = named.slice(offset, offset + count)
      const [after, left] = [Math.max(0, offset - named.length), count - first.length]
      const read = typed(text)
      const endings = as === "label" || read.phrases.length === 0 ? undefined : words.beginning(read.beginning, limits.searchBeginnings)
      const rows = as === "label" ? labelled(text, within, after, left) : matching(read, endings, as === "words", within, after, left)
      const sight = new Sight()
      return [...first, ...rows.map((row) => hit(row, passageOf(row, sight, read, endings !== undefined)))]
    },
  }
}

const isWithin = ({ kind, roomId, userId, status, standing, at }: Row, within: Within): boolean =>
  within.kinds?.includes(kind) !== false &&
  (within.roomId ?? roomId) === roomId &&
  (within.authorId ?? userId) === userId &&
  (within.status ?? "") === (within.status === undefined ? "" : (status ?? standing ?? "")) &&
  at >= (within.since ?? "")
