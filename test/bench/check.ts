/** `check` with its full replay on histories of two lengths: its speed, and whether its memory grows with them. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { copyData, remove } from "./data/demo.ts"
import { House, inTurn, times } from "./data/house.ts"
import { hypothesis, planned, some, succeeded } from "./data/targets.ts"
import { ratio } from "./numbers.ts"
import { mustBeBuilt } from "./process.ts"
import { progress } from "./progress.ts"
import type { Bench } from "./settings.ts"
import { messageText } from "./writes/recipes/discussion.ts"

/** Writes made in one transaction. */
const GROUP = 2_000
/** Milliseconds between two looks at the peak memory of the process. */
const LOOK = 20

/**
 * A history with this many writes after the demo's: mostly messages, and some of everything that depends on something.
 */
async function filled(demo: string, folder: string, writes: number): Promise<number> {
  const house = new House(copyData(demo, folder), demo)
  const { threadId } = house
  const plans = await house.fill(() => some(() => planned(house)))
  for (let count = house.instance.ledger.journal.count(); count < writes; count = house.instance.ledger.journal.count())
    await house.fill(() =>
      times(Math.ceil(Math.min(GROUP, writes - count) / 10), (index) => {
        hypothesis(house)
        succeeded(house, inTurn(plans, index))
        times(6, () => house.does("post_message", { threadId, text: messageText }))
      }),
    )
  const entries = house.instance.ledger.journal.count()
  house.close()
  return entries
}

interface Checked {
  /** The peak memory of the process in megabytes, as Linux counts it; NaN elsewhere. */
  readonly peak: number
  readonly seconds: number
}

/** Runs `check` in a process of its own. @throws Error if the data is not whole */
async function checked(folder: string): Promise<Checked> {
  const [program, ...before] = mustBeBuilt("node")
  const child = spawn(program, [...before, "check", "--data", folder], { stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => (said += text.toString("utf8")))
  let peak = Number.NaN
  const look = () => {
    try {
      const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]
      if (found !== undefined) peak = Number(found) / 1024
    } catch {
      // It has just ended, or the system counts differently.
    }
  }
  const timer = setInterval(look, LOOK)
  const startedAt = performance.now()
  const [code] = (await once(child, "close")) as [number | null]
  clearInterval(timer)
  if (code !== 0 || !said.includes("all whole")) throw new Error(`check ended with ${code}: ${said}`)
  return { peak, seconds: (performance.now() - startedAt) / 1000 }
}

export async function check({ scratch, demo, histories, report }: Bench): Promise<void> {
  const shown = progress("check", histories.length * 2)
  const found: (Checked & { readonly entries: number })[] = []
  try {
    for (const writes of histories) {
      const folder = join(scratch, "checked")
      shown.step(`${writes} writes are made`)
      const entries = await filled(demo, folder, writes)
      shown.step(`${writes} writes are checked`)
      found.push({ entries, ...(await checked(folder)) })
      remove(folder)
    }
  } finally {
    shown.end()
  }
  report.table({
    title: "check, which replays the whole history and compares every row",
    columns: [
      { name: "seconds", digits: 1 },
      { name: "entries/s", digits: 0 },
      { name: "MB at most", digits: 0 },
    ],
    rows: found.map(({ entries, seconds, peak }) => ({
      name: `${entries.toLocaleString("en")} entries`,
      cells: [[seconds], [entries / seconds], [peak]],
    })),
  })
  const [first, last] = [found[0], found.at(-1)]
  if (first === undefined || last === undefined || first === last) return
  // A history ten times as long may take a little more: cached pages, and garbage that is not yet collected.
  report.aimOf(
    `memory of check, ${last.entries.toLocaleString("en")} entries / ${first.entries.toLocaleString("en")}`,
    ratio([last.peak], [first.peak]),
    { atMost: 1.5 },
  )
}
