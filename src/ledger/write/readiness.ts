/** Readiness: whether the service accepts writes now. It queries the writer, and tries a write in case of doubt. */
import { statfsSync } from "node:fs"
import { dirname } from "node:path"
import type { Db } from "../storage/database.ts"

/** With less free disk space than this, a write is tried. */
const DOUBTFUL_BYTES = 16 * 1024 * 1024

export interface ReadinessParts {
  readonly file: string
  readonly ledger: { probe(doubtful: boolean): Promise<unknown> }
  /** Why the service is shutting down; null if it is not. */
  readonly ending: () => string | null
  /** Why writes fail for another reason than the storage; null if there is none. */
  readonly otherwise?: () => string | null
  /** How long to wait for the writer, and how long an answer is cached, in milliseconds. */
  readonly patienceMs?: number
  readonly cacheMs?: number
}

export class Readiness {
  readonly #parts: Required<ReadinessParts>
  /** A write failed because of the storage, and no later one has passed. */
  #failing = false
  #checking: Promise<string | null> | null = null
  #found: { readonly why: string | null; readonly at: number } | null = null

  constructor(parts: ReadinessParts) {
    this.#parts = { patienceMs: 3_000, cacheMs: 1_000, otherwise: () => null, ...parts }
  }

  /** Reports that the storage lost writes. */
  failed(): void {
    this.#failing = true
    this.#found = null
  }

  /** Returns a sentence that says why writes are not accepted, or null. Concurrent calls share one check. */
  async why(): Promise<string | null> {
    const { ending, cacheMs, patienceMs } = this.#parts
    if (ending() !== null) return ending()
    if (this.#found !== null && performance.now() - this.#found.at < cacheMs) return this.#found.why
    // A check that hangs is not repeated.
    this.#checking ??= this.#check().finally(() => (this.#checking = null))
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve("Writes are not answered at the moment."), patienceMs)
    })
    return Promise.race([this.#checking, late]).finally(() => clearTimeout(timer))
  }

  async #check(): Promise<string | null> {
    const doubtful = this.#failing || this.#isSpaceShort()
    let why: string | null = null
    try {
      await this.#parts.ledger.probe(doubtful)
      this.#failing = false
    } catch {
      this.#failing = true
      why =
        this.#parts.otherwise() ??
        "The data cannot be written at the moment: the disk is full or fails, or another program holds the data."
    }
    this.#found = { why, at: performance.now() }
    return why
  }

  #isSpaceShort(): boolean {
    try {
      const { bavail, bsize } = statfsSync(dirname(this.#parts.file))
      return bavail * bsize < DOUBTFUL_BYTES
    } catch {
      return false
    }
  }
}

// The write that is tried: one of a realistic size, which changes nothing.

/** More than the largest content with everything derived from it. */
const BYTES = 512 * 1024

/**
 * Part of an open transaction. Writes some pages into the log and rolls them back: with hardly any page cache, SQLite
 * has to write them out before the rollback. Then leaves one page changed, so that the commit writes too.
 * @throws whatever a write throws if there is no space for it
 */
export function tryStorage(db: Db): void {
  const kept = db.prepare<{ cache_size: number }>("PRAGMA cache_size").get()?.cache_size ?? 0
  db.exec("SAVEPOINT try_storage")
  try {
    db.exec("PRAGMA cache_size = 10")
    db.prepare(
      "INSERT INTO papers (paper_id, origin, recorded_at, record) VALUES ('', 'import', '', hex(zeroblob(+?)))",
    ).run(BYTES / 2)
  } finally {
    db.exec(`PRAGMA cache_size = ${kept}`)
    if (db.inTransaction) db.exec("ROLLBACK TO try_storage; RELEASE try_storage")
  }
  db.prepare("UPDATE instance SET created_at = created_at").run()
}
