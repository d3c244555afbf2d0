/**
 * This checkout beside another one, in one run: the cost of each kind of write over HTTP, and the bytes that it adds to
 * the file. `node
 * --conditions=research-room-source test/bench/beside.ts --before FOLDER [--rounds 3] [--writes 1600] [--kinds
 * post_message,add_papers]`; build both first. Each side makes its targets itself. Processor time is the service's own:
 * it is more reliable than writes per second if something else runs on the machine.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { copyData, dataFile, keepDemo, remove, repositoriesOf } from "./data/demo.ts"
import type { Load, Loaded } from "./load/load.ts"
import { root, scratchFolder } from "./machine.ts"
import { median, ratio } from "./numbers.ts"
import { endAll, Helper, makeDemo, processorOf, startServe } from "./process.ts"
import { backwards } from "./settings.ts"
import { type Answer, type Ask, GROUP, shotsFile } from "./writes/constants.ts"
import { measured } from "./writes/recipes.ts"

const { values: flags } = parseArgs({
  options: {
    before: { type: "string" },
    rounds: { type: "string", default: "3" },
    writes: { type: "string", default: "1600" },
    kinds: { type: "string" },
  },
})
if (flags.before === undefined) throw new Error("name the other checkout with --before")
const sides = { before: flags.before, now: root }
type Side = keyof typeof sides
const [rounds, count] = [Number(flags.rounds), Number(flags.writes)]
const WARM_UP = 800

interface Figures {
  readonly perSecond: number
  /** Microseconds of processor time that the service takes per write; NaN if the system gives no figure. */
  readonly processor: number
  /** Bytes that a write adds to the file. */
  readonly bytes: number
}

const { folder: scratch, remove: removeScratch } = scratchFolder()
const loader = new Helper<Load, Loaded>("load/load.ts")
const demoOf = (side: Side) => join(scratch, `demo-${side}`)

/** The data that writes of a kind act upon, and the requests, made by the checkout of a side. */
async function prepare(side: Side, operation: string): Promise<string> {
  const folder = join(scratch, `${operation}-${side}`)
  const maker = new Helper<Ask, Answer>(join(sides[side], "test/bench/writes/bare.ts"))
  await maker.ask({
    prepare: { operation, demo: demoOf(side), folder, writes: WARM_UP + count, single: 2, grouped: 2 * GROUP },
  })
  await maker.end()
  return folder
}

async function measure(side: Side, folder: string): Promise<Figures> {
  const copy = copyData(folder, join(scratch, "served"))
  const { port, pid, end } = await startServe(copy, repositoriesOf(demoOf(side)), "node", sides[side])
  const load = { port, file: shotsFile(folder), connections: GROUP, by: "sockets" } as const
  await loader.ask({ ...load, count: WARM_UP })
  const before = processorOf(pid)
  const { perSecond } = await loader.ask({ ...load, from: WARM_UP, count })
  const processor = (processorOf(pid) - before) / count
  await end()
  const bytes = (statSync(dataFile(copy)).size - statSync(dataFile(folder)).size) / (WARM_UP + count)
  remove(copy)
  return { perSecond, processor, bytes }
}

try {
  for (const side of ["before", "now"] as const) keepDemo(demoOf(side), await makeDemo(demoOf(side), sides[side]))
  console.log(
    `${count} of each kind at ${GROUP} connections, median of ${rounds} rounds; before, now, and now / before\n`,
  )
  console.log(`${"".padEnd(34)}writes a second           processor, µs a write    bytes a write`)
  for (const kind of flags.kinds?.split(",") ?? measured()) {
    const folders = { before: await prepare("before", kind), now: await prepare("now", kind) }
    const found: Record<Side, Figures[]> = { before: [], now: [] }
    for (let round = 0; round < rounds; round += 1)
      for (const side of backwards(round) ? (["now", "before"] as const) : (["before", "now"] as const))
        found[side].push(await measure(side, folders[side]))
    for (const folder of Object.values(folders)) remove(folder)
    const told = (what: keyof Figures) => {
      const [before, now] = [found.before.map((each) => each[what]), found.now.map((each) => each[what])]
      return (
        `${median(before).toFixed(0).padStart(7)} ${median(now).toFixed(0).padStart(7)} ` +
        `${median(ratio(now, before)).toFixed(2).padStart(5)}`
      )
    }
    console.log(`${kind.padEnd(32)}${told("perSecond")}    ${told("processor")}    ${told("bytes")}`)
  }
} finally {
  await endAll()
  removeScratch()
}
