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

/** The most problems to list; further ones are counted. */
const MOST_PROBLEMS = 1_000

/** Reads the whole database and reports what is wrong with it. @param quick skips the replay */
export function checkData(db: Db, onProgress: OnProgress = () => {}, { quick = false } = {}): CheckReport {
  return db.snapshot(() => {
    const problems: string[] = []
    let more = 0
    const add = (problem: string) => {
      if (problems.length < MOST_PROBLEMS) problems.push(problem)
      else more += 1
    }
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
    if (more > 0) problems.push(`There are ${more} more problems.`)
    return { ...found, isReplayed: !quick, problems }
  })
}
