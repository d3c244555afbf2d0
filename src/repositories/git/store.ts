/**
 * Finds objects of a repository: loose ones, packed ones, and those of other repositories in `info/alternates`.
 *
 * No library fits: isomorphic-git (1.44) supports only SHA-1 and loads whole packs, and the check needs only the type
 * of an object. Multi-pack indexes are ignored, since git also keeps the index of each pack.
 */
import { type FileHandle, open, readdir, readFile } from "node:fs/promises"
import { codeOf } from "../../contract/refusals.ts"
import { join, resolve } from "node:path"
import { constants, inflateSync } from "node:zlib"
import { isOneOf } from "../../contract/typed.ts"

// Reads files of a repository a few bytes at a time, because a pack may be larger than the memory.

/** A file of the repository is not what git would have written. */
export class DamagedRepository extends Error {}

/** Whether an error means that the repository cannot be read, as opposed to a bug in this code. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof DamagedRepository || (error instanceof Error && "syscall" in error)

class StoredFile {
  readonly #handle: FileHandle
  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** Reads up to `length` bytes from `position`; fewer at the end of the file. */
  async readUpTo(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.alloc(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(buffer, filled, length - filled, position + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return buffer.subarray(0, filled)
  }

  /** Reads exactly `length` bytes from `position`. @throws DamagedRepository if the file is shorter */
  async read(position: number, length: number): Promise<Buffer> {
    const bytes = await this.readUpTo(position, length)
    if (bytes.length < length) throw new DamagedRepository("a file ends too early")
    return bytes
  }

  async number32(position: number): Promise<number> {
    return (await this.read(position, 4)).readUInt32BE()
  }
}

/** Opens a file for `use` and returns its result; null if there is no such file. */
export async function withFile<T>(path: string, use: (file: StoredFile) => Promise<T>): Promise<T | null> {
  const handle = await unlessMissing(open(path), null)
  if (handle === null) return null
  try {
    return await use(new StoredFile(handle))
  } finally {
    await handle.close()
  }
}

/** Returns the result of `read`, or `otherwise` if the file or folder does not exist. */
async function unlessMissing<T>(read: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read
  } catch (error) {
    if (codeOf(error) === "ENOENT") return otherwise
    throw error
  }
}

// Reads objects in a pack. An object may be stored as a delta to another object of the same type, in a chain of deltas.

/** The types of objects in a repository, in the order of their numbers in a pack, which begin with 1. */
const objectTypes = ["commit", "tree", "blob", "tag"] as const
type ObjectType = (typeof objectTypes)[number]

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
async function offsetInPack(index: StoredFile, id: Buffer): Promise<number | null> {
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

/** The longest chain of alternates that git follows. */
const DEEPEST_ALTERNATE = 5
const MOST_FOLDERS = 100

/**
 * Returns the type of an object; null if the repository does not have it. The object need not be reachable from a
 * branch.
 * @param objects the repository's `objects` folder
 * @param id 40 or 64 lower-case hex digits, depending on the repository's format
 * @throws DamagedRepository, or the file system's error
 */
export async function objectType(objects: string, id: string): Promise<ObjectType | null> {
  // A running repack may move the object to a place that was already searched, so the search runs twice.
  return (await look(objects, id)) ?? (await look(objects, id))
}

async function look(objects: string, id: string): Promise<ObjectType | null> {
  for (const folder of await objectFolders(objects)) {
    const type = (await looseType(folder, id)) ?? (await packedType(join(folder, "pack"), Buffer.from(id, "hex")))
    if (type !== null) return type
  }
  return null
}

/** Returns the type of an object in any pack of a folder. An index without its pack is ignored. */
async function packedType(folder: string, id: Buffer): Promise<ObjectType | null> {
  for (const file of await unlessMissing(readdir(folder), [])) {
    if (!file.endsWith(".idx")) continue
    const type = await withFile(join(folder, file), async (index) => {
      const offset = await offsetInPack(index, id)
      if (offset === null) return null
      const find = (base: Buffer) => offsetInPack(index, base)
      return withFile(join(folder, file.replace(/idx$/, "pack")), (pack) => typeInPack(pack, offset, id.length, find))
    })
    if (type !== null) return type
  }
  return null
}

/**
 * Returns `objects` and its alternates, nearest first, without duplicates, since they may refer to each other. A path
 * in `alternates` is relative to the objects folder of that file.
 * @throws DamagedRepository for too many folders
 */
async function objectFolders(objects: string): Promise<string[]> {
  const folders = new Set([objects])
  let nearest = [objects]
  for (let depth = 0; depth < DEEPEST_ALTERNATE; depth += 1) {
    const next: string[] = []
    for (const folder of nearest) {
      const text = await unlessMissing(readFile(join(folder, "info", "alternates"), "utf8"), "")
      for (const line of text.split("\n")) {
        const borrowed = resolve(folder, line)
        if (line === "" || line.startsWith("#") || folders.has(borrowed)) continue
        folders.add(borrowed)
        next.push(borrowed)
        if (folders.size > MOST_FOLDERS) throw new DamagedRepository("a repository borrows from too many others")
      }
    }
    nearest = next
  }
  return [...folders]
}

/**
 * Enough bytes for the tables of the first deflate block and the header after them. They inflate to less than a
 * megabyte.
 */
const HEAD_BYTES = 1024
const HEADER = /^(commit|tree|blob|tag) [0-9]+\0/

/**
 * Reads the type of a loose object from its first bytes; null if there is none. It is a file of its own with `<type>
 * <size>`, NUL and the content, compressed with zlib.
 */
function looseType(objects: string, id: string): Promise<ObjectType | null> {
  return withFile(join(objects, id.slice(0, 2), id.slice(2)), async (file) => {
    const header = HEADER.exec(inflatedHead(await file.readUpTo(0, HEAD_BYTES)))
    if (header === null) throw new DamagedRepository("a loose object has no header")
    const [, type = ""] = header
    if (!isOneOf(objectTypes, type)) throw new DamagedRepository(`a loose object is a ${type}`)
    return type
  })
}

/** Decompresses the first characters of a truncated stream. */
function inflatedHead(compressed: Buffer): string {
  try {
    return inflateSync(compressed, { finishFlush: constants.Z_SYNC_FLUSH }).toString("latin1", 0, 32)
  } catch {
    throw new DamagedRepository("a loose object is not compressed as it should be")
  }
}

const DIGITS: ReadonlyMap<string, number> = new Map([
  ["sha1", 40],
  ["sha256", 64],
])
const SECTION = /^\s*\[([^\]]*)\]/
const OBJECT_FORMAT = /^\s*objectformat\s*=\s*"?([a-z0-9]+)"?\s*(?:[#;].*)?$/i

/**
 * Returns the number of hex digits in an object id of the repository at `path`. @throws DamagedRepository for an
 * unknown hash
 */
export async function hexDigits(path: string): Promise<number> {
  const name = objectFormat(await unlessMissing(readFile(join(path, "config"), "utf8"), ""))
  const digits = DIGITS.get(name)
  if (digits === undefined) throw new DamagedRepository(`the object format ${name} is unknown`)
  return digits
}

/** As in git, the last entry with a name counts, and names are case-insensitive. */
function objectFormat(config: string): string {
  let section = ""
  let format = "sha1"
  for (const line of config.split("\n")) {
    section = SECTION.exec(line)?.[1]?.trim().toLowerCase() ?? section
    const entry = OBJECT_FORMAT.exec(line.replace(SECTION, ""))
    if (section === "extensions" && entry !== null) format = entry[1]?.toLowerCase() ?? ""
  }
  return format
}
