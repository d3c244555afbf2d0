/** `research-room check`: proves the data whole. */
import { existsSync } from "node:fs"
import { Command } from "commander"
import { databaseFile } from "../check/backup.ts"
import { checkData } from "../check/check.ts"
import type { Db } from "../ledger/database.ts"
import { isReadOnly, openReadOnly } from "../ledger/read-only.ts"
import { dataOption } from "../settings.ts"
import { checkingBar } from "./progress.ts"
import { withInstance } from "./with-instance.ts"

function check(db: Db): void {
  const start = performance.now()
  const bar = checkingBar()
  try {
    const { rooms, activityEntries, records, problems } = checkData(db, bar.update)
    bar.stop()
    for (const problem of problems) console.error(problem)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    const found = problems.length === 0 ? "all whole" : `${problems.length} problems`
    console.log(`${rooms} Rooms, ${activityEntries} activity entries and ${records} records checked in ${seconds} s: ${found}.`)
    if (problems.length > 0) process.exitCode = 1
  } finally {
    bar.stop()
  }
}

function checkReadOnly(file: string): void {
  const { db, close } = openReadOnly(file)
  try {
    check(db)
  } finally {
    close()
  }
}

export const checkCommand = (): Command =>
  new Command("check")
    .description("verify the database, every content that was accepted and every Room's chain of digests")
    .addOption(dataOption())
    .action(({ data }: { data: string }) => {
      const file = databaseFile(data)
      return existsSync(file) && isReadOnly(file) ? checkReadOnly(file) : withInstance(data, ({ db }) => check(db))
    })
