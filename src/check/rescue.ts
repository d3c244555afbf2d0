/** Keeps what a service holds when another program took its data file away from under it, or wrote into it. */
import { existsSync, renameSync, rmSync } from "node:fs"
import { messageOf } from "../contract/faults.ts"
import type { Db } from "../ledger/storage/database.ts"
import type { OpenedFiles } from "../ledger/storage/opened-files.ts"
import { noteOverwritten } from "../ledger/storage/overwritten.ts"
import { backUp } from "./backup.ts"

/**
 * Of a file that was deleted or replaced, the connection still holds all of it: it is written out beside the file, or under its name where
 * nothing has it. Of a file that was written over, the log is kept, and a note keeps the next start from using the two together.
 * @returns what was done, in a sentence; null where the files are well
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
  // SQLite would lay the log over whatever file is at its name next.
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
