/**
 * Stands in for better-sqlite3's search for its addon, in the executable only. The system loads an addon from a file, so it is
 * written to a folder of its own. Linux lets it be deleted at once: nothing stays behind, and the home folder is not touched.
 * macOS deletes it at the end, Windows at the next start; so does any system what a killed start left behind.
 *
 * All threads must load one and the same file. Of two, each would bring an SQLite of its own, and two in one process do not see
 * each other's locks: the data would be lost.
 */
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { getRawAsset } from "node:sea"
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads"
import { deleteLeftovers, fileName, prefix } from "./leftovers.ts"

/** Threads that are started later find the file under this name. */
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
  // The first may be full, read-only, or closed to programs (`noexec`).
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
  const sentence = `The database engine needs a folder it can be loaded from; set ${variable} to one (${failures.join("; ")}).`
  throw Object.assign(new Error(sentence), { code: "ERR_NO_ENGINE" })
}

function loaded(file: string): unknown {
  const module = { exports: {} }
  process.dlopen(module, file)
  return module.exports
}

/** On Linux the open file can be named after it is deleted, and the loader knows it for the one it has. */
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

/** Fails on Windows, where the file is in use. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true })
  } catch {}
}
