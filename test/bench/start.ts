/** Start to ready, and how fast the executable is beside plain Node. */
import { statSync } from "node:fs"
import { join } from "node:path"
import { copyData, remove, repositoriesOf } from "./data/demo.ts"
import { livedIn } from "./data/lived-in.ts"
import { executable } from "../support/program.ts"
import { ratio } from "./numbers.ts"
import { type Form, startServe } from "./process.ts"
import { progress } from "./progress.ts"
import { backwards, type Bench } from "./settings.ts"

interface Round {
  readonly ready: number
  readonly answered: number
  readonly writes: number
  readonly reads: number
}

export async function start(bench: Bench): Promise<void> {
  const { scratch, demo, loader, starts, many, report } = bench
  const { folder, messages, page } = await livedIn(demo, join(scratch, "lived-in"))

  /** Starts it once, and lets it write and answer pages. */
  async function round(form: Form): Promise<Round> {
    const copy = copyData(folder, join(scratch, "started"))
    const before = performance.now()
    const { port, readyAfter, end } = await startServe(copy, repositoriesOf(demo), form)
    const health = await fetch(`http://127.0.0.1:${port}/api/health/ready`)
    if (!health.ok) throw new Error(`the service was not ready: ${health.status}`)
    await health.text()
    const answered = performance.now() - before
    const load = { port, connections: 16, warmUp: 2 * many, count: 2 * many }
    const written = await loader.ask({ ...load, file: messages })
    const read = await loader.ask({ ...load, file: page })
    await end()
    remove(copy)
    return { ready: readyAfter, answered, writes: written.perSecond, reads: read.perSecond }
  }

  const found: Record<Form, Round[]> = { node: [], executable: [] }
  const shown = progress("start", starts * 2)
  try {
    for (let at = 0; at < starts; at += 1) {
      for (const form of backwards(at) ? (["executable", "node"] as const) : (["node", "executable"] as const)) {
        shown.step(`${form}, round ${at + 1}`)
        found[form].push(await round(form))
      }
    }
  } finally {
    shown.end()
    remove(folder)
  }
  const row = (name: string, what: keyof Round) => {
    const [node, executable] = [found.node.map((each) => each[what]), found.executable.map((each) => each[what])]
    return { name, cells: [node, executable, ratio(executable, node)] }
  }
  report.table({
    title: "The executable beside plain Node running dist/main.js",
    columns: [
      { name: "Node", digits: 0 },
      { name: "executable", digits: 0 },
      { name: "executable / Node", digits: 2 },
    ],
    rows: [
      row("start to ready, ms", "ready"),
      row("start to the first answer, ms", "answered"),
      row("writes a second, 16 connections", "writes"),
      row("timeline pages a second, 16 connections", "reads"),
    ],
  })
  report.aimOf(
    "the executable, start to ready, ms",
    found.executable.map(({ ready }) => ready),
    { atMost: 200 },
  )
  report.aimOf("size of the executable, MB", [statSync(executable()).size / 1e6], { atMost: 110 })
}
