/** Reads objects in a pack. An object may be stored as a delta to another object of the same type, in a chain of deltas. */
import { DamagedRepository, type StoredFile } from "./file.ts"
import { type ObjectType, objectTypes } from "./object-types.ts"

const PACK = "PACK"
const PACK_HEADER = 12
/** Deltas to a base object, which is named by its distance or by its id. */
const OFFSET_DELTA = 6
const REFERENCE_DELTA = 7
/** The longest head of an entry: ten bytes for type and size, and a SHA-256 id. */
const ENTRY_HEAD = 10 + 32
/** The longest chain that git writes. */
const LONGEST_CHAIN = 4095

interface Entry {
  readonly type: number
  /** The bytes after type and size. */
  readonly rest: Buffer
}

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
  if ((await pack.read(0, PACK_HEADER)).toString("latin1", 0, 4) !== PACK) throw new DamagedRepository("a pack has no header")
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

/** The type is three bits of the first byte. The size, which is not needed, continues while the highest bit is set. */
async function readEntry(pack: StoredFile, at: number): Promise<Entry> {
  const head = await pack.readUpTo(at, ENTRY_HEAD)
  const end = head.findIndex((byte) => byte < 0x80)
  if (end === -1) throw new DamagedRepository("an entry of a pack has no end")
  return { type: ((head[0] ?? 0) >> 4) & 7, rest: head.subarray(end + 1) }
}

/** Decodes a distance: seven bits per byte, highest first. Each byte but the last counts one more than its bits, so the encoding is unique. */
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
