/**
 * The environment of the run: the machine, its disk, the commit, and a folder on that disk which is removed when the
 * bench ends.
 */
import { execFileSync } from "node:child_process"
import { closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs"
import { availableParallelism, cpus, loadavg } from "node:os"
import { join } from "node:path"
import { median } from "./numbers.ts"

export const root = join(import.meta.dirname, "../..")
const dist = join(root, "dist")
/** The folder for results. */
export const jsonFile = join(dist, "bench.json")

const TMPFS = 0x01021994

/** Makes the folder of the run beside the build output: never in memory, where a sync costs nothing. */
export function scratchFolder(): { folder: string; remove: () => void } {
  mkdirSync(dist, { recursive: true })
  if (statfsSync(dist).type === TMPFS) throw new Error(`${dist} is on tmpfs; the bench needs a disk`)
  const folder = mkdtempSync(join(dist, "bench-"))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The median time of appending 16 KB and syncing them, in milliseconds: a measure of the machine's disk. */
function syncTime(folder: string): number {
  const file = openSync(join(folder, "sync"), "w")
  const block = Buffer.alloc(16_384)
  const times = Array.from({ length: 200 }, () => {
    const before = performance.now()
    writeSync(file, block)
    fdatasyncSync(file)
    return performance.now() - before
  })
  closeSync(file)
  return median(times)
}

/** The commit, marked if files differ from it. */
function commit(): string {
  try {
    const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" }).trim()
    return (
      `${git("rev-parse", "--short", "HEAD")}` +
      `${git("status", "--porcelain", "--", "src") === "" ? "" : " and changes"}`
    )
  } catch {
    return "unknown"
  }
}

export const load = (): number => loadavg()[0] ?? Number.NaN

export const machine = (scratch: string) => ({
  node: process.versions.node,
  commit: commit(),
  processors: availableParallelism(),
  processor: cpus()[0]?.model ?? "unknown processor",
  syncMilliseconds: syncTime(scratch),
  load: load(),
  startedAt: new Date().toISOString(),
})
