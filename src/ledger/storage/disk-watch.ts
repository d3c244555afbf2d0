/**
 * Watches the files of a served instance: the write-ahead log, which grows for as long as somebody reads the data as it
 * was, and the space that the disk has left. Each is told when it passes its limit, and again when it is well; once, not
 * on every look.
 */
import { statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { Logger } from "pino"
import type { Db } from "./database.ts"
import type { OpenedFiles } from "./opened-files.ts"
import { repeat } from "./repeat.ts"

const MIB = 1024 * 1024

export interface WatchLimits {
  /** Milliseconds between two looks. */
  readonly every: number
  /** A log larger than this raises an alarm. */
  readonly walBytes: number
  /** A log larger than this that has stopped growing is worked off and given back to the disk. */
  readonly idleWalBytes: number
  /** Space is short below this, or below this share of the disk, whichever is less. */
  readonly freeBytes: number
  readonly freeShare: number
}

export const watchLimits: WatchLimits = {
  every: 5_000,
  walBytes: 256 * MIB,
  // What the database itself keeps of a log it has worked off (its journal_size_limit).
  idleWalBytes: 64 * MIB,
  freeBytes: 1024 * MIB,
  freeShare: 0.05,
}

/** What was seen at the last look. */
export interface WatchReadings {
  readonly databaseBytes: number
  readonly walBytes: number
  /** Space left for the data on its disk; null where the system does not tell. */
  readonly freeDiskBytes: number | null
}

/** The part of `statfs` that is read. */
export interface DiskSpace {
  readonly bsize: number
  readonly bavail: number
  readonly blocks: number
}

export interface WatchParts {
  /** The database's file. */
  readonly file: string
  readonly files: OpenedFiles
  /** Works an idle log off. */
  readonly emptyLog: () => void
  readonly log: Pick<Logger, "warn" | "info">
  readonly limits?: WatchLimits
  /** Told at each look that the files are no longer those that were opened, in a sentence. */
  readonly onLost?: (sentence: string) => void
  readonly statfs?: (folder: string) => DiskSpace
}

/** Something is bad past its limit, and well again only with some room to it: on the edge it would be told for ever. */
class Alarm {
  #raised = false

  /** @returns what to tell: that it began, that it is over, or nothing */
  look(isBad: boolean, isWell: boolean): "began" | "over" | null {
    if (!this.#raised && isBad) {
      this.#raised = true
      return "began"
    }
    if (this.#raised && isWell) {
      this.#raised = false
      return "over"
    }
    return null
  }
}

/** In whole MiB; of less than ten, in KiB, for a small disk is full long before its last MiB. */
const inMiB = (bytes: number) => (bytes < 10 * MIB ? `${Math.floor(bytes / 1024)} KiB` : `${Math.round(bytes / MIB)} MiB`)
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Works the log off into the database and cuts it to nothing, unless somebody reads from it: nobody is waited for. */
export function truncateWal(db: Db): void {
  if (db.inTransaction) return
  const patience = db.prepare<{ timeout: number }>("PRAGMA busy_timeout").get()?.timeout ?? 0
  try {
    db.exec("PRAGMA busy_timeout = 0")
    db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()
  } catch {
    // Busy, or the disk is full: the next look tries again, and the alarms below tell of what does not pass.
  } finally {
    db.exec(`PRAGMA busy_timeout = ${patience}`)
  }
}

export class DiskWatch {
  readonly #parts: Required<WatchParts>
  readonly #wal = new Alarm()
  readonly #disk = new Alarm()
  readonly #timer: NodeJS.Timeout
  #readings: WatchReadings

  /** Looks at once, and then every few seconds; it keeps no process alive. */
  constructor(parts: WatchParts) {
    this.#parts = { limits: watchLimits, statfs: statfsSync, onLost: () => {}, ...parts }
    this.#readings = { databaseBytes: 0, walBytes: 0, freeDiskBytes: null }
    this.look()
    this.#timer = repeat(
      () => this.look(),
      this.#parts.limits.every,
      (err) => parts.log.warn({ err }, "the data's files could not be looked at"),
    )
  }

  /** What was seen at the last look. */
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
    this.#tellOfWal(this.#readings.walBytes)
    if (space !== null) this.#tellOfDisk(space.bavail * space.bsize, space.blocks * space.bsize)
    // While writes go on the database works it off by itself; then this would only take their time.
    if (before === this.#readings.walBytes && before > limits.idleWalBytes) emptyLog()
  }

  #space(): DiskSpace | null {
    try {
      return this.#parts.statfs(dirname(this.#parts.file))
    } catch {
      return null
    }
  }

  #tellOfWal(walBytes: number): void {
    const { file, log, limits } = this.#parts
    const told = { walBytes, limitBytes: limits.walBytes, file: `${file}-wal` }
    const turn = this.#wal.look(walBytes > limits.walBytes, walBytes <= limits.walBytes)
    if (turn === "began")
      log.warn(
        { alarm: "wal_large", ...told },
        `The write-ahead log has grown past ${inMiB(limits.walBytes)}: something reads the data as it was and keeps the log from being worked off. An export, a backup or a check under way does so until it ends. If there is none, look for another program that has the file open (lsof ${file}) and end it. Writes go on, slower.`,
      )
    if (turn === "over") log.info({ alarm: "wal_large", over: true, ...told }, "The write-ahead log has been worked off again.")
  }

  #tellOfDisk(freeBytes: number, allBytes: number): void {
    const { file, log, limits } = this.#parts
    const least = Math.min(limits.freeBytes, allBytes * limits.freeShare)
    const told = { freeBytes, limitBytes: Math.round(least), folder: dirname(file) }
    const turn = this.#disk.look(freeBytes < least, freeBytes >= least * 1.1)
    if (turn === "began")
      log.warn(
        { alarm: "disk_short", ...told },
        `The disk that holds the data has ${inMiB(freeBytes)} left, less than ${inMiB(least)}. Make space, or move the data folder to a larger disk: once it is full every write is refused, while reads go on.`,
      )
    if (turn === "over") log.info({ alarm: "disk_short", over: true, ...told }, "The disk that holds the data has space again.")
  }
}
