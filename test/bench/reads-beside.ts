/**
 * Every public read and page of this checkout beside another one: microseconds of the service's processor time. `node
 * --conditions=research-room-source test/bench/reads-beside.ts --before FOLDER [--rounds 3] [--only TEXT]`; build both
 * first. Both serve the demo that the other checkout made, and answer the same addresses in turn: each checkout's own
 * demo tells another story. An address that only one of them answers is left out, and named at the end.
 */
import { join } from "node:path"
import { parseArgs } from "node:util"
import { reads } from "../../src/contract/reads/index.ts"
import type { Demo } from "../../src/demo/demo.ts"
import { pagesOf } from "../web/pages.ts"
import { copyData, keepDemo, repositoriesOf } from "./data/demo.ts"
import type { Load, Loaded } from "./load/load.ts"
import { get, writeShots } from "./load/shots.ts"
import { root, scratchFolder } from "./machine.ts"
import { median, ratio } from "./numbers.ts"
import { endAll, Helper, makeDemo, processorOf, startServe } from "./process.ts"
import { backwards } from "./settings.ts"

const { values: flags } = parseArgs({
  options: {
    before: { type: "string" },
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "" },
  },
})
if (flags.before === undefined) throw new Error("name the other checkout with --before")
const folders = { before: flags.before, now: root }
type Side = keyof typeof folders
const SIDES = ["before", "now"] as const
const CONNECTIONS = 4
/** Seconds of requests in a round: processor time is counted in hundredths. */
const SECONDS = 0.8
/** What a read or page may cost beside the other checkout. */
const MOST = 1.05

const { folder: scratch, remove } = scratchFolder()
const loader = new Helper<Load, Loaded>("load/load.ts")

/** The addresses of a demo, by name: its pages, and the reads of objects that have a page. */
async function addressesOf(demo: Demo): Promise<Map<string, string>> {
  const pages = (await pagesOf(demo)).filter(({ as }) => as === undefined)
  const ids = new Map(pages.map(({ path }) => path.split(/[/?#]/)).map(([, kind, id]) => [kind, id]))
  const ofReads = reads.flatMap(({ name, path, surface }) => {
    const filled = path.replace(/(\w+)\/\{\w+\}/, (whole, kind: string) =>
      ids.get(kind) ? `${kind}/${ids.get(kind)}` : whole,
    )
    return surface !== "public" || filled.includes("{") ? [] : [[`read ${name}`, filled] as const]
  })
  return new Map([...ofReads, ...pages.map(({ name, path }) => [`page ${name}`, path] as const)])
}

const made = join(scratch, "demo")

async function serve(side: Side) {
  const served = await startServe(copyData(made, join(scratch, side)), repositoriesOf(made), "node", folders[side])
  return { ...served, baseUrl: `http://127.0.0.1:${served.port}` }
}

try {
  const demo = await makeDemo(made, folders.before)
  keepDemo(made, demo)
  const sides = { before: await serve("before"), now: await serve("now") }
  const addresses = await addressesOf({ ...demo, baseUrl: sides.now.baseUrl } as Demo)
  /** Whether a side has the address, and its answer ends. */
  const isAnswered = async (side: Side, path: string): Promise<boolean> => {
    const { status, headers, body } = await fetch(`${sides[side].baseUrl}${path}`, { redirect: "manual" })
    await body?.cancel()
    return status === 200 && headers.get("content-length") !== null
  }

  async function measure(side: Side, path: string, count: number): Promise<number> {
    const { port, pid } = sides[side]
    const file = join(scratch, `${side}.json`)
    writeShots(file, [get(path)])
    const before = processorOf(pid)
    await loader.ask({ port, file, connections: CONNECTIONS, by: "sockets", count })
    return (processorOf(pid) - before) / count
  }

  const leftOut: string[] = []
  const all: number[][] = []
  console.log(`${"processor time, µs an answer".padEnd(44)} before     now  now / before`)
  for (const [name, path] of addresses) {
    if (!name.includes(flags.only)) continue
    if (!((await isAnswered("now", path)) && (await isAnswered("before", path)))) {
      leftOut.push(name)
      continue
    }
    // A new file of requests each time is read anew, so the loader keeps nothing of another address.
    const warm = Math.max(...(await Promise.all(SIDES.map((side) => measure(side, path, 200)))), 100)
    const count = Math.min(4_000, Math.ceil((SECONDS * 1e6) / warm))
    const found: Record<Side, number[]> = { before: [], now: [] }
    for (let round = 0; round < Number(flags.rounds); round += 1)
      for (const side of backwards(round) ? SIDES.toReversed() : SIDES)
        found[side].push(await measure(side, path, count))
    const ratios = ratio(found.now, found.before)
    all.push(ratios)
    const cells = [found.before, found.now].map((each) => median(each).toFixed(0).padStart(7)).join(" ")
    console.log(
      `${name.padEnd(44)}${cells}  ${median(ratios).toFixed(2)}${median(ratios) > MOST ? "  above the aim" : ""}`,
    )
  }
  const medians = all.map((each) => median(each))
  console.log(
    `${medians.length} reads and pages, median of now / before: ${median(medians).toFixed(3)}; above ${MOST}: ` +
      `${medians.filter((each) => each > MOST).length}; not compared: ${leftOut.join(", ") || "none"}`,
  )
} finally {
  await endAll()
  remove()
}
