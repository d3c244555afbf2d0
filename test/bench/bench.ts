/**
 * `npm run bench`: measures the service beside what the machine could do, in one run. Absolute numbers depend more on
 * the machine than on the service; read the ratios, each taken within one round.
 *
 * | part | where |
 * |---|---|
 * | `writes` | `writes/`: each kind of write beside the bare loop of a message as commit c6f7581 wrote it |
 * | `mixed` | `mixed.ts`: reads and writes together, at full and at half load |
 * | `reads` | `reads/`: each list and context in short and long data, beside its bare query and a fixed page |
 * | `light` | `light.ts`: a posted message beside the smallest service of the same parts; memory, start, `version` |
 * | `start` | `start.ts`: start to ready, and the executable beside plain Node |
 * | `memory` | `memory.ts`: memory at rest and over an hour's worth of requests |
 * | `check` | `check.ts`: the replay and comparison of histories of two lengths, and their memory |
 * | `curves` | `curves.ts`: the comparison pages, in a Room of 500 attempts with 200,000 points each |
 * | `measured` | `measured.ts`: the measurement table of 2,000 attempts with 100 values each |
 * | `first-answers` | `first-answers.ts`: the table of 10,000 attempts after a start, and after one more attempt |
 * | `logs` | `logs.ts`: a page of a log of 16 MiB, and writes beside an upload of one |
 * | `checked-texts` | `checked-texts.ts`: `check_text` of 60,000 characters, and writes beside it |
 * | `webhooks` | `webhooks.ts`: writes while every receiver of a Room's webhooks hangs |
 * | `threads` | `threads.ts`: pages and small reads with one and two reading threads, in a Room of 500 experiments and
 * findings |
 *
 * Parts have aims: `dist/bench.json` gives the result of each and whether it is met, and the run exits with 1 if one is
 * not. `load/` sends requests, `data/` makes the data, `report.ts` prints the tables and keeps them as JSON.
 */
import { existsSync } from "node:fs"
import { loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { check } from "./check.ts"
import { checkedTexts } from "./checked-texts.ts"
import { curvesOf } from "./curves.ts"
import { keepDemo, remove as removeFolder } from "./data/demo.ts"
import { firstAnswers } from "./first-answers.ts"
import type { Load, Loaded } from "./load/load.ts"
import { jsonFile, machine, scratchFolder } from "./machine.ts"
import { endAll, Helper, makeDemo, mustBeBuilt } from "./process.ts"
import { light } from "./light.ts"
import { logs } from "./logs.ts"
import { measured } from "./measured.ts"
import { measured as measuredReads } from "./reads/cases.ts"
import { memory } from "./memory.ts"
import { mixed } from "./mixed.ts"
import { Report } from "./report.ts"
import { reads } from "./reads/reads.ts"
import { type Bench, quick, whole } from "./settings.ts"
import { start } from "./start.ts"
import { threads } from "./threads.ts"
import { webhooks } from "./webhooks.ts"
import { measured as measuredWrites } from "./writes/recipes.ts"
import { writes } from "./writes/writes.ts"

const parts: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  writes,
  mixed,
  reads,
  light,
  start,
  memory,
  check,
  curves: curvesOf,
  measured,
  "first-answers": firstAnswers,
  logs,
  "checked-texts": checkedTexts,
  threads,
  webhooks,
}

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    matching: { type: "string", default: "" },
    sizes: { type: "string" },
    keep: { type: "string" },
    help: { type: "boolean", default: false },
  },
})
const chosen = flags.only.length === 0 ? Object.keys(parts) : flags.only
const unknown = chosen.find((name) => parts[name] === undefined)
if (flags.help || unknown !== undefined) {
  if (unknown !== undefined) console.error(`There is no part ${unknown}.`)
  console.log(
    "npm run bench -- [--quick] [--only PART]… [--matching TEXT] [--sizes COUNT,COUNT…] [--keep FOLDER]\n  parts: " +
      `${Object.keys(parts).join(", ")}\n  --matching measures only the writes and reads whose name holds TEXT, ` +
      "or one of several with commas between\n  --sizes: rows of each list that the part reads fills\n  --keep: " +
      "where it keeps what it filled, and takes it from when it is there; with --matching nothing it only fills",
  )
  process.exit(unknown === undefined ? 0 : 2)
}

// Anything that would stop the run halfway is checked before it begins.
if (chosen.includes("writes")) measuredWrites()
if (chosen.includes("reads")) measuredReads()
if (chosen.includes("start")) mustBeBuilt("executable")

const { folder: scratch, remove } = scratchFolder()
const startedAt = performance.now()

async function cleanUp(): Promise<void> {
  await endAll()
  remove()
}
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void cleanUp().then(() => process.exit(130)))

try {
  const about = machine(scratch)
  console.log(
    `Commit ${about.commit}, Node ${about.node}, ${about.processors} × ${about.processor}, ` +
      `load ${about.load.toFixed(2)}; 16 KB appended and synced in ${about.syncMilliseconds.toFixed(2)} ms.`,
  )
  console.log(
    "Each figure is the median of its rounds, each ratio taken within a round. " +
      "Loader, service and bare loop are processes of their own.\n",
  )
  const report = new Report({ ...about, quick: flags.quick })
  const demo = join(flags.keep ?? scratch, "demo")
  if (!existsSync(demo)) keepDemo(demo, await makeDemo(demo))
  const [loader, reader] = [new Helper<Load, Loaded>("load/load.ts"), new Helper<Load, Loaded>("load/load.ts")]
  const amounts = flags.quick ? quick : whole
  const sizes = flags.sizes?.split(",").map(Number) ?? amounts.sizes
  const bench: Bench = {
    ...amounts,
    sizes,
    scratch,
    demo,
    loader,
    reader,
    report,
    matching: flags.matching,
    keep: flags.keep,
  }
  for (const name of chosen) await parts[name]?.(bench)
  if (flags.keep === undefined) removeFolder(demo)
  if (!report.aims()) process.exitCode = 1
  report.write(jsonFile)
  console.log(
    `Took ${((performance.now() - startedAt) / 1000).toFixed(0)} s, load ${(loadavg()[0] ?? 0).toFixed(2)} at the ` +
      `end. All of it, round by round: ${jsonFile}`,
  )
} finally {
  await cleanUp()
}
