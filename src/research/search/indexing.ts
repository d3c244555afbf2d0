/** Writes texts to the search indexes: which words an item has, and how many texts have a term. */
import type { Db } from "../../ledger/storage/database.ts"
import { indexed } from "../../contract/words.ts"
import { isObject, type Json, parse, type Stored } from "../../contract/json.ts"

// How many indexed texts have a term. To count one in the index takes a search of each of its segments, and a text
// has a hundred terms, so counts are kept, and rise with each text that the connection indexes. They are forgotten
// when the index changed in another way.

/** Terms whose counts are kept, and texts that may be indexed after the last question before all are forgotten. */
const [TERMS, COUNTED_TEXTS] = [20_000, 1_000]
/** What the tokenizer of the index takes as a word. */
const WORDS = /[0-9A-Za-z\u0080-\uffff]+/g

export class TermCounts {
  readonly #version
  /** What was known of other connections, and the newest indexed item, when the counts were right. */
  #seen = -1
  #through = -1
  #unasked = 0
  readonly #texts = new Map<string, number>()

  constructor(db: Db) {
    this.#version = db.prepare<{ data_version: number }>("PRAGMA data_version")
  }

  /** Begins to ask for counts, within a snapshot. @param through the newest indexed item */
  open(through: number): void {
    const { data_version: version } = this.#version.one()
    if (version !== this.#seen || through !== this.#through) this.forget()
    this.#seen = version
    this.#through = through
    this.#unasked = 0
  }

  /** @param count counts the texts that have the term; at most as many as matter */
  of(term: string, count: () => number): number {
    if (this.#texts.size >= TERMS) this.forget()
    return this.#texts.getOrInsertComputed(term, count)
  }

  /** Notes a text, as it is written to the index. */
  added(item: number, texts: readonly (string | null)[]): void {
    if (this.#texts.size === 0) return
    this.#unasked += 1
    // An item that was indexed before was changed, or the transaction that indexed it was rolled back.
    if (item <= this.#through || this.#unasked > COUNTED_TEXTS) this.forget()
    this.#through = item
    const words = texts.flatMap((text) => (this.#texts.size === 0 ? [] : (text?.toLowerCase().match(WORDS) ?? [])))
    for (const word of new Set(words)) {
      const known = this.#texts.get(word)
      if (known !== undefined) this.#texts.set(word, known + 1)
    }
  }

  forget(): void {
    this.#texts.clear()
  }
}

const known = new WeakMap<Db, TermCounts>()

/** The counts of a connection. */
export const termCountsOf = (db: Db): TermCounts => known.getOrInsertComputed(db, () => new TermCounts(db))

// The words of an item: every text of the write that made it or describes it, except its title. Ids, times and
// enumerated words are left out by name (test/research/added/search-fields.test.ts checks these names against the
// schemas). Objects of any shape are kept as JSON, for their member names; a text in them is added if its JSON is
// escaped. SQLite would take ten times as long to compute this.

export interface Wording {
  readonly kind: string
  /** The title or label of the item. */
  readonly line: string | null
  /** The accepted content; null if it has no more words. */
  readonly content: Stored<Json> | null
}

/** Kinds of items whose words also include their title or label. */
const called: ReadonlySet<string> = new Set(["message", "link", "finding_link", "checkpoint", "attempt"])
/** Members that hold an enumerated word or a time. */
const listed: ReadonlySet<string> = new Set([
  "kind",
  "type",
  "intent",
  "outcome",
  "verdict",
  "state",
  "status",
  "event",
  "expectedStatus",
  "reportedAt",
])
const ofAnyShape: ReadonlySet<string> = new Set(["configuration", "environment"])
const REFERENCES = "references"
const ID = /^.{8}-.{4}-.{4}-.{4}-.{12}$/su

/** The lists of references and objects of any shape that a value is in, by the names of their members. */
type Place = readonly string[]
/** @param name the name of the member that has the value; null in an array */
const inside = (name: string | null, place: Place): Place =>
  name !== null && (name === REFERENCES || ofAnyShape.has(name)) ? [...place, name] : place

function isWorded(text: string, name: string | null, place: Place): boolean {
  if (place.some((each) => each !== REFERENCES) && JSON.stringify(text) === `"${text}"`) return false
  if (name === null) return !ID.test(text)
  if (listed.has(name)) return place.includes("configuration")
  if (name === "purpose" && place.includes(REFERENCES)) return false
  return !(name.endsWith("Id") && ID.test(text))
}

/** Returns the words of an item, a line for each text; null if there are none. */
export function wordsOf({ kind, line, content }: Wording): string | null {
  if (content === null) return null
  const texts: string[] = []
  const isCalled = called.has(kind)
  function gather(value: Json, name: string | null, place: Place): void {
    if (typeof value === "string") {
      const isTitle = isCalled ? kind === "message" && name === "title" : value === line
      if (!isTitle && isWorded(value, name, place)) texts.push(value)
    } else if (Array.isArray(value)) for (const item of value) gather(item, null, inside(name, place))
    else if (isObject(value)) {
      const members = Object.keys(value)
      const within = inside(name, place)
      if (name !== null && ofAnyShape.has(name) && members.length > 0) texts.push(JSON.stringify(value))
      for (const member of members) gather(value[member] ?? null, member, within)
    }
  }
  gather(parse(content), null, [])
  return texts.length === 0 ? null : texts.join("\n")
}

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

/** Pages of each index merged by one statement, for some milliseconds, and milliseconds for which it is repeated. */
const [MERGED, MERGING_MS] = [8, 15]

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
      const step = (pages: number): boolean => {
        const before = changes.one().changes
        for (const statement of merges) statement.run(pages)
        return changes.one().changes - before > merges.length
      }
      if (isFirst) {
        step(-MERGED)
        return true
      }
      for (const until = performance.now() + MERGING_MS; performance.now() < until; ) if (!step(MERGED)) return false
      return true
    },

    /** Rebuilds the indexes from the current texts. */
    reindex(): void {
      counts.forget()
      for (const statement of [forgetConcepts, forget, settle]) statement.run()
      putNext(Number.MAX_SAFE_INTEGER)
    },
  }
}
