/**
 * Makes sure that only one process serves a data folder. The claim is a lock on a small SQLite file beside the data, and another
 * that needs no file. The system releases both when the process ends, however it ends, so neither is ever stale.
 */
import { codeOf } from "../../contract/faults.ts"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DataError, openLock } from "./opening.ts"
import { claimFromSystem } from "./system-claim.ts"

/**
 * Claims a data folder until the returned function is called or the process ends.
 * @throws DataError if another process has it, or the folder cannot be written
 */
export function lockFolder(folder: string): () => void {
  const note = join(folder, "serve.pid")
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new DataError(`The data folder ${folder} cannot be made (${codeOf(error)}).`)
  }
  const unlock = openLock(join(folder, "serve.lock"))
  if (unlock === null) throw taken(folder, holder(note))
  const claimed = claimFromSystem(folder)
  if (typeof claimed !== "function") {
    unlock()
    throw taken(folder, claimed.holder === null ? "" : ` (${claimed.holder})`)
  }
  try {
    writeFileSync(note, `${process.pid}\n`)
  } catch (error) {
    claimed()
    unlock()
    throw new DataError(`The data folder ${folder} cannot be written (${codeOf(error)}).`)
  }
  return () => {
    rmSync(note, { force: true })
    claimed()
    unlock()
  }
}

const taken = (folder: string, by: string) =>
  new DataError(`Another research-room process${by} serves ${folder} already. Stop it, or choose another --data folder.`)

/** The process id in the note, for the message. */
function holder(note: string): string {
  try {
    return ` (${readFileSync(note, "utf8").trim()})`
  } catch {
    return ""
  }
}
