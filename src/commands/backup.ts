/** `research-room backup` and `restore`. */
import { resolve } from "node:path"
import { Worker } from "node:worker_threads"
import { Command } from "commander"
import { backUp, restore } from "../check/backup.ts"
import type { CheckReport } from "../check/check.ts"
import { messageOf } from "../contract/faults.ts"
import { dataOption, option } from "../settings.ts"
import { checkingBar } from "./progress.ts"
import { runningCommand } from "./running.ts"
import { withInstance } from "./with-instance.ts"

const told = ({ rooms, activityEntries, records }: CheckReport) => `${rooms} Rooms, ${activityEntries} activity entries, ${records} records`

/** What a copy was looked through for, and what only `check` looks for. */
const VERIFIED =
  "The file and its chains of digests are whole; its tables were not compared with a replay of the history, which `research-room check` does."

/** Tells how far a file has grown. SQLite copies in one go and says nothing meanwhile, so that another thread has to look. */
const LOOKING = `
const { statSync, writeSync } = require("node:fs")
const { workerData: { file, bytes } } = require("node:worker_threads")
const inMB = (size) => (size / 1e6).toFixed(0)
setInterval(() => {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 }
  writeSync(2, "\\r\\x1b[Kcopying: " + inMB(size) + " of about " + inMB(bytes) + " MB")
}, 200)`

/** Watches a growing file on the terminal; where none is attached, nothing is written. */
function watchGrowing(file: string, bytes: number): () => void {
  if (!process.stderr.isTTY) return () => {}
  const looking = new Worker(LOOKING, { eval: true, workerData: { file, bytes } })
  return () => {
    void looking.terminate()
    process.stderr.write("\r\x1b[K")
  }
}

function backup(file: string, { data }: { data: string }): Promise<void> {
  return withInstance(data, async ({ db, ledger, tables }) => {
    const bar = checkingBar()
    try {
      const report = backUp(db, file, { onProgress: bar.update, onCopying: watchGrowing })
      bar.stop()
      const { bytes } = report
      await ledger
        .transact(() => tables.audit.write({ kind: "back_up", detail: { file: resolve(file), bytes } }))
        .catch((error: unknown) => console.error(`The audit log could not be written (${messageOf(error)}); the backup is whole.`))
      console.log(`${file} holds ${told(report)}, verified: ${report.bytes} bytes in ${report.seconds.toFixed(1)} s.`)
      console.log(VERIFIED)
    } finally {
      bar.stop()
    }
  })
}

export const backupCommand = (): Command =>
  new Command("backup")
    .description("write a consistent, verified copy of the data to a new file, also while it is served")
    .argument("<file>")
    .addOption(dataOption())
    .action(backup)

function putBack(file: string, { data, force = false }: { data: string; force?: boolean }): void {
  const bar = checkingBar()
  try {
    const { report, kept } = restore(file, data, { force, onProgress: bar.update, command: runningCommand() })
    bar.stop()
    console.log(`${data} holds ${told(report)} again.`)
    console.log(VERIFIED)
    if (kept !== null) console.log(`The data before it is kept as ${kept}.`)
    console.log(
      "Passwords, sessions and credentials are those of the backup: what was revoked since then works again until it is revoked again.",
    )
  } finally {
    bar.stop()
  }
}

export const restoreCommand = (): Command =>
  new Command("restore")
    .description("put a backup into a data folder that no service uses")
    .argument("<file>")
    .addOption(dataOption())
    .addOption(option("--force", "replace the data in the folder; it is kept under another name"))
    .action(putBack)
