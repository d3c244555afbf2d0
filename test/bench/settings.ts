/** How long the bench takes, and where it keeps its data. */
import { closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs"
import { join } from "node:path"
import { median } from "./numbers.ts"
import type { Helper } from "./process.ts"
import type { Load, Loaded } from "./load.ts"

export interface Settings {
  readonly rounds: number
  /** Seconds of one measurement. */
  readonly seconds: number
  /** Writes recorded for the bare loop. */
  readonly recorded: number
  /** Entries of the long Thread. */
  readonly long: number
  /** A folder on disk that goes when the bench ends. */
  readonly scratch: string
  readonly loader: Helper<Load, Loaded>
  /** Whether things are measured in the opposite order in this round. */
  readonly backwards: (round: number) => boolean
}

const TMPFS = 0x01021994

/** Makes the folder of the run beside what the build makes: never in memory, where a sync costs nothing. */
export function scratchFolder(): { folder: string; remove: () => void } {
  const dist = join(import.meta.dirname, "../../dist")
  mkdirSync(dist, { recursive: true })
  if (statfsSync(dist).type === TMPFS) throw new Error(`${dist} is on tmpfs; the bench needs a disk`)
  const folder = mkdtempSync(join(dist, "bench-"))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The median time that appending 16 KB and syncing them takes, in milliseconds: what the machine's disk is like. */
export function syncTime(folder: string): number {
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
