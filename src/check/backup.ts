/** Copies of an instance: made beside a serving process, verified before they are called one, and put back. */
import { codeOf, messageOf } from "../contract/faults.ts"
import { chmodSync, closeSync, copyFileSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { bringForward } from "../app/compose/upgrade.ts"
import { type CheckReport, checkData } from "./check.ts"
import { databaseFile, renewInstance } from "../ledger/storage/data.ts"
import type { Db } from "../ledger/storage/database.ts"
import { DataError, openDatabase } from "../ledger/storage/opening.ts"
import { OVERWRITTEN } from "../ledger/storage/overwritten.ts"
import { lockFolder } from "../ledger/storage/ownership.ts"
import type { OnProgress } from "../ledger/replay/replay.ts"
import { realWorld } from "../ledger/world.ts"
import { audit, type RunningCommand } from "../people/audit.ts"
import { webhooks } from "../rooms/webhooks.ts"

export { databaseFile }

/** What SQLite keeps beside a database; stale ones must not be taken for a restored file's own. A copy cut short leaves a journal. */
const companions = ["-wal", "-shm", "-journal"]

export interface BackupReport extends CheckReport {
  /** The size of the copy, and how long it took to make and to verify it. */
  readonly bytes: number
  readonly seconds: number
}

export interface Watching {
  /** Told while the copy is verified. */
  readonly onProgress?: OnProgress | undefined
  /** Told that `file` is about to grow to about `bytes`; what it returns is called when it no longer does. */
  readonly onCopying?: ((file: string, bytes: number) => () => void) | undefined
}

/** Makes sure that a file, or a name in a folder, is on the disk. */
function settle(path: string): void {
  const handle = openSync(path, "r")
  fsyncSync(handle)
  closeSync(handle)
}

/**
 * Opens a copy, proves its file and its chains whole, and closes it again. It is not replayed: that would take as long as everything
 * that was ever written, at every backup; `check` does it.
 * @param name what it is called in a message
 * @throws DataError when it is not whole
 */
function verify(file: string, name: string, onProgress?: OnProgress): CheckReport {
  try {
    bringForward(file, onProgress)
    const db = openDatabase(file)
    try {
      const report = checkData(db, onProgress, { quick: true })
      const [first, ...more] = report.problems
      if (first !== undefined)
        throw new DataError(`${name} is not whole: ${first}${more.length === 0 ? "" : ` And ${more.length} more.`} Nothing was changed.`)
      return report
    } finally {
      db.close()
    }
  } catch (error) {
    throw error instanceof DataError ? new DataError(error.message.replaceAll(file, name)) : error
  }
}

const remove = (file: string) => ["", ...companions].forEach((suffix) => rmSync(`${file}${suffix}`, { force: true }))

/** Whether a process lives; one of somebody else's does too. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === "EPERM"
  }
}

/** A name beside `target` for what is not yet whole. What a process that was killed left under such a name is removed. */
function partialOf(target: string): string {
  const names = existsSync(dirname(target)) ? readdirSync(dirname(target)) : []
  for (const name of names) {
    if (!name.startsWith(`${basename(target)}.partial-`)) continue
    const [, pid] = /\.partial-(\d+)$/.exec(name) ?? []
    if (pid !== undefined && !lives(Number(pid))) remove(join(dirname(target), name))
  }
  return `${target}.partial-${process.pid}`
}

const isFull = (error: unknown) => ["SQLITE_FULL", "ENOSPC", "EDQUOT"].includes(codeOf(error))

/** What went wrong with a copy, in one sentence; nothing of it is left. */
function failure(error: unknown, what: string, file: string): DataError {
  if (error instanceof DataError) return error
  if (isFull(error)) return new DataError(`There is not enough space on the disk for ${what} ${file}; nothing was left there.`)
  return new DataError(`${file} could not be written (${messageOf(error)}); nothing was left there.`)
}

const pragma = (db: Db, name: string): number => Number(Object.values(db.prepare<object>(`PRAGMA ${name}`).get() ?? {})[0] ?? 0)

/**
 * Writes a consistent, compact copy of the data to `file`, also while a service writes to it.
 * @throws DataError when the file exists, cannot be written, or is not whole
 */
export function backUp(db: Db, file: string, { onProgress, onCopying }: Watching = {}): BackupReport {
  const target = resolve(file)
  if (existsSync(target)) throw new DataError(`${file} exists already; nothing was written. Name a new file.`)
  const start = performance.now()
  const partial = partialOf(target)
  try {
    // It holds everybody's digests of passwords and tokens: made first, and empty, for its owner's eyes only.
    closeSync(openSync(partial, "wx", 0o600))
    const copied = onCopying?.(partial, pragma(db, "page_count") * pragma(db, "page_size"))
    // The service keeps writing: this reads one snapshot, on a connection of its own.
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

/** @throws DataError for what is no backup, before anything is touched */
function mustBeBackup(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) throw new DataError(`There is no file ${file}.`)
  if (!found.isFile()) throw new DataError(`${file} is not a file; name a backup.`)
  // Without its log the file would be whole, and yet lack the newest writes.
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new DataError(
      `${file} has a log beside it (${file}-wal) with writes that are not in it yet: it is the data of a service, not a backup. Nothing was changed. Serve its folder with --data, or make a backup of it first.`,
    )
}

/**
 * Puts a backup into a data folder that nobody serves. Data that is there already is only replaced with `force`, and kept under another name.
 * A backup of an older schema is brought forward in the folder; the file itself is only read.
 * @returns what was put back, and where the data before it went
 * @throws DataError when the backup is not whole, the folder is served, or holds data
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
      throw new DataError(`${folder} holds data already; nothing was changed. Restore into another folder, or replace it with --force.`)
    copyFileSync(file, partial)
    // A backup is often kept read-only; what is served must be written.
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

/** Gives a restored copy an id of its own, and says in its audit log where it comes from. */
function renew(file: string, from: string, command?: RunningCommand): void {
  const db = openDatabase(file)
  try {
    renewInstance(db)
    // Two instances would tell the same receivers different things.
    webhooks(db).turnAllOff("This data was restored from a backup. Turn the webhook on if this instance is to deliver to it.")
    audit(db, realWorld(), command).write({ kind: "restore_backup", detail: { file: resolve(from) } })
  } finally {
    db.close()
  }
}

/** Moves a database out of the way, with what its log still holds, and says where it is now. */
function setAside(file: string): string {
  const kept = `${file}.before-${new Date().toISOString().replaceAll(":", "-")}`
  try {
    openDatabase(file).close()
  } catch (error) {
    // What cannot be opened is what a backup is put back for; it is kept as it lies.
    if (!(error instanceof DataError)) throw error
  }
  for (const suffix of ["", ...companions, OVERWRITTEN])
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${kept}${suffix}`)
  return kept
}
