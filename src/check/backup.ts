/** Backups: copies made while a service runs, verified, restored, and tried in a drill. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  mkdtempDisposableSync,
} from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { codeOf, isFull, messageOf } from "../contract/refusals.ts"
import { bringForward, settle, openForward } from "../app/compose/upgrade.ts"
import { type CheckReport, checkData } from "./check.ts"
import {
  databaseFile,
  renewInstance,
  DataError,
  KEPT,
  openDatabase,
  openReadConnection,
} from "../ledger/storage/opening.ts"
import type { Db } from "../ledger/storage/database.ts"
import { lockFolder } from "../ledger/storage/ownership.ts"
import type { OnProgress } from "../ledger/replay/replay.ts"
import { realWorld } from "../ledger/world.ts"
import { audit, type RunningCommand } from "../people/audit.ts"
import { webhooks } from "../rooms/webhooks.ts"
import type { OpenedFiles } from "../ledger/storage/file-watch.ts"
import { journal } from "../ledger/journal/journal.ts"

export { databaseFile }

/**
 * Files that SQLite keeps beside a database. A stale one must not be applied to a restored file. An interrupted copy
 * leaves a journal.
 */
const companions = ["-wal", "-shm", "-journal"]

interface BackupReport extends CheckReport {
  /** The size of the copy, and the seconds it took to make and verify. */
  readonly bytes: number
  readonly seconds: number
}

interface Watching {
  /** Called while the copy is verified. */
  readonly onProgress?: OnProgress | undefined
  /**
   * Called before `file` grows to about `bytes`. The function it returns is called when the copy is complete or has
   * failed.
   */
  readonly onCopying?: ((file: string, bytes: number) => () => void) | undefined
}

/**
 * Opens a copy, verifies its file and its chains, and closes it. It is not replayed, which would take longer with every
 * backup; `check` does that.
 * @param name the name of the copy in messages
 * @throws DataError if the copy is damaged
 */
function verify(file: string, name: string, onProgress?: OnProgress): CheckReport {
  try {
    bringForward(file, onProgress)
    using db = openDatabase(file)
    const report = checkData(db, onProgress, { quick: true })
    const [first, ...more] = report.problems
    if (first !== undefined)
      throw new DataError(
        `${name} is damaged: ${first}${more.length === 0 ? "" : ` And ${more.length} more.`} Nothing was changed.`,
      )
    return report
  } catch (error) {
    throw error instanceof DataError ? new DataError(error.message.replaceAll(file, name)) : error
  }
}

const remove = (file: string) => ["", ...companions].forEach((suffix) => rmSync(`${file}${suffix}`, { force: true }))

/** Whether a process is alive, whoever owns it. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === "EPERM"
  }
}

/** Returns a name beside `target` for an incomplete file. Deletes incomplete files of killed processes. */
function partialOf(target: string): string {
  const names = existsSync(dirname(target)) ? readdirSync(dirname(target)) : []
  for (const name of names) {
    if (!name.startsWith(`${basename(target)}.partial-`)) continue
    const [, pid] = /\.partial-(\d+)$/.exec(name) ?? []
    if (pid !== undefined && !lives(Number(pid))) remove(join(dirname(target), name))
  }
  return `${target}.partial-${process.pid}`
}

/** Describes what went wrong with a copy; nothing of it remains. */
function failure(error: unknown, what: string, file: string): DataError {
  if (error instanceof DataError) return error
  if (isFull(error))
    return new DataError(`There is not enough space on the disk for ${what} ${file}; nothing was left there.`)
  return new DataError(`${file} could not be written (${messageOf(error)}); nothing was left there.`)
}

const pragma = (db: Db, name: string): number =>
  Number(Object.values(db.prepare<object>(`PRAGMA ${name}`).get() ?? {})[0] ?? 0)

/**
 * Writes a consistent, compact copy of the data to `file`, even while a service writes to it.
 * @throws DataError if the file exists, cannot be written, or is damaged
 */
