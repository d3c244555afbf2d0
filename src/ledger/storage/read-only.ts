/** Opens data that must not be changed for a check: on read-only media, or in a folder of another user. */
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

/** Whether a database cannot be opened as usual, which creates files beside it. */
export const isReadOnly = (file: string): boolean => !may(dirname(file), constants.W_OK) || !may(file, constants.W_OK)

/**
 * Opens data without changing it. If another process has it open, it is read as of this moment. Otherwise SQLite would
 * create files beside it and apply a remaining log: that happens in a copy in the system's temporary folder, which is
 * deleted on closing.
 * @param bringForward upgrades a copy of earlier data to this version
 * @throws DataError if the data cannot be read, or there is no space for the copy
 */
export function openReadOnly(file: string, bringForward: (copy: string) => void): { readonly db: Db; close(): void } {
  for (const path of [file, `${file}-wal`])
    if (existsSync(path) && !may(path, constants.R_OK)) throw new DataError(`This user may not read ${path}.`)
  const isCurrent = storedSchema(file) === latestSchema
  if (isCurrent && existsSync(`${file}-shm`)) {
    try {
      const db = openReadConnection(file)
      return { db, close: () => db.close() }
    } catch {
      // No process has it open; its log is a leftover.
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
      `${file} cannot be written here, so a copy of it is checked in ${tmpdir()}. ` +
        `Making that copy failed (${codeOf(error)}). Set ${variable} to a folder with enough space.`,
    )
  }
}
