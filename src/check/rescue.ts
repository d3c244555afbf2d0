/** Saves the data of a running service after another program deleted, replaced or overwrote its file. */
import { existsSync, renameSync, rmSync } from "node:fs"
import { messageOf } from "../contract/faults.ts"
import type { Db } from "../ledger/storage/database.ts"
import { type OpenedFiles, noteOverwritten } from "../ledger/storage/opened-files.ts"
import { backUp } from "./backup.ts"

/**
 * The connection still has all data of a file that was deleted or replaced. It is written to another file beside it, or
 * under its own name if that is free. If the file was overwritten, its log is kept, and a note keeps the next start
 * from using the two together.
 * @returns a sentence that says what was done; null if the files are intact
 */
export function rescue(db: Db, file: string, files: OpenedFiles): string | null {
  try {
    if (files.isReplaced()) return writeOut(db, file)
    if (!files.isOverwritten()) return null
    noteOverwritten(file)
    return `The log of what was served is kept in ${file}-wal.`
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
    return `The data could not be written out: ${messageOf(error)}${hasLog ? ` The log of the file that was here is kept in ${log}.` : ""}`
  }
  for (const stale of [log, `${file}-shm`]) rmSync(stale, { force: true })
  return `All that was stored is in ${kept}.`
}
