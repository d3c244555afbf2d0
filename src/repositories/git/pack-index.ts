/**
 * The index of a pack, version 2 (git's own since 2008): a fan-out table over the first byte, then sorted ids, checksums,
 * and the objects' places in the pack. It is searched in the file; nothing of it is kept.
 */
import { DamagedRepository, type StoredFile } from "./file.ts"

const SIGNATURE = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2])
const FAN_OUT = 8
const IDS = FAN_OUT + 256 * 4
/** Marks a place beyond 2 GiB, which stands in a table of its own. */
const IN_LARGE_TABLE = 0x80000000

/** Where in its pack the object stands, in bytes from the start; null when the pack does not hold it. @throws DamagedRepository */
export async function placeInPack(index: StoredFile, id: Buffer): Promise<number | null> {
  if (!(await index.read(0, FAN_OUT)).equals(SIGNATURE)) throw new DamagedRepository("a pack's index is not of version 2")
  const count = await index.number32(IDS - 4)
  const first = id[0] ?? 0
  const start = first === 0 ? 0 : await index.number32(FAN_OUT + (first - 1) * 4)
  const end = await index.number32(FAN_OUT + first * 4)
  if (start > end || end > count) throw new DamagedRepository("a pack's index is out of order")
  const rank = await search(index, id, start, end)
  return rank === null ? null : place(index, rank, count, id.length)
}

/** The rank of `id` among those from `start` to before `end`. */
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

/** The place of the object with this rank. Between the ids and the places stands a checksum of 4 bytes each. */
async function place(index: StoredFile, rank: number, count: number, idBytes: number): Promise<number> {
  const places = IDS + count * (idBytes + 4)
  const entry = await index.number32(places + rank * 4)
  if (entry < IN_LARGE_TABLE) return entry
  const large = await index.read(places + count * 4 + (entry - IN_LARGE_TABLE) * 8, 8)
  return Number(large.readBigUInt64BE())
}
