/** `research-room drill`: tests whether Litestream's copy could be restored now. A timer runs it. */
import { Command } from "commander"
import { option, wholeNumber } from "../settings.ts"
import { withProgress } from "./terminal.ts"

interface Options {
  readonly config?: string
  readonly litestream: string
  readonly scratch?: string
  readonly data?: string
  readonly maxAge?: number
  readonly quick?: boolean
}

const withAge = (at: number, now: number): string =>
  `${new Date(at).toISOString()}, ${Math.max(0, Math.round((now - at) / 1_000))} s ago`

async function run(source: string, { maxAge, quick = false, ...options }: Options): Promise<void> {
  const { drill } = await import("../check/drill.ts")
  const report = await withProgress((onProgress) => drill({ ...options, source, quick, onProgress }))
  const now = Date.now()
  const { lacks, newestAt } = report
  const problems = [...report.problems]
  console.log(
    `Restored in ${report.seconds.toFixed(1)} s: ${report.rooms} Rooms, ${report.activityEntries} activity entries, ` +
      `${report.records} records.${report.isReplayed ? "" : " The history was not replayed."}`,
  )
  console.log(
    newestAt === null ? "Nothing was ever written." : `Its newest write was accepted at ${withAge(newestAt, now)}.`,
  )
  if (lacks?.oldestAt)
    console.log(`It lacks ${lacks.writes} writes, the oldest accepted at ${withAge(lacks.oldestAt, now)}.`)
  else if (lacks !== null) console.log("It lacks nothing.")
  // With the data at hand, the age of the copy is that of the oldest write it lacks: an old copy of a quiet service
  // lacks nothing.
  const behindSince = lacks === null ? newestAt : lacks.oldestAt
  if (maxAge !== undefined && behindSince !== null && now - behindSince > maxAge * 1_000)
    problems.push(lacks === null ? `The copy is older than ${maxAge} s.` : `The copy is more than ${maxAge} s behind.`)
  for (const problem of problems) console.error(problem)
  console.log(problems.length === 0 ? "The copy is good." : "The copy is not good enough.")
  if (problems.length > 0) process.exitCode = 1
}

export const drillCommand = (): Command =>
  new Command("drill")
    .description("restore Litestream's copy into a scratch folder, verify it as `check` does, and print its age")
    .argument(
      "<source>",
      "the address of the copy, such as s3://bucket/room; with --config, the path of the data in that configuration",
    )
    .addOption(option("--config <file>", "Litestream's configuration"))
    .addOption(option("--litestream <program>", "Litestream's program").default("litestream"))
    .addOption(option("--scratch <folder>", "where to create the scratch folder; it needs space for all of the data"))
    .addOption(
      option("--data <folder>", "the original data, if it is on this machine, to find out what the copy lacks"),
    )
    .addOption(
      option(
        "--max-age <seconds>",
        "fail if the copy is further behind --data than this; without --data, if its newest write is older than this",
      ).argParser(wholeNumber(0, 999_999_999, "It must be a whole number of seconds.")),
    )
    .addOption(option("--quick", "skip the replay"))
    .action(run)
