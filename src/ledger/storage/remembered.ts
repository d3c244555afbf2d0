/** What is kept in memory of the data of a connection, and forgotten when words are withheld. */
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
