/** Full-text search over everything that was said. What is to be found is noted by triggers; see schema.sql. */
import { present } from "../../contract/present.ts"
import type { RecordStatus, SearchKind } from "../../contract/enumerations.ts"
import { isUuid } from "../../contract/fields.ts"
import { limits } from "../../contract/limits.ts"
import { kindsOf } from "../../contract/objects.ts"
import type { Db } from "../../ledger/database.ts"
import { fromOtherRoom } from "../../ledger/other-room.ts"
import { asWords, indexQuery, type Typed, typed, type Within } from "./query.ts"
import { beginningOf, passageIn, Sight, snippetHtml } from "./snippet.ts"

interface Row {
  item: number
  kind: SearchKind
  id: string
  label: string | null
  title: string
  roomId: string
  threadId: string
  entryId: string | null
  userId: string
  username: string
  at: string
  status: RecordStatus | null
  standing: string | null
  replacedBy: string | null
  replacedByLabel: string | null
  replacedByRoom: string | null
  ownTitle: string | null
  body: string | null
}

const isRecord = (kind: SearchKind): boolean => kindsOf("record").includes(kind)
const statusOf = (row: Row): RecordStatus | null => (isRecord(row.kind) ? (row.status ?? "current") : null)

const hit = (row: Row, snippet: string) => ({
  kind: row.kind,
  id: row.id,
  label: row.label,
  title: row.title,
  roomId: row.roomId,
  threadId: row.threadId,
  entryId: row.entryId,
  author: { userId: row.userId, username: row.username },
  at: row.at,
  status: statusOf(row),
  snippet: snippetHtml(snippet),
  standing: statusOf(row) ?? row.standing,
  replacedBy:
    row.replacedBy === null
      ? null
      : { versionId: row.replacedBy, label: row.replacedByLabel ?? "", ...fromOtherRoom(row.replacedByRoom ?? row.roomId, row.roomId) },
})

/** Items with what they belong to. */
const SHOWN = `i.item, i.kind, i.id, h.label, h.line AS title, h.room_id AS roomId, h.thread_id AS threadId,
    CASE WHEN i.kind <> 'thread' THEN h.entry_id END AS entryId, h.user_id AS userId, p.username, h.at, s.status, h.standing,
    y.version_id AS replacedBy, y.label AS replacedByLabel, y.room_id AS replacedByRoom, w.title AS ownTitle, w.body`
const ITEM = `search_items i USING (item) JOIN search_places h USING (item) JOIN search_texts w USING (item) JOIN people p ON p.user_id = h.user_id
  LEFT JOIN standings s ON s.version_id = i.id
  LEFT JOIN records y ON s.status <> 'current' AND y.version_id = (SELECT k.replacement_version_id FROM research_links k
    WHERE k.target_version_id = i.id AND k.replacement_version_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM link_withdrawals d WHERE d.link_id = k.link_id) ORDER BY k.link_id DESC LIMIT 1)`

/** Matches in some order of the index's own; what has fallen comes after the others that are ranked. */
const hitsBy = (order: "rank" | "rowid DESC") => `
  SELECT ${SHOWN}
  FROM (SELECT rowid AS item, ${order === "rank" ? "rank" : "-rowid"} AS place
        FROM search_index WHERE search_index MATCH ? AND rowid >= ? ORDER BY ${order} LIMIT ? OFFSET ?) found
  JOIN ${ITEM}
  ORDER BY found.place, i.item`
const RANKED = `
  SELECT ${SHOWN}
  FROM (SELECT q.rowid AS item, q.rank AS place, d.status IS NOT NULL AS fallen
        FROM search_index q JOIN search_items o ON o.item = q.rowid LEFT JOIN fallen_records d ON d.version_id = o.id AND d.status <> 'disputed'
        WHERE q.search_index MATCH ? AND q.rowid >= ? ORDER BY fallen, place, item LIMIT ? OFFSET ?) found
  JOIN ${ITEM}
  ORDER BY found.fallen, found.place, i.item`
/** Of the best matches those that stand so, or were said since. */
const NARROWED = `
  SELECT ${SHOWN}
  FROM (SELECT rowid AS item FROM search_index WHERE search_index MATCH ? AND rowid >= ? ORDER BY rowid DESC LIMIT ${limits.searchNarrowed}) found
  JOIN ${ITEM}
  WHERE (? IS NULL OR coalesce(CASE WHEN i.kind IN ('hypothesis', 'finding', 'cited_claim') THEN coalesce(s.status, 'current') END, h.standing) = ?) AND h.at >= ?
  ORDER BY i.item DESC LIMIT ? OFFSET ?`
/** What an id names, and what was said of it since. */
const BY_ID = `SELECT ${SHOWN} FROM (SELECT item FROM search_items WHERE id = ? ORDER BY item LIMIT ?) found JOIN ${ITEM} ORDER BY i.item`
/** A label is looked up as it is: F1 is no beginning of F12. */
const LABEL = /^\s*[a-z][1-9][0-9]{0,8}\s*$/iu

