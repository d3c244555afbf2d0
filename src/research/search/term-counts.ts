/**
 * How many indexed texts have a term. To count one in the index takes a search of each of its segments, and a text has
 * a hundred terms, so counts are kept, and rise with each text that the connection indexes. They are forgotten when the
 * index changed in another way.
 */
import type { Db } from "../../ledger/storage/database.ts"

/** Terms whose counts are kept, and texts that may be indexed after the last question before all are forgotten. */
const [TERMS, TEXTS] = [20_000, 1_000]
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
    if (item <= this.#through || this.#unasked > TEXTS) this.forget()
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
