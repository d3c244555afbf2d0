/** `research-room check`: verifies the data. */
import type { Command } from "commander"
import { unprovedWords } from "../contract/unproved.ts"
import type { CheckReport } from "../check/check.ts"
import type { Db } from "../ledger/storage/database.ts"
import { option } from "../settings.ts"
import { withProgress } from "./terminal.ts"
import { dataCommand, withInstance } from "./with-instance.ts"

interface Options {
  readonly data: string
  readonly quick?: boolean
  readonly mark?: string
}

async function check(db: Db, { quick = false, mark }: Options): Promise<void> {
  const [{ checkData }, { compareMark, setMark }] = await Promise.all([
    import("../check/check.ts"),
    import("../check/check.ts"),
  ])
  const start = performance.now()
  const report = await withProgress((onProgress) => checkData(db, onProgress, { quick }))
  const problems = [...report.problems, ...(mark === undefined ? [] : compareMark(db, mark))]
  for (const problem of problems) console.error(problem)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  const outcome = problems.length === 0 ? "all whole" : `${problems.length} problems`
  const skipped = report.isReplayed
    ? ""
    : " The history was not replayed: what its tables say was not compared with it."
  console.log(
    `${report.rooms} Rooms, ${report.activityEntries} activity entries and ${report.records} records checked in ` +
      `${seconds} s: ${outcome}.${skipped}`,
  )
  for (const line of unprovedLines(report.unproved)) console.log(line)
  if (problems.length > 0) process.exitCode = 1
  else if (mark !== undefined) {
    setMark(db, mark)
    console.log(`${mark} marks the newest entry of every Room.`)
  }
}

function unprovedLines(unproved: CheckReport["unproved"]): string[] {
  const rooms = Map.groupBy(unproved, ({ roomId }) => roomId)
  return [...rooms].map(
    ([roomId, entries]) =>
      `Room ${roomId}: ${unprovedWords({
        entries: entries.length,
        sequences: entries.map(({ sequence }) => sequence),
      })}`,
  )
}

async function checkFolder(options: Options): Promise<void> {
  const [{ bringForward }, { databaseFile }, { isReadOnly, openReadOnly }, { mustHoldData }] = await Promise.all([
    import("../app/compose/upgrade.ts"),
    import("../ledger/storage/opening.ts"),
    import("../ledger/storage/opening.ts"),
    import("./open-instance.ts"),
  ])
  const file = databaseFile(options.data)
  mustHoldData(options.data)
  if (!isReadOnly(file)) return withInstance(options.data, ({ db }) => check(db, options))
  const { db, close } = openReadOnly(file, (copy) => bringForward(copy))
  await check(db, options).finally(close)
}

export const checkCommand = (): Command =>
  dataCommand(
    "check",
    "verify the database: its file, every chain of digests, and every row against a replay of the history",
  )
    .addOption(option("--quick", "skip the replay"))
    .addOption(
      option(
        "--mark <file>",
        "refuse a history without the entries that this file marks; then mark the newest entry of every Room in it",
      ),
    )
    .action(checkFolder)