/** The best passage of a row: of its title, of its body, or how it begins. */
function passageOf({ ownTitle: title, body }: Row, sight: Sight, read: Typed, byBeginning: boolean): string {
  for (const text of [title, body]) {
    const passage = text === null ? undefined : passageIn(text, sight, read, byBeginning)
    if (passage !== undefined) return passage
  }
  return beginningOf(title ?? body ?? "")
}

/** How many words a text of the index has, out of the sizes that it keeps: a number for each column, seven bits a byte. */
function wordsOf(sizes: Buffer): number {
  let words = 0
  let number = 0
  for (const byte of sizes) {
    number = number * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    words += number
    number = 0
  }
  return words
}

/** Matches that are looked at first to tell how much there is to rank; then twice as many, and so on. */
const FIRST_LOOK = 32
const NEWEST = Number.MAX_SAFE_INTEGER

export type Search = ReturnType<typeof search>

export interface Bounds {
  readonly searchRanked: number
  readonly searchWeighed: number
  readonly searchRankedWords?: number
}

/** @param bounds how many matches are ranked, and from how many on none is */
export function search(db: Db, { searchRanked, searchWeighed, searchRankedWords = limits.searchRankedWords }: Bounds = limits) {
  const best = db.prepare<Row>(RANKED)
  /** For a label: its object comes first, fallen or not. */
  const closest = db.prepare<Row>(hitsBy("rank"))
  const byId = db.prepare<Row>(BY_ID)
  const narrowed = db.prepare<Row>(NARROWED)
  const newest = db.prepare<Row>(hitsBy("rowid DESC"))
  const index = db.prepare(
    `INSERT INTO search_index (rowid, label, title, body, tags)
     SELECT * FROM search_texts WHERE item > (SELECT coalesce(max(id), 0) FROM search_index_docsize)`,
  )
  const flush = db.prepare("INSERT INTO search_index (search_index) VALUES ('flush')")
  const matchAt = db.prepare<{ item: number }>(
    "SELECT rowid AS item FROM search_index WHERE search_index MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ?",
  )
  const sizes = db.prepare<{ item: number; sz: Buffer }>(
    `SELECT d.id AS item, d.sz FROM (SELECT rowid AS item FROM search_index WHERE search_index MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?) f
     JOIN search_index_docsize d ON d.id = f.item ORDER BY d.id DESC`,
  )
  const beginning = db.prepare<{ words: number }>(
    "SELECT count(*) AS words FROM (SELECT 1 FROM search_words WHERE term >= ? AND term < ? LIMIT ?)",
  )

  /** Whether so few words begin like this that looking all of them up is little work. */
  function isBeginning(word: string): boolean {
    return (beginning.get(word, `${word}\u{10ffff}`, limits.searchBeginnings + 1)?.words ?? 0) <= limits.searchBeginnings
  }

  /**
   * From which match on to search, and whether to rank. A phrase is looked for in the newest texts alone that hold its words, as many
   * as are read in bounded time: where its words stand next to each other is told by reading all their places.
   */
  function bounded(asked: string, loose: string): { from: number; ranks: boolean } {
    const most = loose === asked ? searchRankedWords : searchRankedWords / 2
    let words = 0
    let matches = 0
    for (let before = NEWEST, look = FIRST_LOOK; ; look *= 2) {
      const page = sizes.all(loose, before, look)
      for (const { item, sz } of page) {
        words += wordsOf(sz)
        matches += 1
        if (words > most) return { from: loose === asked ? 0 : item, ranks: false }
        // To rank a match costs as much as to find several, and the weight of a word is told by counting all that hold it.
        if (matches >= searchRanked && loose === asked) {
          const ranks = matchAt.get(asked, searchWeighed - 1) === undefined
          return { from: ranks ? item : 0, ranks }
        }
      }
      if (page.length < look) return { from: 0, ranks: true }
      before = present(page.at(-1)).item
    }
  }

  return {
    /**
     * Indexes what was noted since the last time. Done once for all that a transaction wrote, as its last step: alone, each
     * text would become a segment of the index, to be merged later with all the others. It is written out at once: what has
     * no space then fails before the commit, where it is certain that nothing is stored.
     */
    index(): void {
      if (index.run() > 0) flush.run()
    },

    /** Up to `count` hits after so many, best first; of a word that almost everything holds, newest first. */
    find(query: string, within: Within, offset: number, count: number) {
      const read = typed(query)
      const named = isUuid(query) && offset === 0 ? byId.all(query.toLowerCase(), count) : []
      if (named.length > 0) return named.map((row) => hit(row, beginningOf(row.ownTitle ?? row.body ?? "")))
      const byBeginning = !LABEL.test(query) && isBeginning(read.beginning)
      const asked = indexQuery(read, byBeginning, within)
      if (asked === undefined) return []
      const { from, ranks } = bounded(asked, indexQuery(asWords(read), byBeginning, within) ?? asked)
      const { status = null, since = "" } = within
      const rows =
        status !== null || since !== ""
          ? narrowed.all(asked, from, status, status, since, count, offset)
          : (ranks ? (LABEL.test(query) ? closest : best) : newest).all(asked, from, count, offset)
      const sight = new Sight()
      return rows.map((row) => hit(row, passageOf(row, sight, read, byBeginning)))
    },
  }
}
