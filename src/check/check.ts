/**
 * Proves a database whole: the file itself, the digest chain of every Room, that each accepted content is still what its
 * digest says, and that no number is missing. Rows are read a page at a time, so that its memory does not grow with the data.
 */
import { accepted } from "./accepted.ts"
import { copies } from "./copies.ts"
import { receipts } from "./receipts.ts"
import { fileItself, sequences } from "./structure.ts"
import type { Db } from "../ledger/database.ts"

export interface CheckReport {
  readonly rooms: number
  readonly activityEntries: number
  readonly records: number
  /** One sentence for each thing that is wrong; empty for a whole database. */
  readonly problems: readonly string[]
}

/** What is being looked at, and how much of all there is to look at has been. */
export type OnProgress = (done: number, total: number, what: string) => void

/** As many problems are told one by one; the rest are counted. */
const MOST_PROBLEMS = 1_000

class Problems {
  readonly told: string[] = []
  #more = 0

  add(problem: string): void {
    if (this.told.length < MOST_PROBLEMS) this.told.push(problem)
    else this.#more += 1
  }
  all(): string[] {
    return this.#more === 0 ? this.told : [...this.told, `There are ${this.#more} problems more.`]
  }
}

/** Reads the whole database and reports what does not hold together. */
export function checkData(db: Db, onProgress: OnProgress = () => {}): CheckReport {
  return db.snapshot(() => {
    const problems = new Problems()
    const add = (problem: string) => problems.add(problem)
    const rows = (table: string) => db.prepare<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows ?? 0
    const [entries, kept] = [rows("activity_entries"), rows("receipts")]
    // The parts that tell nothing while they run are weighed as if they were rows.
    const part = Math.max(1, Math.ceil((entries + kept) / 4))
    const total = entries + kept + 2 * part
    let before = 0
    const step = (size: number, what: string) => {
      const start = before
      before += size
      onProgress(start, total, what)
      return (done: number) => onProgress(start + done, total, what)
    }

    step(part, "file")
    fileItself(db, add)
    sequences(db, add)
    const feed = accepted(db, add, step(entries, "activity"))
    receipts(db, add, feed, step(kept, "receipts"))
    step(part, "records")
    copies(db, add)
    onProgress(total, total, "done")
    const { rooms, activityEntries, records } = feed
    return { rooms, activityEntries, records, problems: problems.all() }
  })
}
