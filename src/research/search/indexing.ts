/** Puts texts into the indexes of words. */
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
/** SQL for the newest item that the indexes hold. What comes after it was accepted and is not indexed yet. */
export const INDEXED = "(SELECT coalesce(max(id), 0) FROM search_index_docsize)"
/** Texts that are indexed, and held in memory, at once. */
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
  // A text for each record.
  const insertConcepts = db.prepare(
    `INSERT INTO concept_trigrams (rowid, text)
     SELECT i.item, group_concat(concat_ws(char(10), d.key, d.label, d.definition), char(10)) FROM search_items i CROSS JOIN concepts d ON d.version_id = i.id
     WHERE i.item > +? AND i.item <= +? GROUP BY i.item`,
  )
  const [flush, flushConcepts, forget, forgetConcepts] = ["flush", "delete-all"].flatMap((what) =>
    ["search_index", "concept_trigrams"].map((index) => db.prepare(`INSERT INTO ${index} (${index}) VALUES ('${what}')`)),
  ) as [Run, Run, Run, Run]

  const put = ({ item, label, title, tags, ...said }: Text) => {
    const body = wordsOf(said)
    return insert.run(item, body === null ? null : indexed(body), label, title === null ? null : indexed(title), tags)
  }

  /** Puts the next texts into the indexes, which are written out at once. @returns whether there were any */
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
    /** The newest item that there is to find. */
    newest: (): number => newest.one().item,
    /** The newest item that the indexes hold. */
    reached: (): number => last.one().item,

    /** Indexes the next few hundred texts, within a transaction: one by one, each would be a part of the index, to be merged later with all the others. */
    step: (): boolean => putNext(Number.MAX_SAFE_INTEGER),

    /** Indexes every text that was accepted, within a transaction. @param through the last item that is indexed */
    index(through: number = Number.MAX_SAFE_INTEGER): void {
      while (putNext(through)) {}
    },

    /** Indexes again what was changed after it was indexed, in the transaction that changed it. */
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

    /** Makes the indexes again from the present texts. */
    reindex(): void {
      for (const statement of [forgetConcepts, forget, settle]) statement.run()
      while (putNext(Number.MAX_SAFE_INTEGER)) {}
    },
  }
}
