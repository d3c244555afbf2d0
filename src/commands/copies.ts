/** Copies of the data: `research-room backup` and `restore`, and `research-room drill` for Litestream's copy. */
import { resolve } from "node:path"
import { Worker } from "node:worker_threads"
import { Command } from "commander"
import type { Instance } from "../app/compose/instance.ts"
import type { CheckReport } from "../check/check.ts"
import { messageOf } from "../contract/refusals.ts"
import { option, wholeNumber } from "../settings.ts"
import { withProgress, runningCommand } from "./terminal.ts"
import { dataCommand } from "./with-instance.ts"

const counts = ({ rooms, activityEntries, records }: CheckReport) =>
  `${rooms} Rooms, ${activityEntries} activity entries, ${records} records`

/** What was verified in a copy, and what only `check` verifies. */
const VERIFIED =
  "The file and its chains of digests are whole; its tables were not compared with a replay of the history, " +
  "which `research-room check` does."

/**
 * Prints the size of a growing file. It runs in a worker thread, because SQLite copies the data in one blocking call.
 */
const SIZE_WATCHER = `
const { statSync, writeSync } = require("node:fs")
const { workerData: { file, bytes } } = require("node:worker_threads")
const inMB = (size) => (size / 1e6).toFixed(0)
setInterval(() => {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 }
  writeSync(2, "\\r\\x1b[Kcopying: " + inMB(size) + " of about " + inMB(bytes) + " MB")
}, 200)`

/** Shows the size of a growing file on the terminal, if there is one. @returns a function that ends this */
function watchGrowing(file: string, bytes: number): () => void {
  if (!process.stderr.isTTY) return () => {}
  const watcher = new Worker(SIZE_WATCHER, { eval: true, workerData: { file, bytes } })
  return () => {
    void watcher.terminate()
    process.stderr.write("\r\x1b[K")
  }
}

async function backup({ db, ledger, tables }: Instance, file: string): Promise<void> {
  const { backUp } = await import("../check/backup.ts")
  const report = await withProgress((onProgress) => backUp(db, file, { onProgress, onCopying: watchGrowing }))
  const { bytes, seconds } = report
  await ledger
    .transact(() => tables.audit.write({ kind: "back_up", detail: { file: resolve(file), bytes } }))
    .catch((error: unknown) =>
      console.error(`The audit log could not be written (${messageOf(error)}); the backup is whole.`),
    )
  console.log(`${file} holds ${counts(report)}, verified: ${bytes} bytes in ${seconds.toFixed(1)} s.`)
  console.log(VERIFIED)
}

export const backupCommand = (): Command =>
  dataCommand("backup", "write a consistent, verified copy of the data to a new file, even while a service runs")
    .argument("<file>")
    .work(backup)

async function putBack(file: string, { data, force = false }: { data: string; force?: boolean }): Promise<void> {
  const { restore } = await import("../check/backup.ts")
  const { report, kept } = await withProgress((onProgress) =>
    restore(file, data, { force, onProgress, command: runningCommand() }),
  )
  console.log(`${data} holds ${counts(report)} again.`)
  console.log(VERIFIED)
  if (kept !== null) console.log(`The data before it is kept as ${kept}.`)
  console.log(
    "Passwords, sessions and credentials are those of the backup: what was revoked since then works again until it " +
      "is revoked again.",
  )
}

export const restoreCommand = (): Command =>
  dataCommand("restore", "put a backup into a data folder that no service uses")
    .argument("<file>")
    .addOption(option("--force", "replace the data in the folder; it is kept under another name"))
    .action(putBack)

// `research-room drill`: tests whether the copy could be restored now. A timer runs it.

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
  const { drill } = await import("../check/backup.ts")
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
