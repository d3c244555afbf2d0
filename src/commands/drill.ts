/** `research-room drill`: whether the copy that Litestream keeps would do, were it needed now. For a timer. */
import { Command, InvalidArgumentError } from "commander"
import { drill } from "../check/drill.ts"
import { option } from "../settings.ts"
import { checkingBar } from "./progress.ts"

interface Options {
  readonly config?: string
  readonly litestream: string
  readonly scratch?: string
  readonly data?: string
  readonly maxAge?: number
  readonly quick?: boolean
}

function seconds(value: string): number {
  if (!/^[0-9]{1,9}$/.test(value)) throw new InvalidArgumentError("It must be a whole number of seconds.")
  return Number(value)
}

/** A time, and how long ago it was. */
const when = (at: number, now: number): string => `${new Date(at).toISOString()}, ${Math.max(0, Math.round((now - at) / 1_000))} s ago`

async function run(source: string, { maxAge, quick = false, ...options }: Options): Promise<void> {
  const bar = checkingBar()
  const found = await drill({ ...options, source, quick, onProgress: bar.update }).finally(() => bar.stop())
  const now = Date.now()
  const { lacks, newestAt } = found
  const problems = [...found.problems]
  console.log(
    `Restored in ${found.seconds.toFixed(1)} s: ${found.rooms} Rooms, ${found.activityEntries} activity entries, ${found.records} records.${found.isReplayed ? "" : " The history was not replayed."}`,
  )
  console.log(newestAt === null ? "Nothing was ever written." : `Its newest write was accepted at ${when(newestAt, now)}.`)
  if (lacks?.oldestAt) console.log(`It lacks ${lacks.writes} writes, the oldest accepted at ${when(lacks.oldestAt, now)}.`)
  else if (lacks !== null) console.log("It lacks nothing.")
  // Where the data is at hand, old is what the copy should have had for so long; a quiet service has an old copy that lacks nothing.
  const from = lacks === null ? newestAt : lacks.oldestAt
  if (maxAge !== undefined && from !== null && now - from > maxAge * 1_000)
    problems.push(lacks === null ? `The copy is older than ${maxAge} s.` : `The copy is more than ${maxAge} s behind.`)
  for (const problem of problems) console.error(problem)
  console.log(problems.length === 0 ? "The copy would do." : "The copy falls short.")
  if (problems.length > 0) process.exitCode = 1
}

export const drillCommand = (): Command =>
  new Command("drill")
    .description("restore Litestream's copy into a scratch folder, verify it as `check` does, and say how old it is")
    .argument("<source>", "the copy's address, such as s3://bucket/room, or with --config the path of the data there")
    .addOption(option("--config <file>", "Litestream's configuration"))
    .addOption(option("--litestream <program>", "Litestream's program").default("litestream"))
    .addOption(option("--scratch <folder>", "where the scratch folder is made; it needs room for all of the data"))
    .addOption(option("--data <folder>", "the data that the copy is of, where it is on this machine: to see what the copy lacks"))
    .addOption(
      option(
        "--max-age <seconds>",
        "fall short where the copy is further behind --data than that; without --data, where its newest write is older",
      ).argParser(seconds),
    )
    .addOption(option("--quick", "leave the replay out"))
    .action(run)
