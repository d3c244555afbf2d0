/** Full-text search over records, experiments, Threads and messages. What is to be found is noted by triggers; see schema.sql. */
import type { RecordStatus, SearchKind } from "../../contract/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/database.ts"
import { indexQuery, typed, type Within } from "./query.ts"
import { isMarked, MARKS, snippetHtml } from "./snippet.ts"

interface Row {
  kind: SearchKind
  id: string
  label: string | null
  title: string
  room_id: string
  thread_id: string
  entry_id: string | null
  user_id: string
  username: string
  at: string
  status: RecordStatus | null
  in_title: string | null
  in_body: string | null
}

const isRecord = (kind: SearchKind): boolean => kind === "hypothesis" || kind === "finding" || kind === "cited_claim"

const hit = (row: Row) => ({
  kind: row.kind,
  id: row.id,
  label: row.label,
  title: row.title,
  roomId: row.room_id,
  threadId: row.thread_id,
  entryId: row.entry_id,
  author: { userId: row.user_id, username: row.username },
  at: row.at,
  status: isRecord(row.kind) ? (row.status ?? ("current" as const)) : null,
  snippet: snippetHtml((isMarked(row.in_title) ? row.in_title : isMarked(row.in_body) ? row.in_body : (row.in_title ?? row.in_body)) ?? ""),
})

/** Words of a passage. */
const PASSAGE = 24
const passage = (column: number) => `snippet(search_index, ${column}, '${MARKS.open}', '${MARKS.close}', '…', ${PASSAGE})`

/** Matches in some order of the index's own, each with what it belongs to; a message goes by the title of its Thread. */
const hitsBy = (order: "rank" | "rowid DESC") => `
  SELECT i.kind, i.id, coalesce(r.label, x.label) AS label, coalesce(r.wording, x.question, t.title) AS title,
    t.room_id, t.thread_id, coalesce(r.entry_id, x.entry_id, e.entry_id) AS entry_id, p.user_id, p.username,
    coalesce(r.created_at, x.created_at, e.body ->> '$.at', t.created_at) AS at, s.status, found.in_title, found.in_body
  FROM (SELECT rowid AS item, ${order === "rank" ? "rank" : "-rowid"} AS place, ${passage(1)} AS in_title, ${passage(2)} AS in_body
        FROM search_index WHERE search_index MATCH ? AND rowid >= ? ORDER BY ${order} LIMIT ? OFFSET ?) found
  JOIN search_items i USING (item)
  LEFT JOIN timeline_entries e ON i.kind = 'message' AND e.entry_id = i.id
  LEFT JOIN experiments x ON i.kind = 'experiment' AND x.experiment_id = i.id
  LEFT JOIN records r ON r.version_id = i.id
  JOIN threads t ON t.thread_id = coalesce(e.thread_id, x.thread_id, r.thread_id, i.id)
  JOIN people p ON p.user_id = coalesce(e.author_id, x.proposer_id, r.author_id, t.author_id)
  LEFT JOIN standings s ON s.version_id = r.version_id
  ORDER BY found.place, i.item`

export type Search = ReturnType<typeof search>

/** @param bounds how many matches are ranked, and from how many on none is */
export function search(db: Db, { searchRanked, searchWeighed }: Record<"searchRanked" | "searchWeighed", number> = limits) {
  const best = db.prepare<Row>(hitsBy("rank"))
  const newest = db.prepare<Row>(hitsBy("rowid DESC"))
  const index = db.prepare(
    `INSERT INTO search_index (rowid, label, title, body, tags)
     SELECT * FROM search_texts WHERE item > (SELECT coalesce(max(id), 0) FROM search_index_docsize)`,
  )
  const flush = db.prepare("INSERT INTO search_index (search_index) VALUES ('flush')")
  const matchAt = db.prepare<{ item: number }>(
    "SELECT rowid AS item FROM search_index WHERE search_index MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ?",
  )
  const beginning = db.prepare<{ words: number }>(
    "SELECT count(*) AS words FROM (SELECT 1 FROM search_words WHERE term >= ? AND term < ? LIMIT ?)",
  )

  /** Whether so few words begin like this that looking all of them up is little work. */
  function isBeginning(word: string): boolean {
    return (beginning.get(word, `${word}\u{10ffff}`, limits.searchBeginnings + 1)?.words ?? 0) <= limits.searchBeginnings
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
      const asked = indexQuery(read, isBeginning(read.beginning), within)
      if (asked === undefined) return []
      // To rank a match costs as much as to find several, and the weight of a word is told by counting all that hold it.
      const from = matchAt.get(asked, searchRanked - 1)?.item ?? 0
      const tooMany = from > 0 && matchAt.get(asked, searchWeighed - 1) !== undefined
      return (tooMany ? newest : best).all(asked, tooMany ? 0 : from, count, offset).map(hit)
    },
  }
}
