/**
 * Stands in for better-sqlite3's search for its addon, in the executable only. The system loads an
 * addon from a file, so it is written to a folder of its own, loaded, and deleted at once: nothing
 * stays behind, and the home folder is not touched.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { getRawAsset } from "node:sea"

let addon: unknown
export const getBinding = (): unknown => (addon ??= load())

function load(): unknown {
  // The first may be full, read-only, or closed to programs (`noexec`).
  const places = [tmpdir(), "/dev/shm", "/var/tmp", dirname(process.execPath), process.cwd()]
  const failures: string[] = []
  for (const place of places) {
    let folder: string | undefined
    try {
      folder = mkdtempSync(join(place, "research-room-"))
      const file = join(folder, "better-sqlite3.node")
      writeFileSync(file, new Uint8Array(getRawAsset("better-sqlite3.node") as ArrayBuffer))
      const module = { exports: {} }
      process.dlopen(module, file)
      return module.exports
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error))
    } finally {
      if (folder !== undefined) remove(folder)
    }
  }
  throw new Error(`The database engine needs a folder it can be loaded from; set TMPDIR to one.\n${failures.join("\n")}`)
}

/** Windows keeps a loaded file until the program ends; it then stays in the temporary folder. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true })
  } catch {}
}
