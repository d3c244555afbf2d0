/**
 * Reads objects in a pack. An object may be stored as a delta to another object of the same type, in a chain of deltas.
 */
import { DamagedRepository, type StoredFile } from "./file.ts"

/** The types of objects in a repository, in the order of their numbers in a pack, which begin with 1. */
export const objectTypes = ["commit", "tree", "blob", "tag"] as const
export type ObjectType = (typeof objectTypes)[number]

const PACK = "PACK"
const PACK_HEADER = 12
/** Deltas to a base object, which is named by its distance or by its id. */
const OFFSET_DELTA = 6
const REFERENCE_DELTA = 7
/** The longest head of an entry: ten bytes for type and size, and a SHA-256 id. */
const ENTRY_HEAD = 10 + 32
/** The longest chain that git writes. */
const LONGEST_CHAIN = 4095

/**
 * Returns the type of the object at an offset: that of the base object at the end of its chain. No content is read.
 * @param idBytes 20 or 32
 * @param find returns the offset of the object with an id in the same pack
 * @throws DamagedRepository
 */
export async function typeInPack(
  pack: StoredFile,
  offset: number,
  idBytes: number,
  find: (id: Buffer) => Promise<number | null>,
): Promise<ObjectType> {
  if ((await pack.read(0, PACK_HEADER)).toString("latin1", 0, 4) !== PACK)
    throw new DamagedRepository("a pack has no header")
  let at = offset
  for (let links = 0; links <= LONGEST_CHAIN; links += 1) {
    const { type, rest } = await readEntry(pack, at)
    if (type === OFFSET_DELTA) at -= distance(rest)
    else if (type === REFERENCE_DELTA) at = (await find(rest.subarray(0, idBytes))) ?? Number.NaN
    else return wholeType(type)
    if (!(at >= PACK_HEADER)) throw new DamagedRepository("a delta has no base")
  }
  throw new DamagedRepository("a chain of deltas does not end")
}

/**
 * Reads the type, three bits of the first byte, and the bytes after the size, which continues while the highest bit is
 * set.
 */
async function readEntry(pack: StoredFile, at: number) {
  const head = await pack.readUpTo(at, ENTRY_HEAD)
  const end = head.findIndex((byte) => byte < 0x80)
  if (end === -1) throw new DamagedRepository("an entry of a pack has no end")
  return { type: ((head[0] ?? 0) >> 4) & 7, rest: head.subarray(end + 1) }
}

/**
 * Decodes a distance: seven bits per byte, highest first. Each byte but the last counts one more than its bits, so the
 * encoding is unique.
 */
function distance(bytes: Buffer): number {
  let value = 0
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return value === 0 ? Number.NaN : value
    value += 1
  }
  throw new DamagedRepository("a distance in a pack has no end")
}

function wholeType(number: number): ObjectType {
  const type = objectTypes[number - 1]
  if (type === undefined) throw new DamagedRepository(`an object in a pack has the unknown type ${number}`)
  return type
}

// The index of a pack in version 2, which git writes since 2008: a fan-out table over the first byte, then sorted ids,
// checksums, and the offsets of the objects in the pack. It is searched in the file; nothing is cached.
const SIGNATURE = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2])
const FAN_OUT = 8
const IDS = FAN_OUT + 256 * 4
/** Marks an offset beyond 2 GiB, which is in a table of its own. */
const IN_LARGE_TABLE = 0x80000000

/** Returns the offset of an object in its pack; null if the pack does not hold it. @throws DamagedRepository */
export async function offsetInPack(index: StoredFile, id: Buffer): Promise<number | null> {
  if (!(await index.read(0, FAN_OUT)).equals(SIGNATURE))
    throw new DamagedRepository("a pack's index is not of version 2")
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

/**
 * Returns the offset of the object with a rank. The table of offsets follows the ids and a 4-byte checksum for each
 * object.
 */
async function offsetOf(index: StoredFile, rank: number, count: number, idBytes: number): Promise<number> {
  const table = IDS + count * (idBytes + 4)
  const entry = await index.number32(table + rank * 4)
  if (entry < IN_LARGE_TABLE) return entry
  const large = await index.read(table + count * 4 + (entry - IN_LARGE_TABLE) * 8, 8)
  return Number(large.readBigUInt64BE())
}
