/** Saves the data of a running service after another program deleted or replaced its file. */
import { existsSync, renameSync, rmSync } from "node:fs"
import { messageOf } from "../contract/faults.ts"
import type { Db } from "../ledger/storage/database.ts"
import type { OpenedFiles } from "../ledger/storage/opened-files.ts"
import { backUp } from "./backup.ts"

/**
 * The connection still has all data of a file that was deleted or replaced. It is written to another file beside it, or
 * under its own name if that is free.
 * @returns a sentence that says what was done; null if nothing was
 */
export function rescue(db: Db, file: string, files: OpenedFiles): string | null {
  try {
    return files.isReplaced() ? writeOut(db, file) : null
  } catch (error) {
    return `The data could not be kept: ${messageOf(error)}`
  }
}

function writeOut(db: Db, file: string): string {
  const stamp = new Date().toISOString().replaceAll(":", "-")
  const kept = existsSync(file) ? `${file}.before-${stamp}` : file
  // SQLite would apply the log to the next file of that name.
  const log = `${file}-wal.before-${stamp}`
  const hasLog = existsSync(`${file}-wal`)
  if (hasLog) renameSync(`${file}-wal`, log)
  try {
    backUp(db, kept)
  } catch (error) {
    return (
      "The data could not be written out: " +
      `${messageOf(error)}${hasLog ? ` The log of the file that was here is kept in ${log}.` : ""}`
    )
  }
  for (const stale of [log, `${file}-shm`]) rmSync(stale, { force: true })
  return `All that was stored is in ${kept}.`
}
