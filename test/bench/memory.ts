/**
 * Memory at rest, and while an hour's worth of requests is handled: sampled, so that growth can be told from warming
 * up.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { copyData, remove, repositoriesOf } from "./data/demo.ts"
import { livedIn } from "./data/lived-in.ts"
import { median } from "./numbers.ts"
import { startServe } from "./process.ts"
import { progress } from "./progress.ts"
import type { Bench } from "./settings.ts"

const SAMPLES = 24
const pause = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000))

/** The memory of a process in megabytes, as Linux counts it; NaN elsewhere. */
function resident(pid: number): number {
  if (process.platform !== "linux") return Number.NaN
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
}

export async function memory(bench: Bench): Promise<void> {
  const { scratch, demo, loader, hour, report } = bench
  const { folder, mixed } = await livedIn(demo, join(scratch, "lived-in"))
  const copy = copyData(folder, join(scratch, "resting"))
  const { port, pid, end } = await startServe(copy, repositoriesOf(demo))
  const shown = progress("memory", SAMPLES)
  const samples: number[] = []
  await pause(2)
  const atRest = resident(pid)
  try {
    const rate = hour.requests / hour.seconds
    let done = false
    const sent = loader
      .ask({ port, connections: 16, file: mixed, rate, count: hour.requests })
      .finally(() => (done = true))
    while (!done) {
      shown.step(`${hour.requests} requests in ${hour.seconds} s`)
      await Promise.race([pause(hour.seconds / SAMPLES), sent])
      samples.push(resident(pid))
    }
    await sent
  } finally {
    shown.end()
  }
  await pause(2)
  const after = resident(pid)
  await end()
  remove(copy)
  remove(folder)
  const part = (from: number, to: number) =>
    samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to))
  report.table({
    title:
      `Memory of the service in MB: an hour of ${(hour.requests / 3600).toFixed(0)} requests a second, mixed, ` +
      `pressed into ${hour.seconds} s`,
    notes: [`Sampled: ${samples.map((sample) => sample.toFixed(0)).join(" ")}`],
    columns: [{ name: "MB", digits: 0 }],
    rows: [
      { name: "at rest, after the start", cells: [[atRest]] },
      { name: "first third", cells: [[median(part(0, 1 / 3))]] },
      { name: "second third", cells: [[median(part(1 / 3, 2 / 3))]] },
      { name: "last third", cells: [[median(part(2 / 3, 1))]] },
      { name: "at rest, afterwards", cells: [[after]] },
    ],
  })
  report.aimOf("memory at rest, after the start, MB", [atRest], { atMost: 120 })
}
