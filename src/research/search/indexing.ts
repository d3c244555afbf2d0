/** Puts texts into the indexes of words. */
import type { Db } from "../../ledger/storage/database.ts"
import { indexed } from "./words.ts"

interface Text {
  readonly item: number
  readonly label: string | null
  readonly title: string | null
  readonly body: string | null
  readonly tags: string
}

const TEXTS = "SELECT item, label, title, body, tags FROM search_texts"
/** The newest item that is indexed. */
const LAST = "(SELECT coalesce(max(id), 0) FROM search_index_docsize)"
/** Texts that are held in memory at once. */
const STEP = 500

export function indexing(db: Db) {
  const since = db.prepare<Text>(`${TEXTS} WHERE item > ${LAST} ORDER BY item LIMIT ${STEP}`)
  const changed = db.prepare<Text>(`${TEXTS} WHERE item IN (SELECT item FROM search_changes)`)
  const settle = db.prepare("DELETE FROM search_changes")
  const remove = db.prepare("DELETE FROM search_index WHERE rowid = +?")
  const insert = db.prepare("INSERT INTO search_index (rowid, body, label, title, tags) VALUES (+?, +?, +?, +?, +?)")
  // A text for each record; before the other index, by which it tells what is new.
  const insertConcepts = db.prepare(
    `INSERT INTO concept_trigrams (rowid, text)
     SELECT i.item, group_concat(concat_ws(char(10), d.key, d.label, d.definition), char(10)) FROM search_items i CROSS JOIN concepts d ON d.version_id = i.id
     WHERE i.item > ${LAST} GROUP BY i.item`,
  )
  const [flush, flushConcepts, forget, forgetConcepts] = ["flush", "delete-all"].flatMap((what) =>
    ["search_index", "concept_trigrams"].map((index) => db.prepare(`INSERT INTO ${index} (${index}) VALUES ('${what}')`)),
  ) as [Run, Run, Run, Run]

  const put = ({ item, label, title, body, tags }: Text) =>
    insert.run(item, body === null ? null : indexed(body), label, title === null ? null : indexed(title), tags)

  /** @returns how many texts there were */
  function putNew(): number {
    let count = 0
    for (let texts = since.all(); texts.length > 0; texts = texts.length < STEP ? [] : since.all()) {
      for (const text of texts) put(text)
      count += texts.length
    }
    return count
  }

  function putChanged(): number {
    const texts = changed.all()
    if (texts.length === 0) return 0
    for (const text of texts) {
      remove.run(text.item)
      put(text)
    }
    return settle.run()
  }

  return {
    /** Makes the indexes anew, of the texts as they are. */
    reindex(): void {
      for (const statement of [forgetConcepts, forget, settle, insertConcepts, flushConcepts]) statement.run()
      putNew()
      flush.run()
    },

    /**
     * Indexes what was noted since the last time. Done once for all that a transaction wrote, as its last step: alone, each
     * text would become a segment of the index, to be merged later with all the others. It is written out at once: what has
     * no space then fails before the commit, where it is certain that nothing is stored.
     */
    index(): void {
      if (insertConcepts.run() > 0) flushConcepts.run()
      if (putNew() + putChanged() > 0) flush.run()
    },
  }
}

type Run = ReturnType<Db["prepare"]>
