/** Writes bare repositories as git does, without git: loose objects, packs with deltas, and their indexes. */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { crc32, deflateSync } from "node:zlib"

export type Format = "sha1" | "sha256"
export type Type = "commit" | "tree" | "blob" | "tag"
const NUMBER = { commit: 1, tree: 2, blob: 3, tag: 4 } as const
const OFFSET_DELTA = 6
const REFERENCE_DELTA = 7

/** An object for a pack; with `from`, stored as its delta from that earlier object of the same pack. */
export interface Packed {
  readonly type: Type
  readonly content: Buffer
  readonly from?: { readonly index: number; readonly by: "offset" | "reference" }
}

export class BareRepository {
  readonly path: string
  readonly format: Format

  /** @param path such as `<dir>/github.com/owner/name.git` */
  constructor(path: string, { format = "sha1", exported = true }: { format?: Format; exported?: boolean } = {}) {
    this.path = path
    this.format = format
    this.write("HEAD", "ref: refs/heads/main\n")
    mkdirSync(join(path, "refs"), { recursive: true })
    mkdirSync(join(path, "objects"), { recursive: true })
    const extension = format === "sha1" ? "" : "[extensions]\n\tobjectformat = sha256\n"
    this.write(
      "config",
      `[core]\n\trepositoryformatversion = ${format === "sha1" ? 0 : 1}\n\tbare = true\n${extension}`,
    )
    if (exported) this.write("git-daemon-export-ok", "")
  }

  write(path: string, content: string | Buffer): void {
    const whole = join(this.path, path)
    mkdirSync(dirname(whole), { recursive: true })
    writeFileSync(whole, content)
  }

  remove(path: string): void {
    rmSync(join(this.path, path), { recursive: true })
  }

  /** Overwrites a file from byte `from` with bytes that do not decompress. */
  spoil(path: string, from: number): void {
    const whole = join(this.path, path)
    writeFileSync(whole, readFileSync(whole).fill(0xff, from))
  }

  /** The files of a folder with this ending. */
  files(folder: string, ending: string): string[] {
    const names = readdirSync(join(this.path, folder)).filter((name) => name.endsWith(ending))
    return names.map((name) => `${folder}/${name}`)
  }

  id(type: Type, content: Buffer): string {
    return createHash(this.format).update(header(type, content)).update(content).digest("hex")
  }

  /** Stores an object in a file of its own, and returns its id. */
  loose(type: Type, content: Buffer): string {
    const id = this.id(type, content)
    this.write(`objects/${id.slice(0, 2)}/${id.slice(2)}`, deflateSync(Buffer.concat([header(type, content), content])))
    return id
  }

  /** A commit of an empty tree, stored loose. */
  commit(message: string): string {
    return this.loose("commit", this.commitOf(message))
  }

  /** The content of a commit of an empty tree. */
  commitOf(message: string): Buffer {
    const tree = this.loose("tree", Buffer.alloc(0))
    const person = "A Person <person@example.org> 1790000000 +0000"
    return Buffer.from(`tree ${tree}\nauthor ${person}\ncommitter ${person}\n\n${message}\n`)
  }

