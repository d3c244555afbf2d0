/**
 * Checks a whole database: the file itself, its tables and triggers, every chain of digests, and every row of every table against a
 * replay of the journal. Rows are read a page at a time, so memory does not grow with the data.
 */
import type { Db } from "../ledger/storage/database.ts"
import { journal } from "../ledger/journal/journal.ts"
import type { OnProgress } from "../ledger/replay/replay.ts"
import { chains } from "./chains.ts"
import { replayed } from "./replayed.ts"
import { seals } from "./seals.ts"
import { fileItself } from "./file-itself.ts"
import { structure } from "../ledger/storage/structure.ts"

export interface CheckReport {
  readonly rooms: number
  readonly activityEntries: number
  readonly records: number
  /** Entries whose bodies no digest proves because parts of them were withheld. */
  readonly unproved: readonly { readonly roomId: string; readonly sequence: number }[]
  /** Whether the journal was replayed and every row compared. */
  readonly isReplayed: boolean
  /** A sentence for each problem; empty if there is none. */
  readonly problems: readonly string[]
}

export interface Extent {
  /** Skips the replay. */
  readonly quick?: boolean
}

/** The most problems to list; further ones are counted. */
const MOST_PROBLEMS = 1_000

class Problems {
  readonly listed: string[] = []
  #more = 0

  add(problem: string): void {
    if (this.listed.length < MOST_PROBLEMS) this.listed.push(problem)
    else this.#more += 1
  }
  all(): string[] {
    return this.#more === 0 ? this.listed : [...this.listed, `There are ${this.#more} more problems.`]
  }
}

/** Reads the whole database and reports what is wrong with it. */
export function checkData(db: Db, onProgress: OnProgress = () => {}, { quick = false }: Extent = {}): CheckReport {
  return db.snapshot(() => {
    const problems = new Problems()
    const add = (problem: string) => problems.add(problem)
    const entries = db.prepare<{ rows: number }>("SELECT coalesce(sum(activity_sequence), 0) AS rows FROM room_heads").get()?.rows ?? 0
    const written = journal(db).count()
    // Steps that report no progress count as a share of the rows.
    const part = Math.max(1, Math.ceil((entries + written) / 4))
    const total = part + entries + (quick ? 0 : written + part)
    onProgress(0, total, "file")
    fileItself(db, add)
    structure(db, add)
    seals(db, add)
    onProgress(part, total, "activity")
    const found = chains(db, add, (done) => onProgress(Math.min(part + done, total), total, "activity"))
    if (!quick) replayed(db, add, (done, what) => onProgress(Math.min(part + entries + done, total), total, what))
    onProgress(total, total, "done")
    return { ...found, isReplayed: !quick, problems: problems.all() }
  })
}
