/**
 * Replaces better-sqlite3's search for its addon, in the executable only. The system loads an addon from a file, so it
 * is written to a temporary folder of its own, not to the home folder. On Linux the folder is deleted immediately, on
 * macOS at exit, on Windows at the next start. Every start also deletes what killed programs left.
 *
 * All threads must load the same file. Two files would load SQLite twice, and two copies of SQLite in one process do
 * not respect each other's locks, which would corrupt the data.
 */
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { getRawAsset } from "node:sea"
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads"
import { deleteLeftovers, fileName, prefix } from "./leftovers.ts"

/** The name under which later threads find the file. */
const sharedAs = "research-room-addon"
const windows = process.platform === "win32"

let addon: unknown
export const getBinding = (): unknown => (addon ??= isMainThread ? loadFirst() : loadShared())

function loadShared(): unknown {
  const file = getEnvironmentData(sharedAs)
  if (typeof file !== "string") throw new Error("A thread opened the database before the program did.")
  return loaded(file)
}

function loadFirst(): unknown {
  // The first folder may be full, read-only or mounted with `noexec`.
  const places = [tmpdir(), ...(windows ? [] : ["/dev/shm", "/var/tmp"]), dirname(process.execPath), process.cwd()]
  const failures: string[] = []
  for (const place of places) {
    let folder: string | undefined
    try {
      deleteLeftovers(place, Date.now())
      folder = mkdtempSync(join(place, prefix))
      const file = join(folder, fileName)
      writeFileSync(file, new Uint8Array(getRawAsset("better-sqlite3.node") as ArrayBuffer))
      const made = loaded(file)
      share(folder, file)
      return made
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error))
      if (folder !== undefined) remove(folder)
    }
  }
  const variable = windows ? "TEMP" : "TMPDIR"
  const why = failures.join("; ")
  const sentence = `The database engine needs a folder it can be loaded from; set ${variable} to one (${why}).`
  throw Object.assign(new Error(sentence), { code: "ERR_NO_ENGINE" })
}

function loaded(file: string): unknown {
  const module = { exports: {} }
  process.dlopen(module, file)
  return module.exports
}

/**
 * On Linux an open file has a path even after it is deleted, and the loader recognises that it has loaded this file.
 */
function share(folder: string, file: string): void {
  const open = process.platform === "linux" ? `/proc/self/fd/${openSync(file, "r")}` : ""
  if (open !== "" && existsSync(open)) {
    setEnvironmentData(sharedAs, open)
    remove(folder)
  } else {
    setEnvironmentData(sharedAs, file)
    process.on("exit", () => remove(folder))
  }
}

/** Does nothing on Windows, where the file is in use. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true })
  } catch {}
}
