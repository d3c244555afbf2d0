/**
 * Finds objects of a repository: loose ones, packed ones, and those of other repositories in `info/alternates`.
 *
 * No library fits: isomorphic-git (1.44) supports only SHA-1 and loads whole packs, and the check needs only the type
 * of an object. Multi-pack indexes are ignored, since git also keeps the index of each pack.
 */
import { readdir, readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { constants, inflateSync } from "node:zlib"
import { isOneOf } from "../../contract/each.ts"
import { DamagedRepository, unlessMissing, withFile } from "./file.ts"
import { type ObjectType, objectTypes, offsetInPack, typeInPack } from "./pack.ts"

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