export function backUp(db: Db, file: string, { onProgress, onCopying }: Watching = {}): BackupReport {
  const target = resolve(file)
  if (existsSync(target)) throw new DataError(`${file} exists already; nothing was written. Name a new file.`)
  const start = performance.now()
  const partial = partialOf(target)
  try {
    // It contains digests of everybody's passwords and tokens, so only its owner may read it, from its creation on.
    closeSync(openSync(partial, "wx", 0o600))
    const copied = onCopying?.(partial, pragma(db, "page_count") * pragma(db, "page_size"))
    // The service may keep writing: this reads one snapshot.
    try {
      db.prepare("VACUUM INTO +?").run(partial)
    } finally {
      copied?.()
    }
    const report = verify(partial, file, onProgress)
    settle(partial)
    renameSync(partial, target)
    settle(dirname(target))
    return { ...report, bytes: statSync(target).size, seconds: (performance.now() - start) / 1000 }
  } catch (error) {
    throw failure(error, "the backup", file)
  } finally {
    remove(partial)
  }
}

/** @throws DataError if the file is not a backup; nothing was changed */
function mustBeBackup(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) throw new DataError(`There is no file ${file}.`)
  if (!found.isFile()) throw new DataError(`${file} is not a file; name a backup.`)
  // Without its log the file would pass all checks, and yet lack the newest writes.
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new DataError(
      `${file} has a log beside it (${file}-wal) with writes that are not in it yet: it is the data of a service, ` +
        "not a backup. Nothing was changed. Serve its folder with --data, or make a backup of it first.",
    )
}

/**
 * Restores a backup into a data folder that is not being served. Existing data is replaced only with `force`, and kept
 * under another name. A backup of an older schema is upgraded in the folder; the backup file is only read.
 * @returns the report of the backup, and where the earlier data is kept
 * @throws DataError if the backup is damaged, or the folder is served or holds data
 */
export function restore(
  file: string,
  folder: string,
  { force, onProgress, command }: { force: boolean; command?: RunningCommand } & Pick<Watching, "onProgress">,
): { report: CheckReport; kept: string | null } {
  mustBeBackup(file)
  const target = databaseFile(folder)
  const release = lockFolder(folder)
  const partial = partialOf(target)
  try {
    const occupied = ["", "-wal"].some((suffix) => existsSync(`${target}${suffix}`))
    if (occupied && !force)
      throw new DataError(
        `${folder} holds data already; nothing was changed. Restore into another folder, or replace it with --force.`,
      )
    copyFileSync(file, partial)
    // A backup is often read-only; the served file must be writable.
    chmodSync(partial, 0o600)
    const report = verify(partial, file, onProgress)
    renew(partial, file, command)
    settle(partial)
    const kept = occupied ? setAside(target) : null
    renameSync(partial, target)
    settle(folder)
    return { report, kept }
  } catch (error) {
    throw failure(error, "the data in", folder)
  } finally {
    remove(partial)
    release()
  }
}

/** Gives a restored copy an id of its own, and records in its audit log where it comes from. */
function renew(file: string, from: string, command?: RunningCommand): void {
  using db = openDatabase(file)
  renewInstance(db)
  // Two instances would send different events to the same receivers.
  webhooks(db).turnAllOff(
    "This data was restored from a backup. Turn the webhook on if this instance is to deliver to it.",
  )
  audit(db, realWorld(), command).write({ kind: "restore_backup", detail: { file: resolve(from) } })
}

/**
 * Keeps a database with its log under another name, which it returns. If nothing but the file itself is there, the file
 * also stays where it is: a process killed now leaves the earlier data, and the restored file replaces it in one step.
 * Otherwise no process starts on what is left without the log (`mustOwnLog`).
 */
function setAside(file: string): string {
  const kept = `${file}${KEPT}${new Date().toISOString().replaceAll(":", "-")}`
  try {
    openDatabase(file).close()
  } catch (error) {
    // Data that cannot be opened is a reason to restore; it is kept unchanged.
    if (!(error instanceof DataError)) throw error
  }
  const present = ["", ...companions].filter((suffix) => existsSync(`${file}${suffix}`))
  if (present.join() === "" && present.length === 1 && isLinked(file, kept)) return kept
  for (const suffix of present) renameSync(`${file}${suffix}`, `${kept}${suffix}`)
  return kept
}

/** Gives a file a second name. @returns false if the disk knows no such names */
function isLinked(file: string, name: string): boolean {
  try {
    linkSync(file, name)
    return true
  } catch {
    return false
  }
}

// Saves the data of a running service after another program deleted or replaced its file.

