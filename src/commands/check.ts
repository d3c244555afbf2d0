/** `research-room check`: proves the data whole. */
import { Command } from "commander"
import { bringForward } from "../app/compose/upgrade.ts"
import { databaseFile } from "../ledger/storage/data.ts"
import { unprovedWords } from "../contract/unproved.ts"
import { type CheckReport, checkData } from "../check/check.ts"
import { compareMark, setMark } from "../check/mark.ts"
import type { Db } from "../ledger/storage/database.ts"
import { isReadOnly, openReadOnly } from "../ledger/storage/read-only.ts"
import { dataOption, option } from "../settings.ts"
import { checkingBar } from "./progress.ts"
import { mustHoldData, withInstance } from "./with-instance.ts"

interface Options {
  readonly data: string
  readonly quick?: boolean
  readonly mark?: string
}

function check(db: Db, { quick = false, mark }: Pick<Options, "quick" | "mark">): void {
  const start = performance.now()
  const bar = checkingBar()
  try {
    const found = checkData(db, bar.update, { quick })
    bar.stop()
    const marked = mark === undefined ? [] : compareMark(db, mark)
    const problems = [...found.problems, ...marked]
    for (const problem of problems) console.error(problem)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    const outcome = problems.length === 0 ? "all whole" : `${problems.length} problems`
    const left = found.isReplayed ? "" : " The history was not replayed: what its tables say was not compared with it."
    console.log(
      `${found.rooms} Rooms, ${found.activityEntries} activity entries and ${found.records} records checked in ${seconds} s: ${outcome}.${left}`,
    )
    for (const line of unprovedLines(found.unproved)) console.log(line)
    if (problems.length > 0) process.exitCode = 1
    else if (mark !== undefined) {
      setMark(db, mark)
      console.log(`${mark} marks where every Room stands now.`)
    }
  } finally {
    bar.stop()
  }
}

/** One line for each Room with entries that no digest proves. */
function unprovedLines(unproved: CheckReport["unproved"]): string[] {
  const rooms = Map.groupBy(unproved, ({ roomId }) => roomId)
  return [...rooms].map(
    ([roomId, entries]) =>
      `Room ${roomId}: ${unprovedWords({ entries: entries.length, sequences: entries.map(({ sequence }) => sequence) })}`,
  )
}

function checkReadOnly(file: string, options: Options): void {
  const { db, close } = openReadOnly(file, (copy) => bringForward(copy))
  try {
    check(db, options)
  } finally {
    close()
  }
}

export const checkCommand = (): Command =>
  new Command("check")
    .description("verify the database: its file, every chain of digests, and every row against a replay of the history")
    .addOption(dataOption())
    .addOption(option("--quick", "leave the replay out"))
    .addOption(
      option("--mark <file>", "refuse a history that does not hold what the file marks, and mark there where every Room stands now"),
    )
    .action((options: Options) => {
      const file = databaseFile(options.data)
      mustHoldData(options.data)
      return isReadOnly(file) ? checkReadOnly(file, options) : withInstance(options.data, ({ db }) => check(db, options))
    })
