/**
 * Replay: runs the journal through the same behaviours, in a fresh database, with the ids and chance that were given then. What comes
 * out must ask for exactly what was given; whoever replays compares the rest.
 */
import type { Ledger } from "../write/admit.ts"
import { type Db, isStorageFault } from "../storage/database.ts"
import type { Entry } from "../journal/journal.ts"
import type { Recorded } from "../write/recorder.ts"
import { messageOf } from "../../contract/faults.ts"

/** Where a journal is replayed: a fresh database, and the ledger of an instance on it. */
export interface Scratch {
  readonly db: Db
  readonly ledger: Ledger
}

/** An entry cannot be replayed, or does not come out as it was recorded. */
export class Divergence extends Error {
  readonly position: number
  constructor({ position, operation }: Pick<Entry, "position" | "operation">, why: string, cause?: unknown) {
    super(`Entry ${position} of the history (${operation}): ${why}`, { cause })
    this.position = position
  }
}

/** Entries that share a transaction: what comes of them is indexed together. */
const GROUP = 1_000

/** What is being done, and how much of all there is to do has been. */
export type OnProgress = (done: number, total: number, what: string) => void

export interface Watching {
  /** Told of each entry and what became of it; null for what is no operation. */
  readonly onEntry?: ((entry: Entry, recorded: Recorded | null) => void) | undefined
  /** Told now and then how many entries are done. */
  readonly onProgress?: ((done: number) => void) | undefined
}

/**
 * Replays entries, in order.
 * @returns how many
 * @throws Divergence at the first one that does not come out as it was
 */
export function replay(entries: Iterable<Entry>, { db, ledger }: Scratch, { onEntry, onProgress }: Watching = {}): number {
  let done = 0
  db.exec("BEGIN")
  for (const entry of entries) {
    try {
      const recorded = ledger.replaying.entry(entry)
      onEntry?.(entry, recorded)
    } catch (error) {
      // What the disk does is no fault of the entry's.
      throw error instanceof Divergence || isStorageFault(error) ? error : new Divergence(entry, messageOf(error), error)
    }
    done += 1
    if (done % GROUP !== 0) continue
    ledger.replaying.settle()
    db.exec("COMMIT; BEGIN")
    onProgress?.(done)
  }
  ledger.replaying.settle()
  db.exec("COMMIT")
  onProgress?.(done)
  return done
}
