/** Data that may only be read, opened to look through: on read-only media, or in a folder of another user. */
import { codeOf } from "../../contract/faults.ts"
import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Db } from "./database.ts"
import { DataError, openReadConnection, openDatabase, storedSchema } from "./opening.ts"
import { latestSchema } from "./schema.ts"

const may = (path: string, what: number): boolean => {
  try {
    accessSync(path, what)
    return true
  } catch {
    return false
  }
}

/** Whether a database cannot be opened as usual, which makes files beside it. */
export const isReadOnly = (file: string): boolean => !may(dirname(file), constants.W_OK) || !may(file, constants.W_OK)

/**
 * Opens data of which nothing may be changed. Where somebody has it open, it is read as of this moment. Else the database
 * would want to make files beside it, and to bring in what a log still holds: that is done in a copy, in the system's folder
 * for temporary files, which is gone when it is closed.
 * @param bringForward brings a copy of earlier data to this version
 * @throws DataError when it cannot be read, or there is no room for the copy
 */
export function openReadOnly(file: string, bringForward: (copy: string) => void): { readonly db: Db; close(): void } {
  for (const path of [file, `${file}-wal`])
    if (existsSync(path) && !may(path, constants.R_OK)) throw new DataError(`${path} may not be read by this user.`)
  const isOfToday = storedSchema(file) === latestSchema
  if (isOfToday && existsSync(`${file}-shm`)) {
    try {
      const db = openReadConnection(file)
      return { db, close: () => db.close() }
    } catch {
      // Nobody has it open: its log was left behind.
    }
  }
  const folder = mkdtempSync(join(tmpdir(), "research-room-check-"))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, "copy.db")
    for (const suffix of ["", "-wal"]) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix)
    bringForward(copy)
    const db = openDatabase(copy)
    return {
      db,
      close() {
        db.close()
        remove()
      },
    }
  } catch (error) {
    remove()
    if (error instanceof DataError) throw new DataError(error.message.replaceAll(join(folder, "copy.db"), file))
    const variable = process.platform === "win32" ? "TEMP" : "TMPDIR"
    throw new DataError(
      `${file} can only be read here, and is looked through in a copy in ${tmpdir()}, which failed (${codeOf(error)}). Set ${variable} to a folder with room for it.`,
    )
  }
}