  /**
   * Stores objects in one pack with its index, and returns their ids in the order of the objects.
   * @param largePlaces whether to write the offsets into the table for packs over 2 GiB, which any pack may have
   */
  pack(objects: readonly Packed[], { largePlaces = false }: { largePlaces?: boolean } = {}): string[] {
    const ids = objects.map(({ type, content }) => this.id(type, content))
    const head = Buffer.alloc(12)
    head.write("PACK")
    head.writeUInt32BE(2, 4)
    head.writeUInt32BE(objects.length, 8)
    const entries: Buffer[] = []
    const places: number[] = []
    let place = head.length
    for (const object of objects) {
      const bytes = entry(object, objects, ids, place, places)
      entries.push(bytes)
      places.push(place)
      place += bytes.length
    }
    const body = Buffer.concat([head, ...entries])
    const checksum = this.#hash(body)
    const name = `objects/pack/pack-${checksum.toString("hex")}`
    this.write(`${name}.pack`, Buffer.concat([body, checksum]))
    const index = indexOf(ids, entries, places, largePlaces)
    const indexed = Buffer.concat([index, checksum])
    this.write(`${name}.idx`, Buffer.concat([indexed, this.#hash(indexed)]))
    return ids
  }

  #hash(bytes: Buffer): Buffer {
    return createHash(this.format).update(bytes).digest()
  }
}

const header = (type: Type, content: Buffer): Buffer => Buffer.from(`${type} ${content.length}\0`)

/** One object as encoded in the pack at offset `place`. */
function entry(
  object: Packed,
  objects: readonly Packed[],
  ids: readonly string[],
  place: number,
  places: readonly number[],
): Buffer {
  const { type, content, from } = object
  if (from === undefined) return Buffer.concat([typeAndSize(NUMBER[type], content.length), deflateSync(content)])
  const delta = difference((objects[from.index] as Packed).content, content)
  const number = from.by === "offset" ? OFFSET_DELTA : REFERENCE_DELTA
  const base =
    from.by === "offset"
      ? backwards(place - (places[from.index] as number))
      : Buffer.from(ids[from.index] as string, "hex")
  return Buffer.concat([typeAndSize(number, delta.length), base, deflateSync(delta)])
}

/** Three bits of type and four of the size in the first byte, then seven bits of the size a byte, lowest first. */
function typeAndSize(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) as number) | 0x80
    bytes.push(rest & 0x7f)
  }
  return Buffer.from(bytes)
}

/** The offset back to a base: seven bits a byte, highest first, each byte but the last one less than its bits. */
function backwards(distance: number): Buffer {
  const bytes = [distance & 0x7f]
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1
    bytes.unshift(0x80 | (rest & 0x7f))
  }
  return Buffer.from(bytes)
}

/** A delta that copies the common beginning and inserts the rest. */
function difference(base: Buffer, target: Buffer): Buffer {
  let same = 0
  while (same < Math.min(base.length, target.length, 0xffff) && base[same] === target[same]) same += 1
  const parts = [size(base.length), size(target.length)]
  if (same > 0) parts.push(Buffer.from([0x80 | 0x10 | 0x20, same & 0xff, same >> 8]))
  for (let at = same; at < target.length; at += 127) {
    const piece = target.subarray(at, at + 127)
    parts.push(Buffer.from([piece.length]), piece)
  }
  return Buffer.concat(parts)
}

function size(value: number): Buffer {
  const bytes = [value & 0x7f]
  for (let rest = value >> 7; rest > 0; rest >>= 7) {
    bytes[bytes.length - 1] = (bytes.at(-1) as number) | 0x80
    bytes.push(rest & 0x7f)
  }
  return Buffer.from(bytes)
}

/** The index, version 2, up to the two checksums at its end. */
function indexOf(
  ids: readonly string[],
  entries: readonly Buffer[],
  places: readonly number[],
  largePlaces: boolean,
): Buffer {
  const order = ids.map((_, index) => index).sort((a, b) => ((ids[a] as string) < (ids[b] as string) ? -1 : 1))
  const fanOut = Array.from(
    { length: 256 },
    (_, byte) => ids.filter((id) => Number.parseInt(id.slice(0, 2), 16) <= byte).length,
  )
  const checksums = order.map((index) => crc32(entries[index] as Buffer))
  // As in git, the first object of a pack is never far away.
  const far = largePlaces ? order.filter((index) => index > 0) : []
  const near = order.map((index) => (far.includes(index) ? 0x80000000 + far.indexOf(index) : (places[index] as number)))
  return Buffer.concat([
    Buffer.from([0xff, 0x74, 0x4f, 0x63]),
    numbers([2, ...fanOut]),
    ...order.map((index) => Buffer.from(ids[index] as string, "hex")),
    numbers([...checksums, ...near, ...far.flatMap((index) => [0, places[index] as number])]),
  ])
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4))
  return bytes
}
