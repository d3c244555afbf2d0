/** Writes texts to the search indexes. */
import type { Db } from "../../ledger/storage/database.ts"
import { termCountsOf } from "./term-counts.ts"
import { type Wording, wordsOf } from "./wording.ts"
import { indexed } from "../../contract/words.ts"

interface Text extends Wording {
  readonly item: number
  readonly label: string | null
  readonly title: string | null
  readonly tags: string
}

const TEXTS = "SELECT item, kind, label, title, line, content, tags FROM search_texts"
/** SQL for the newest indexed item. Later items were accepted but are not indexed yet. */
export const INDEXED = "(SELECT coalesce(max(id), 0) FROM search_index_docsize)"
/** Texts held in memory at a time. */
const TOGETHER = 50
/** Milliseconds of a step: while it runs, the thread does nothing else. */
const STEP_MS = 10

/** Pages of each index merged at a time: some tens of milliseconds. */
const MERGED = 64

type Run = ReturnType<Db["prepare"]>

export function indexing(db: Db) {
  const last = db.prepare<{ item: number }>(`SELECT ${INDEXED} AS item`)
  const newest = db.prepare<{ item: number }>("SELECT coalesce(max(item), 0) AS item FROM search_items")
  const next = db.prepare<Text>(`${TEXTS} WHERE item > +? AND item <= +? ORDER BY item LIMIT +?`)
  const changed = db.prepare<Text>(`${TEXTS} WHERE item IN (SELECT item FROM search_changes)`)
  const settle = db.prepare("DELETE FROM search_changes")
  const remove = db.prepare("DELETE FROM search_index WHERE rowid = +?")
  const insert = db.prepare("INSERT INTO search_index (rowid, body, label, title, tags) VALUES (+?, +?, +?, +?, +?)")
  // One text for each record.
  const insertConcepts = db.prepare(
    `INSERT INTO concept_trigrams (rowid, text)
     SELECT i.item, folded(group_concat(concat_ws(char(10), d.key, d.label, d.definition), char(10)))
     FROM search_items i CROSS JOIN concepts d ON d.version_id = i.id
     WHERE i.item > +? AND i.item <= +? GROUP BY i.item`,
  )
  const removeConcepts = db.prepare("DELETE FROM concept_trigrams WHERE rowid = +?")
  const noteChanges = db.prepare(
    `INSERT OR IGNORE INTO search_changes (item)
     SELECT item FROM search_items WHERE id IN (SELECT value FROM json_each(+?)) AND item <= ${INDEXED}`,
  )
  const changes = db.prepare<{ changes: number }>("SELECT total_changes() AS changes")
  const merges = ["search_index", "concept_trigrams", "room_trigrams"].map((index) =>
    db.prepare(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', +?)`),
  )
  const [flush, flushConcepts, forget, forgetConcepts] = ["flush", "delete-all"].flatMap((what) =>
    ["search_index", "concept_trigrams"].map((index) =>
      db.prepare(`INSERT INTO ${index} (${index}) VALUES ('${what}')`),
    ),
  ) as [Run, Run, Run, Run]

  const counts = termCountsOf(db)

  const put = ({ item, label, title, tags, ...wording }: Text) => {
    const words = wordsOf(wording)
    const texts = [words, title].map((text) => (text === null ? null : indexed(text)))
    const [body = null, called = null] = texts
    insert.run(item, body, label, called, tags)
    counts.added(item, texts)
  }

  /**
   * Indexes the next texts in order, and flushes the indexes once: indexed one by one, each text would be a segment
   * that must be merged later.
   * @param until when to stop after the text at hand, by `performance.now()`
   */
  function putNext(through: number, until = Number.POSITIVE_INFINITY): void {
    const first = last.one().item
    let from = first
    for (let isOver = false, more = true; more && !isOver; ) {
      const texts = next.all(from, through, TOGETHER)
      more = texts.length === TOGETHER
      for (const text of texts) {
        if (isOver) break
        put(text)
        from = text.item
        isOver = performance.now() > until
      }
    }
    if (from === first) return
    if (insertConcepts.run(first, from) > 0) flushConcepts.run()
    flush.run()
  }

  return {
    due: (): number => newest.one().item,
    /** The newest indexed item. */
    done: (): number => last.one().item,

    /** Indexes the next texts for a few milliseconds, within a transaction. */
    step: (): void => putNext(Number.MAX_SAFE_INTEGER, performance.now() + STEP_MS),

    /** Indexes every accepted text, within a transaction. @param through the last item to index */
    index(through: number = Number.MAX_SAFE_INTEGER): void {
      putNext(through)
    },

    /** Indexes changed texts again, in the transaction that changed them. */
    indexChanged(): void {
      const texts = changed.all()
      if (texts.length === 0) return
      counts.forget()
      for (const text of texts) {
        remove.run(text.item)
        put(text)
        removeConcepts.run(text.item)
        insertConcepts.run(text.item - 1, text.item)
      }
      settle.run()
      flush.run()
    },

    /** Indexes again what is indexed and has one of these ids, within the transaction that changed it. */
    indexAgain(ids: readonly string[]): void {
      if (noteChanges.run(JSON.stringify(ids)) > 0) this.indexChanged()
    },

    /**
     * Merges some pages of the indexes, within a transaction: what was removed from them stays in their older parts
     * until these are merged. @param isFirst whether to begin @returns whether there is more to merge
     */
    merge(isFirst: boolean): boolean {
      const before = changes.one().changes
      for (const statement of merges) statement.run(isFirst ? -MERGED : MERGED)
      return isFirst || changes.one().changes - before > merges.length
    },

    /** Rebuilds the indexes from the current texts. */
    reindex(): void {
      counts.forget()
      for (const statement of [forgetConcepts, forget, settle]) statement.run()
      putNext(Number.MAX_SAFE_INTEGER)
    },
  }
}
