/**
 * Reads a crate from an untrusted source. Names, sizes and digests are checked before any content is used. Nothing is
 * written to disk, and no more than a line is held in memory.
 */
import { createHash } from "node:crypto"
import { type Entry, openPromise, type ZipFile } from "yauzl"
import { messageOf } from "../../contract/refusals.ts"

/** The crate is invalid. The message says why, and where. */
export class CrateFault extends Error {}

/** Limits on a crate, in bytes except `files` and `ratio`. */
export interface CrateBounds {
  readonly files: number
  /** The unpacked size of all files together. */
  readonly total: number
  readonly line: number
  readonly metadata: number
  /**
   * The most that a file may grow when it is unpacked, as a factor. Lower limits would refuse files that compress well.
   */
  readonly ratio: number
}

export const crateBounds: CrateBounds = {
  files: 200_000,
  total: 64 * 2 ** 30,
  line: 16 * 2 ** 20,
  metadata: 256 * 2 ** 20,
  ratio: 1_000,
}

const METADATA = "ro-crate-metadata.json"
/** Files up to this size may exceed the ratio. */
const SMALL = 1 << 20

interface Described {
  readonly "@id": string
  readonly sha256: string
  readonly contentSize: string
}

async function* bytesOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  try {
    const bytes: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry)
    yield* bytes
  } catch (error) {
    throw new CrateFault(`${entry.fileName} in the crate cannot be unpacked (${messageOf(error)}).`)
  }
}

/**
 * Returns the files of a zip by name. @throws CrateFault for a duplicate, an encrypted file, or more than the limits
 * allow
 */
async function entriesOf(zip: ZipFile, bounds: CrateBounds): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  let total = 0
  try {
    for await (const entry of zip.eachEntry()) {
      const { fileName, uncompressedSize, compressedSize } = entry
      if (fileName.endsWith("/")) continue
      if (entries.has(fileName)) throw new CrateFault(`${fileName} is in the crate twice.`)
      if (entry.isEncrypted()) throw new CrateFault(`${fileName} in the crate is encrypted.`)
      if (uncompressedSize > SMALL && uncompressedSize > compressedSize * bounds.ratio)
        throw new CrateFault(
          `${fileName} in the crate would unpack to ${uncompressedSize} bytes from ${compressedSize}.`,
        )
      total += uncompressedSize
      entries.set(fileName, entry)
      if (entries.size > bounds.files) throw new CrateFault(`The crate holds more than ${bounds.files} files.`)
      if (total > bounds.total) throw new CrateFault(`The crate would unpack to more than ${bounds.total} bytes.`)
    }
  } catch (error) {
    throw error instanceof CrateFault
      ? error
      : new CrateFault(`The file is not a complete zip file (${messageOf(error)}).`)
  }
  return entries
}

export interface CrateFile {
  /** Yields the values of a file with one per line, with their line numbers. @throws CrateFault */
  lines(path: string): AsyncGenerator<{ readonly number: number; readonly value: unknown }>
  /** Returns the bytes of a file; undefined if there is none, or it is longer than `most`. @throws CrateFault */
  bytes(path: string, most: number): Promise<Buffer | undefined>
  close(): void
}

/**
 * Opens a crate, and checks that it has exactly the files that its metadata describes, with their sizes and digests.
 * @throws CrateFault
 */
export async function openCrate(file: string, bounds: CrateBounds = crateBounds): Promise<CrateFile> {
  // The library refuses names with `..`, a drive or a backslash, and files of another size than the zip states.
  const zip = await openPromise(file, { autoClose: false, strictFileNames: true }).catch((error: unknown) => {
    throw new CrateFault(`${file} is not a complete zip file (${messageOf(error)}).`)
  })
  try {
    const entries = await entriesOf(zip, bounds)
    const described = await describedIn(zip, entries, bounds)
    for (const [path, entry] of entries) {
      if (path.startsWith("ro-crate-")) continue
      const due = described.get(path)
      if (due === undefined) throw new CrateFault(`${path} is in the crate and not in its metadata.`)
      if (String(entry.uncompressedSize) !== due.contentSize)
        throw new CrateFault(`${path} in the crate is not as long as its metadata says.`)
      const hash = createHash("sha256")
      for await (const piece of bytesOf(zip, entry)) hash.update(piece)
      if (hash.digest("hex") !== due.sha256) throw new CrateFault(`${path} in the crate is not what its metadata says.`)
      described.delete(path)
    }
    const [missing] = described.keys()
    if (missing !== undefined) throw new CrateFault(`${missing} is in the metadata of the crate and not in the crate.`)
    return {
      async *lines(path) {
        const entry = entries.get(path)
        if (entry === undefined)
          throw new CrateFault(
            `The crate has no ${path}: it was made by an earlier version or another program. ` +
              "Export the Room again with this version.",
          )
        yield* linesOf(path, bytesOf(zip, entry), bounds.line)
      },
      async bytes(path, most) {
        const entry = entries.get(path)
        return entry === undefined || entry.uncompressedSize > most
          ? undefined
          : Buffer.concat(await Array.fromAsync(bytesOf(zip, entry)))
      },
      close: () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

async function describedIn(
  zip: ZipFile,
  entries: ReadonlyMap<string, Entry>,
  bounds: CrateBounds,
): Promise<Map<string, Described>> {
  const entry = entries.get(METADATA)
  if (entry === undefined) throw new CrateFault("The file is not a crate: it has no ro-crate-metadata.json.")
  if (entry.uncompressedSize > bounds.metadata) throw new CrateFault(`${METADATA} is over ${bounds.metadata} bytes.`)
  const text = Buffer.concat(await Array.fromAsync(bytesOf(zip, entry)))
  const { "@graph": graph }: { readonly "@graph"?: unknown } = parsed(text) ?? {}
  if (!Array.isArray(graph)) throw new CrateFault(`${METADATA} does not describe a crate.`)
  const files = graph.filter(
    (each): each is Described =>
      each?.["@type"] === "File" && typeof each["@id"] === "string" && !each["@id"].startsWith("#"),
  )
  return new Map(files.map((each) => [each["@id"], each]))
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

async function* linesOf(path: string, pieces: AsyncIterable<Buffer>, most: number) {
  let number = 0
  let waiting: Buffer[] = []
  let length = 0
  const line = () => {
    const value = parsed(Buffer.concat(waiting))
    number += 1
    waiting = []
    length = 0
    if (value === undefined) throw new CrateFault(`${path} line ${number} is not JSON.`)
    return { number, value }
  }
  const add = (piece: Buffer) => {
    length += piece.length
    if (length > most) throw new CrateFault(`${path} line ${number + 1} is over ${most} bytes.`)
    waiting.push(piece)
  }
  for await (const piece of pieces) {
    let from = 0
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
      add(piece.subarray(from, end))
      yield line()
      from = end + 1
    }
    if (from < piece.length) add(piece.subarray(from))
  }
  if (length > 0) throw new CrateFault(`${path} is cut off at line ${number + 1}.`)
}
