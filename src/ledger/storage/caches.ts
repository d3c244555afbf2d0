/** Caches of the data of a connection, in memory. Each forgets what it holds when words are withheld. */
import type { Db, Statement } from "./database.ts"

const callbacks = new WeakMap<Db, (() => void)[]>()
/** Registers a function that clears a cache of a connection, where that cache is made. */
export const onForget = (db: Db, forget: () => void): void =>
  void callbacks.getOrInsertComputed(db, () => []).push(forget)
/** Clears all caches of a connection: they may contain words that were withheld. */
export const forgetAll = (db: Db): void => callbacks.get(db)?.forEach((forget) => forget())

/** The newest of what was worked out, each under a key, for the next time that it is asked for. */
export class Remembered<T> {
  readonly #entries = new Map<string, T>()
  readonly #most: number

  /** @param most how many are kept */
  constructor(db: Db, most: number) {
    this.#most = most
    onForget(db, () => this.#entries.clear())
  }

  get(key: string): T | undefined {
    const found = this.#entries.get(key)
    if (found !== undefined) this.set(key, found)
    return found
  }

  set(key: string, value: T): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    for (const oldest of this.#entries.keys().take(Math.max(0, this.#entries.size - this.#most)))
      this.#entries.delete(oldest)
  }
}

/**
 * What was worked out of all tables, until anything is written, also by another process. What depends on the caller or
 * on the time must not be kept here.
 */
export class Kept<T> {
  readonly #known = new Map<string, T>()
  readonly #most: number
  readonly #version: Statement<{ readonly data_version: number }>
  readonly #newest: Statement<{ readonly position: number | null }>
  #state = ""

  /** @param most how much is kept */
  constructor(db: Db, most: number) {
    this.#most = most
    // It counts what other connections changed.
    this.#version = db.prepare("PRAGMA data_version")
    this.#newest = db.prepare("SELECT max(position) AS position FROM journal")
    onForget(db, () => this.#known.clear())
  }

  /** @param key names it @param work works it out */
  of(key: string, work: () => T): T {
    const state = `${this.#version.one().data_version} ${this.#newest.one().position}`
    if (state !== this.#state || this.#known.size >= this.#most) this.#known.clear()
    this.#state = state
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const found = work()
    this.#known.set(key, found)
    return found
  }
}

// A cache of the JSON texts of entries, each under a name that contains the digest of its write. What that digest
// covers changes only when words are withheld or Rooms dropped. Both drop the journal's triggers for a moment, which
// increments SQLite's schema version; the cache is cleared whenever that version changes. So a text is never older
// than the snapshot in which it is read.

/** Bytes that a connection caches for each list. */
const MOST = 1_000_000

interface Named {
  readonly name: string
}
interface Text extends Named {
  readonly text: string
}

export function keptTexts(db: Db) {
  const schema = db.prepare<{ schema_version: number }>("PRAGMA schema_version")
  const texts = new Map<string, string>()
  let [known, bytes] = [0, 0]

  /**
   * Returns a map with the texts of all given rows, and of others. Within a snapshot. @param make makes the texts that
   * are not cached
   */
  return <Row extends Named>(
    rows: readonly Row[],
    make: (missing: readonly Row[]) => readonly Text[],
  ): ReadonlyMap<string, string> => {
    const { schema_version: now } = schema.one()
    if (now !== known || bytes > MOST) texts.clear()
    if (texts.size === 0) [known, bytes] = [now, 0]
    const missing = rows.filter(({ name }) => !texts.has(name))
    for (const { name, text } of missing.length === 0 ? [] : make(missing)) {
      texts.set(name, text)
      // Counting the bytes also flattens the concatenated string.
      bytes += Buffer.byteLength(text)
    }
    return texts
  }
}
