/**
 * The parts of SQLite's files that the damage needs: the section of the write-ahead log that the database file does not
 * have yet. Only that section can be lost with the power: everything before it was synchronised when it was copied into
 * the database.
 */
import { closeSync, openSync, readSync } from "node:fs"

const LOG_HEADER = 32
const FRAME_HEADER = 24
/** Offsets in the index beside the log (wal.c: WalIndexHdr and WalCkptInfo), in the byte order of the machine. */
const PAGE_SIZE = 14
const LAST_FRAME = 16
const COPIED_OR_BEING_COPIED = 128

export interface Tail {
  /** The first byte that may be lost, and the first after the last frame. Equal if nothing can be lost. */
  readonly from: number
  readonly to: number
}

/** Reads the index of a database that is not being written. */
export function tailOf(database: string): Tail {
  const index = Buffer.alloc(136)
  const handle = openSync(`${database}-shm`, "r")
  readSync(handle, index, 0, index.length, 0)
  closeSync(handle)
  const pageSize = index.readUInt16LE(PAGE_SIZE)
  const frame = FRAME_HEADER + (pageSize === 1 ? 65_536 : pageSize)
  const copied = index.readUInt32LE(COPIED_OR_BEING_COPIED)
  const last = Math.max(copied, index.readUInt32LE(LAST_FRAME))
  return { from: copied === 0 ? 0 : LOG_HEADER + copied * frame, to: last === 0 ? 0 : LOG_HEADER + last * frame }
}
