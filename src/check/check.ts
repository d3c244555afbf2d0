/**
 * Checks a whole database: the file itself, its tables and triggers, every chain of digests, and every row of every table
 * against what a replay of the history makes. Rows are read a page at a time, so that its memory does not grow with the data.
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
  /** Entries whose bodies no digest proves, because parts of them were withheld. */
  readonly unproved: readonly { readonly roomId: string; readonly sequence: number }[]
  /** Whether the history was replayed and every row compared. */
  readonly isReplayed: boolean
  /** One sentence for each thing that is wrong; empty for a whole database. */
  readonly problems: readonly string[]
}

export interface Extent {
  /** Leaves the replay out. */
  readonly quick?: boolean
}

/** How many problems are listed; the rest are counted. */
const MOST_PROBLEMS = 1_000

class Problems {
  readonly told: string[] = []
  #more = 0

  add(problem: string): void {
    if (this.told.length < MOST_PROBLEMS) this.told.push(problem)
    else this.#more += 1
  }
  all(): string[] {
    return this.#more === 0 ? this.told : [...this.told, `There are ${this.#more} more problems.`]
  }
}

/** Reads the whole database and reports what does not hold together. */
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