/**
 * The connection still has all data of a file that was deleted or replaced. It is written to another file beside it, or
 * under its own name if that is free.
 * @returns a sentence that says what was done; null if nothing was
 */
export function rescue(db: Db, file: string, files: OpenedFiles): string | null {
  try {
    return files.isReplaced() ? writeOut(db, file) : null
  } catch (error) {
    return `The data could not be kept: ${messageOf(error)}`
  }
}

function writeOut(db: Db, file: string): string {
  const stamp = new Date().toISOString().replaceAll(":", "-")
  const kept = existsSync(file) ? `${file}${KEPT}${stamp}` : file
  // SQLite would apply the log to the next file of that name.
  const log = `${file}-wal${KEPT}${stamp}`
  const hasLog = existsSync(`${file}-wal`)
  if (hasLog) renameSync(`${file}-wal`, log)
  try {
    backUp(db, kept)
  } catch (error) {
    return (
      "The data could not be written out: " +
      `${messageOf(error)}${hasLog ? ` The log of the file that was here is kept in ${log}.` : ""}`
    )
  }
  for (const stale of [log, `${file}-shm`]) rmSync(stale, { force: true })
  return `All that was stored is in ${kept}.`
}

// A recovery drill: restores Litestream's copy into a temporary folder, checks it, and deletes it.

export interface Drill {
  /** The copy's address, or the path of the data in Litestream's configuration. */
  readonly source: string
  readonly config?: string | undefined
  readonly litestream: string
  /** The parent of the temporary folder; defaults to the system's. */
  readonly scratch?: string | undefined
  /** The original data, to report what the copy lacks; left out if it is not accessible. */
  readonly data?: string | undefined
  /** Skips the replay. */
  readonly quick: boolean
  readonly onProgress: OnProgress
}

export interface DrillReport extends CheckReport {
  /** How long the restore took, in seconds. */
  readonly seconds: number
  /** When the newest write was accepted, in milliseconds since 1970; null if there is none. */
  readonly newestAt: number | null
  /**
   * The writes that the copy lacks: how many, and when the oldest was accepted. Null if the original was not compared.
   */
  readonly lacks: { readonly writes: number; readonly oldestAt: number | null } | null
}

/** Runs Litestream's restore. @throws DataError with Litestream's last line if it fails */
async function restored({ source, config, litestream }: Drill, file: string): Promise<void> {
  const args = ["restore", "-o", file, ...(config === undefined ? [] : ["-config", config]), source]
  const child = spawn(litestream, args, { stdio: ["ignore", "ignore", "pipe"] })
  let output = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-2_000)))
  const [code] = await once(child, "close").catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw new DataError(String(error))
    throw new DataError(`The program ${litestream} does not exist. Give the path of Litestream with --litestream.`)
  })
  if (code === 0) return
  throw new DataError(
    `Litestream could not restore ${source}: ${output.trim().split("\n").at(-1) ?? `it ended with ${code}`}`,
  )
}

/** @throws DataError if the copy's newest write is not in the original */
function lacking(copy: Db, folder: string): DrillReport["lacks"] {
  using original = openReadConnection(databaseFile(folder))
  const [here, there] = [journal(copy), journal(original)]
  const held = here.count()
  if (JSON.stringify(here.at(held)) !== JSON.stringify(there.at(held)))
    throw new DataError(
      `The newest write of the copy is not in ${folder}. The copy is of other data, or of an abandoned history.`,
    )
  const oldest = there.at(held + 1)
  return { writes: there.count() - held, oldestAt: oldest === undefined ? null : Date.parse(oldest.at) }
}

/** Restores the copy and checks it. @throws DataError if it cannot be restored, or is of other data */
export async function drill(options: Drill): Promise<DrillReport> {
  using scratch = mkdtempDisposableSync(join(options.scratch ?? tmpdir(), "research-room-drill-"))
  const file = databaseFile(scratch.path)
  const start = performance.now()
  await restored(options, file)
  const seconds = (performance.now() - start) / 1_000
  using db = openForward(file, undefined, options.onProgress).db
  const found = checkData(db, options.onProgress, { quick: options.quick })
  const kept = journal(db)
  const newest = kept.at(kept.count())
  const lacks = options.data === undefined ? null : lacking(db, options.data)
  return { ...found, seconds, newestAt: newest === undefined ? null : Date.parse(newest.at), lacks }
}
