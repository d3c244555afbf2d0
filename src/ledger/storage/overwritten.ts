/** A note beside a data file that another program overwrote while it was served. It keeps the next start from applying a log that does not belong to it. */
import { existsSync, statSync, writeFileSync } from "node:fs"
import { DataError } from "./data-error.ts"

/** The suffix of the note's name. */
export const OVERWRITTEN = "-overwritten"

/** Writes the note. @throws Error if the folder cannot be written */
export const noteOverwritten = (file: string): void => writeFileSync(`${file}${OVERWRITTEN}`, `${new Date().toISOString()}\n`)

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/**
 * Refuses a data file that does not belong to the log beside it: SQLite would apply the log to it, or delete the log.
 * @throws DataError that says what to do
 */
export function mustOwnLog(file: string): void {
  const [log, note] = [`${file}-wal`, `${file}${OVERWRITTEN}`]
  const otherwise = "restore a backup with research-room restore BACKUP --force, which keeps the present files under another name"
  if (existsSync(note))
    throw new DataError(
      `Another program wrote into ${file} while it was served. Nothing was changed. If its content is no longer the data, ${otherwise}. To use the file as it is now, delete ${log} and ${note}. If only its date was changed, delete ${note}.`,
    )
  if (sizeOf(file) === 0 && sizeOf(log) > 0)
    throw new DataError(
      `${file} is ${existsSync(file) ? "empty" : "missing"}, and the log of earlier data is beside it (${log}). Nothing was changed. Put back the file that belongs to the log, or ${otherwise}. To start with empty data, delete ${log}.`,
    )
}
