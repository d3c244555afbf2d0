/** Replays the journal into a temporary database, and compares the tables. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { remake } from "../app/compose/upgrade.ts"
import { type Db, isStorageFault } from "../ledger/storage/database.ts"
import { DataError } from "../ledger/storage/opening.ts"
import { journal } from "../ledger/journal/journal.ts"
import { Divergence } from "../ledger/replay/replay.ts"
import { indexing } from "../research/search/indexing.ts"
import { compare } from "./compare.ts"
import { messageOf } from "../contract/faults.ts"

/** Reports every difference between the data and a replay in the system's temporary folder. */
export function replayed(data: Db, add: (problem: string) => void, onProgress: (done: number, what: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "research-room-replay-"))
  try {
    let done = 0
    const watching = {
      onProgress(entries: number) {
        done = entries
        onProgress(entries, "history")
      },
    }
    // Texts are indexed soon after they are accepted: a text that is not indexed yet is not a fault.
    const made = remake(journal(data).entries(), join(folder, "replay.db"), watching, indexing(data).reached())
    try {
      compare(data, made, add, (table) => onProgress(done, table))
    } finally {
      made.close()
    }
  } catch (error) {
    // A full disk says nothing about the data.
    if (isStorageFault(error))
      throw new DataError(
        `The journal could not be replayed in ${folder} (${messageOf(error)}). Free some space there, or check with --quick.`,
      )
    if (!(error instanceof Divergence)) throw error
    add(`${error.message}. Later entries were not compared.`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
