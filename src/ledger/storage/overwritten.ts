/** What stands beside a data file that another program wrote into while it was served, and keeps the next start from using it with a log that is not its own. */
import { existsSync, statSync, writeFileSync } from "node:fs"
import { DataError } from "./data-error.ts"

/** Ends the name of the note beside the data file. */
export const OVERWRITTEN = "-overwritten"

/** Leaves the note. @throws Error where the folder cannot be written */
export const noteOverwritten = (file: string): void => writeFileSync(`${file}${OVERWRITTEN}`, `${new Date().toISOString()}\n`)

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/**
 * Refuses a data file that does not belong to the log beside it: SQLite would lay the one over the other, or delete the log.
 * @throws DataError that says what to do
 */
export function mustOwnLog(file: string): void {
  const [log, note] = [`${file}-wal`, `${file}${OVERWRITTEN}`]
  const otherwise = "put a backup back with research-room restore BACKUP --force, which keeps what is there under another name"
  if (existsSync(note))
    throw new DataError(
      `Another program wrote into ${file} while it was served. Nothing was changed. If its content is no longer the data, ${otherwise}. To use the file as it is now, delete ${log} and ${note}. If only its date was changed, delete ${note}.`,
    )
  if (sizeOf(file) === 0 && sizeOf(log) > 0)
    throw new DataError(
      `${file} is ${existsSync(file) ? "empty" : "missing"}, and the log of earlier data is beside it (${log}). Nothing was changed. Put the file back that belongs to the log, or ${otherwise}. To begin anew, delete ${log}.`,
    )
}
