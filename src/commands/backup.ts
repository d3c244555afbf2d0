/** `research-room backup` and `restore`. */
import { resolve } from "node:path"
import { Worker } from "node:worker_threads"
import type { Command } from "commander"
import type { Instance } from "../app/compose/instance.ts"
import type { CheckReport } from "../check/check.ts"
import { messageOf } from "../contract/faults.ts"
import { option } from "../settings.ts"
import { withProgress } from "./terminal.ts"
import { runningCommand } from "./running.ts"
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
