/**
 * `npm run bench`: what the service does beside what the machine could do, in one run. Absolute numbers say more of the
 * machine than of the service; read the ratios, each taken within one round. `--quick` for a first look.
 */
import { availableParallelism, cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"
import type { Load, Loaded } from "./load.ts"
import { pages, readsBesideWrites, startLists } from "./pages.ts"
import { endAll, Helper } from "./process.ts"
import { type Settings, scratchFolder, syncTime } from "./settings.ts"
import { writes } from "./writes.ts"

const { values: flags } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
const { folder: scratch, remove } = scratchFolder()
const startedAt = performance.now()

const print = (lines: readonly string[]) => console.log(`${lines.join("\n")}\n`)

async function cleanUp(): Promise<void> {
  await endAll()
  remove()
}
process.once("SIGINT", () => void cleanUp().then(() => process.exit(130)))

try {
  const settings: Settings = {
    ...(flags.quick
      ? { rounds: 3, seconds: 0.3, recorded: 1_600, long: 20_000 }
      : { rounds: 5, seconds: 1.6, recorded: 8_000, long: 100_000 }),
    scratch,
    loader: new Helper<Load, Loaded>("load.ts"),
    backwards: (round) => round % 2 === 1,
  }
  print([
    `Node ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model ?? "unknown processor"}, load ${loadavg()[0]?.toFixed(2)}; 16 KB appended and synced in ${syncTime(scratch).toFixed(2)} ms.`,
    `Each number is the median of ${settings.rounds} rounds, then the least and the greatest. Loader, service and bare loop are processes of their own.`,
  ])
  print(await writes(settings))
  const lists = await startLists(settings)
  for (const lines of await pages(settings, lists)) print(lines)
  print(await readsBesideWrites(settings, lists))
  print([`Took ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`])
} finally {
  await cleanUp()
}
