/**
 * Where the journal and the timelines end, kept from one write to the next. Another process may write too (a command
 * beside the service): `PRAGMA data_version` tells, once a group. If a remembered end were wrong, the keys of the
 * tables would refuse the next row, and the queue runs a group that fails again without what it remembered.
 */
import type { Db } from "../storage/database.ts"

/** How many Threads are remembered. */
const THREADS = 1_000

/** A row of the journal. */
export interface Head {
  readonly position: number
  readonly digest: Buffer
}

export class Heads {
  readonly #version
  #seen = -1
  #isOpen = false
  #journal: Head | undefined
  readonly #threads = new Map<string, number>()

  constructor(db: Db) {
    this.#version = db.prepare<{ data_version: number }>("PRAGMA data_version")
  }

  /** Begins a transaction of the queue. Outside of them nothing is remembered. */
  open(): void {
    const { data_version: version } = this.#version.one()
    if (version !== this.#seen) this.forget()
    this.#seen = version
    this.#isOpen = true
  }

  /** Whether a transaction of the queue is open: what it wrote may still be taken back. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Ends a transaction of the queue. */
  close(): void {
    this.#isOpen = false
  }

  /** Forgets everything, after a rollback or a change of the tables by other means. */
  forget(): void {
    this.#journal = undefined
    this.#threads.clear()
  }

  /** The newest row of the journal, if it is known. */
  get journal(): Head | undefined {
    return this.#isOpen ? this.#journal : undefined
  }

  set journal(head: Head) {
    this.#journal = this.#isOpen ? head : undefined
  }

  /** The sequence of the newest entry of a Thread, if it is known. */
  thread(id: string): number | undefined {
    return this.#isOpen ? this.#threads.get(id) : undefined
  }

  setThread(id: string, sequence: number): void {
    if (this.#threads.size >= THREADS) this.#threads.clear()
    if (this.#isOpen) this.#threads.set(id, sequence)
    else this.#threads.delete(id)
  }
}

const known = new WeakMap<Db, Heads>()

/** What is remembered of a connection. */
export function headsOf(db: Db): Heads {
  const heads = known.get(db) ?? new Heads(db)
  known.set(db, heads)
  return heads
}
