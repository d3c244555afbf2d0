/** Writes texts to the search indexes. */
import type { Db } from "../../ledger/storage/database.ts"
import { type Wording, wordsOf } from "./wording.ts"
import { indexed } from "./words.ts"

interface Text extends Wording {
  readonly item: number
  readonly label: string | null
  readonly title: string | null
  readonly tags: string
}

const TEXTS = "SELECT item, kind, label, title, line, content, tags FROM search_texts"
/** SQL for the newest indexed item. Later items were accepted but are not indexed yet. */
export const INDEXED = "(SELECT coalesce(max(id), 0) FROM search_index_docsize)"
/** Texts indexed, and held in memory, at a time. */
const STEP = 500

type Run = ReturnType<Db["prepare"]>

export function indexing(db: Db) {
  const last = db.prepare<{ item: number }>(`SELECT ${INDEXED} AS item`)
  const newest = db.prepare<{ item: number }>("SELECT coalesce(max(item), 0) AS item FROM search_items")
  const next = db.prepare<Text>(`${TEXTS} WHERE item > +? AND item <= +? ORDER BY item LIMIT ${STEP}`)
  const changed = db.prepare<Text>(`${TEXTS} WHERE item IN (SELECT item FROM search_changes)`)
  const settle = db.prepare("DELETE FROM search_changes")
  const remove = db.prepare("DELETE FROM search_index WHERE rowid = +?")
  const insert = db.prepare("INSERT INTO search_index (rowid, body, label, title, tags) VALUES (+?, +?, +?, +?, +?)")
  // One text for each record.
  const insertConcepts = db.prepare(
    `INSERT INTO concept_trigrams (rowid, text)
     SELECT i.item, group_concat(concat_ws(char(10), d.key, d.label, d.definition), char(10)) FROM search_items i CROSS JOIN concepts d ON d.version_id = i.id
     WHERE i.item > +? AND i.item <= +? GROUP BY i.item`,
  )
  const [flush, flushConcepts, forget, forgetConcepts] = ["flush", "delete-all"].flatMap((what) =>
    ["search_index", "concept_trigrams"].map((index) =>
      db.prepare(`INSERT INTO ${index} (${index}) VALUES ('${what}')`),
    ),
  ) as [Run, Run, Run, Run]

  const put = ({ item, label, title, tags, ...wording }: Text) => {
    const body = wordsOf(wording)
    return insert.run(item, body === null ? null : indexed(body), label, title === null ? null : indexed(title), tags)
  }

  /** Indexes the next texts and flushes the indexes. @returns whether there were any */
  function putNext(through: number): boolean {
    const from = last.one().item
    const texts = next.all(from, through)
    const to = texts.at(-1)?.item
    if (to === undefined) return false
    if (insertConcepts.run(from, to) > 0) flushConcepts.run()
    for (const text of texts) put(text)
    flush.run()
    return true
  }

  return {
    newest: (): number => newest.one().item,
    /** The newest indexed item. */
    reached: (): number => last.one().item,

    /**
     * Indexes the next few hundred texts, within a transaction. Indexed one by one, each text would be a segment that
     * must be merged later.
     */
    step: (): boolean => putNext(Number.MAX_SAFE_INTEGER),

    /** Indexes every accepted text, within a transaction. @param through the last item to index */
    index(through: number = Number.MAX_SAFE_INTEGER): void {
      while (putNext(through)) {}
    },

    /** Indexes changed texts again, in the transaction that changed them. */
    indexChanged(): void {
      const texts = changed.all()
      if (texts.length === 0) return
      for (const text of texts) {
        remove.run(text.item)
        put(text)
      }
      settle.run()
      flush.run()
    },

    /** Rebuilds the indexes from the current texts. */
    reindex(): void {
      for (const statement of [forgetConcepts, forget, settle]) statement.run()
      while (putNext(Number.MAX_SAFE_INTEGER)) {}
    },
  }
}
