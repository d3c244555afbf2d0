/** Replays the history into a database of its own, and compares. */
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

/** Makes everything again in the system's folder for temporary files, and tells what differs. */
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
    // Texts are indexed soon after they are accepted: those that are not yet are no fault.
    const made = remake(journal(data).entries(), join(folder, "replay.db"), watching, indexing(data).reached())
    try {
      compare(data, made, add, (table) => onProgress(done, table))
    } finally {
      made.close()
    }
  } catch (error) {
    // A full disk says nothing of the data.
    if (isStorageFault(error))
      throw new DataError(
        `The history is replayed in ${folder}, which failed (${messageOf(error)}). Make room there, or check with --quick.`,
      )
    if (!(error instanceof Divergence)) throw error
    add(`${error.message}. What comes after it was not compared.`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
