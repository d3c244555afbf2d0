/**
 * The index of a pack in version 2, which git writes since 2008: a fan-out table over the first byte, then sorted ids, checksums,
 * and the offsets of the objects in the pack. It is searched in the file; nothing is cached.
 */
import { DamagedRepository, type StoredFile } from "./file.ts"

const SIGNATURE = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2])
const FAN_OUT = 8
const IDS = FAN_OUT + 256 * 4
/** Marks an offset beyond 2 GiB, which is in a table of its own. */
const IN_LARGE_TABLE = 0x80000000

/** Returns the offset of an object in its pack; null if the pack does not hold it. @throws DamagedRepository */
export async function offsetInPack(index: StoredFile, id: Buffer): Promise<number | null> {
  if (!(await index.read(0, FAN_OUT)).equals(SIGNATURE)) throw new DamagedRepository("a pack's index is not of version 2")
  const count = await index.number32(IDS - 4)
  const first = id[0] ?? 0
  const start = first === 0 ? 0 : await index.number32(FAN_OUT + (first - 1) * 4)
  const end = await index.number32(FAN_OUT + first * 4)
  if (start > end || end > count) throw new DamagedRepository("a pack's index is out of order")
  const rank = await search(index, id, start, end)
  return rank === null ? null : offsetOf(index, rank, count, id.length)
}

/** Finds the rank of an id by binary search between two ranks, `end` excluded. */
async function search(index: StoredFile, id: Buffer, start: number, end: number): Promise<number | null> {
  let low = start
  let high = end
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const order = id.compare(await index.read(IDS + middle * id.length, id.length))
    if (order === 0) return middle
    if (order < 0) high = middle
    else low = middle + 1
  }
  return null
}

/** Returns the offset of the object with a rank. The table of offsets follows the ids and a 4-byte checksum for each object. */
async function offsetOf(index: StoredFile, rank: number, count: number, idBytes: number): Promise<number> {
  const table = IDS + count * (idBytes + 4)
  const entry = await index.number32(table + rank * 4)
  if (entry < IN_LARGE_TABLE) return entry
  const large = await index.read(table + count * 4 + (entry - IN_LARGE_TABLE) * 8, 8)
  return Number(large.readBigUInt64BE())
}
