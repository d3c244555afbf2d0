/**
 * Replay: runs the journal through the same behaviours in a fresh database, with the recorded ids and chance. Each
 * entry must request exactly what was recorded; the caller compares the tables.
 */
import type { Ledger } from "../write/ledger.ts"
import { type Db, isStorageFault } from "../storage/database.ts"
import { headsOf } from "../journal/heads.ts"
import type { Entry } from "../journal/journal.ts"
import type { Recorded } from "../write/writing.ts"
import { messageOf } from "../../contract/faults.ts"

/** The target of a replay: a fresh database, and the ledger of an instance on it. */
export interface Scratch {
  readonly db: Db
  readonly ledger: Ledger
}

/** An entry cannot be replayed, or its result differs from what was recorded. */
export class Divergence extends Error {
  readonly position: number
  constructor({ position, operation }: Pick<Entry, "position" | "operation">, why: string, cause?: unknown) {
    super(`Entry ${position} of the journal (${operation}): ${why}`, { cause })
    this.position = position
  }
}

/** Entries that share a transaction; their texts are indexed together. */
const GROUP = 1_000

/** Called with the steps done, the total, and the current step. */
export type OnProgress = (done: number, total: number, what: string) => void

export interface Watching {
  /** Called after each entry with its result; null for an act. */
  readonly onEntry?: ((entry: Entry, recorded: Recorded | null) => void) | undefined
  /** Called regularly with the number of entries replayed. */
  readonly onProgress?: ((done: number) => void) | undefined
}

/**
 * Replays entries, in order.
 * @returns how many
 * @throws Divergence at the first entry whose result differs
 */
export function replay(
  entries: Iterable<Entry>,
  { db, ledger }: Scratch,
  { onEntry, onProgress }: Watching = {},
): number {
  let done = 0
  const heads = headsOf(db)
  db.exec("BEGIN")
  // Nobody else writes the file.
  heads.open()
  for (const entry of entries) {
    try {
      const recorded = ledger.replaying.entry(entry)
      onEntry?.(entry, recorded)
    } catch (error) {
      // A disk failure is not the entry's fault.
      throw error instanceof Divergence || isStorageFault(error)
        ? error
        : new Divergence(entry, messageOf(error), error)
    }
    done += 1
    if (done % GROUP !== 0) continue
    ledger.replaying.settle()
    heads.forget()
    db.exec("COMMIT; BEGIN")
    onProgress?.(done)
  }
  ledger.replaying.settle()
  db.exec("COMMIT")
  heads.close()
  heads.forget()
  onProgress?.(done)
  return done
}
