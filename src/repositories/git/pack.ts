/** Objects in a pack. One may be stored as its difference from another one of the same type, and so on down a chain. */
import { DamagedRepository, type StoredFile } from "./file.ts"
import { type ObjectType, packNumbers } from "./object-types.ts"

const PACK = "PACK"
const PACK_HEADER = 12
/** Differences from an object named by its distance, and by its id. */
const OFFSET_DELTA = 6
const REFERENCE_DELTA = 7
/** The head of an entry at its longest: ten bytes for type and size, and an id of SHA-256. */
const ENTRY_HEAD = 10 + 32
/** git itself makes no chain longer than this. */
const LONGEST_CHAIN = 4095

interface Entry {
  readonly type: number
  /** What follows type and size. */
  readonly rest: Buffer
}

/**
 * The type of the object at `place`: that of the whole object at the end of its chain. No content is read on the way.
 * @param idBytes 20 or 32
 * @param find where in the same pack the object with this id stands
 * @throws DamagedRepository
 */
export async function typeInPack(
  pack: StoredFile,
  place: number,
  idBytes: number,
  find: (id: Buffer) => Promise<number | null>,
): Promise<ObjectType> {
  if ((await pack.read(0, PACK_HEADER)).toString("latin1", 0, 4) !== PACK) throw new DamagedRepository("a pack has no header")
  let at = place
  for (let links = 0; links <= LONGEST_CHAIN; links += 1) {
    const { type, rest } = await readEntry(pack, at)
    if (type === OFFSET_DELTA) at -= distance(rest)
    else if (type === REFERENCE_DELTA) at = (await find(rest.subarray(0, idBytes))) ?? Number.NaN
    else return wholeType(type)
    if (!(at >= PACK_HEADER)) throw new DamagedRepository("a difference has nothing it differs from")
  }
  throw new DamagedRepository("a chain of differences does not end")
}

/** Three bits of the first byte are the type; the size goes on while the highest bit is set, and is not needed. */
async function readEntry(pack: StoredFile, at: number): Promise<Entry> {
  const head = await pack.readUpTo(at, ENTRY_HEAD)
  const end = head.findIndex((byte) => byte < 0x80)
  if (end === -1) throw new DamagedRepository("an entry of a pack has no end")
  return { type: ((head[0] ?? 0) >> 4) & 7, rest: head.subarray(end + 1) }
}

/** Seven bits a byte, highest first; each byte but the last stands for one more than its bits, so that no distance is written twice. */
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
  const type = packNumbers.get(number)
  if (type === undefined) throw new DamagedRepository(`an object in a pack has the unknown type ${number}`)
  return type
}
