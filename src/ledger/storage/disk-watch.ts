/**
 * Watches the files of a served instance: the write-ahead log, which grows for as long as an old snapshot is being
 * read, and the free space of the disk. Logs a message when one of them passes its limit and another when it recovers.
 */
import { type StatsFs, statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { Logger } from "pino"
import type { Db } from "./database.ts"
import type { OpenedFiles } from "./opened-files.ts"
import { repeat } from "../world.ts"

const MIB = 1024 * 1024

export interface WatchLimits {
  readonly intervalMs: number
  /** A log larger than this raises an alarm. */
  readonly walBytes: number
  /** A log larger than this that has stopped growing is checkpointed and truncated. */
  readonly idleWalBytes: number
  /** Free space is short below this number of bytes, or below this share of the disk, whichever is less. */
  readonly freeBytes: number
  readonly freeShare: number
}

export const watchLimits: WatchLimits = {
  intervalMs: 5_000,
  walBytes: 256 * MIB,
  // The size to which SQLite truncates a log after a checkpoint (journal_size_limit).
  idleWalBytes: 64 * MIB,
  freeBytes: 1024 * MIB,
  freeShare: 0.05,
}

/** The readings of the last check. */
export interface WatchReadings {
  readonly databaseBytes: number
  readonly walBytes: number
  /** Free space on the disk that holds the data; null if the system does not report it. */
  readonly freeDiskBytes: number | null
}

/** The members of `statfs` that are used. */
export type DiskSpace = Pick<StatsFs, "bsize" | "bavail" | "blocks">

export interface WatchParts {
  readonly file: string
  readonly files: OpenedFiles
  readonly emptyLog: () => void
  readonly log: Pick<Logger, "warn" | "info">
  readonly limits?: WatchLimits
  /** Called at each check that finds the opened files replaced or overwritten, with a sentence that says so. */
  readonly onLost?: (sentence: string) => void
  readonly statfs?: (folder: string) => DiskSpace
}

/**
 * A message when a reading passes its limit, and another only when it is well again, so that a value at the limit does
 * not cause one at each check.
 */
class Alarm {
  readonly #log: WatchParts["log"]
  readonly #alarm: string
  #raised = false

  constructor(log: WatchParts["log"], alarm: string) {
    this.#log = log
    this.#alarm = alarm
  }

  look(isBad: boolean, isWell: boolean, readings: object, bad: string, well: string): void {
    if (!this.#raised && isBad) this.#log.warn({ alarm: this.#alarm, ...readings }, bad)
    else if (this.#raised && isWell) this.#log.info({ alarm: this.#alarm, over: true, ...readings }, well)
    else return
    this.#raised = isBad
  }
}

/** In whole MiB; less than ten in KiB, since on a small disk the last MiB matter. */
const inMiB = (bytes: number) =>
  bytes < 10 * MIB ? `${Math.floor(bytes / 1024)} KiB` : `${Math.round(bytes / MIB)} MiB`
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Checkpoints the log and truncates it, unless another connection reads from it. Does not wait for one. */
export function truncateWal(db: Db): void {
  if (db.inTransaction) return
  const patience = db.prepare<{ timeout: number }>("PRAGMA busy_timeout").get()?.timeout ?? 0
  try {
    db.exec("PRAGMA busy_timeout = 0")
    db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()
  } catch {
    // Busy, or the disk is full: the next check tries again, and the alarms report a lasting problem.
  } finally {
    db.exec(`PRAGMA busy_timeout = ${patience}`)
  }
}

/** Copies from the log into the data file what no reader still needs there. Does not wait for one. */
export function copyLog(db: Db): void {
  try {
    db.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()
  } catch {
    // The disk is full: the log keeps the writes, and the alarms report a lasting problem.
  }
}

export class DiskWatch {
  readonly #parts: Required<WatchParts>
  readonly #wal: Alarm
  readonly #disk: Alarm
  readonly #timer: NodeJS.Timeout
  #readings: WatchReadings

  /** Checks at once and then every few seconds, without keeping the process alive. */
  constructor(parts: WatchParts) {
    this.#parts = { limits: watchLimits, statfs: statfsSync, onLost: () => {}, ...parts }
    this.#wal = new Alarm(parts.log, "wal_large")
    this.#disk = new Alarm(parts.log, "disk_short")
    this.#readings = { databaseBytes: 0, walBytes: 0, freeDiskBytes: null }
    this.look()
    this.#timer = repeat(
      () => this.look(),
      this.#parts.limits.intervalMs,
      (err) => parts.log.warn({ err }, "the data's files could not be checked"),
    )
  }

  get readings(): WatchReadings {
    return this.#readings
  }

  close(): void {
    clearInterval(this.#timer)
  }

  look(): void {
    const { file, files, emptyLog, limits, onLost } = this.#parts
    const lost = files.lost()
    if (lost !== null) {
      onLost(lost)
      return
    }
    const before = this.#readings.walBytes
    const space = this.#space()
    this.#readings = {
      databaseBytes: sizeOf(file),
      walBytes: sizeOf(`${file}-wal`),
      freeDiskBytes: space === null ? null : space.bavail * space.bsize,
    }
    this.#reportWal(this.#readings.walBytes)
    if (space !== null) this.#reportDisk(space.bavail * space.bsize, space.blocks * space.bsize)
    // While writes continue, SQLite checkpoints the log by itself; this would only delay them.
    if (before === this.#readings.walBytes && before > limits.idleWalBytes) emptyLog()
  }

  #space(): DiskSpace | null {
    try {
      return this.#parts.statfs(dirname(this.#parts.file))
    } catch {
      return null
    }
  }

  #reportWal(walBytes: number): void {
    const { file, limits } = this.#parts
    this.#wal.look(
      walBytes > limits.walBytes,
      walBytes <= limits.walBytes,
      { walBytes, limitBytes: limits.walBytes, file: `${file}-wal` },
      `The write-ahead log has grown past ${inMiB(limits.walBytes)}: a reader of an old snapshot keeps it from being ` +
        "truncated. An export, a backup or a check does so until it ends. If none is running, look for another " +
        `program that has the file open (lsof ${file}) and end it. Writes continue, but more slowly.`,
      "The write-ahead log has been truncated again.",
    )
  }

  #reportDisk(freeBytes: number, allBytes: number): void {
    const { file, limits } = this.#parts
    const least = Math.min(limits.freeBytes, allBytes * limits.freeShare)
    this.#disk.look(
      freeBytes < least,
      freeBytes >= least * 1.1,
      { freeBytes, limitBytes: Math.round(least), folder: dirname(file) },
      `The disk that holds the data has ${inMiB(freeBytes)} left, less than ${inMiB(least)}. ` +
        "Free some space, or move the data folder to a larger disk. Once the disk is full, every write is refused; " +
        "reads continue.",
      "The disk that holds the data has space again.",
    )
  }
}
