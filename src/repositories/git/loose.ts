/** Loose objects: files of their own with `<type> <size>`, NUL and the content, compressed with zlib. */
import { join } from "node:path"
import { constants, inflateSync } from "node:zlib"
import { DamagedRepository, withFile } from "./file.ts"
import { type ObjectType, objectTypes } from "./object-types.ts"
import { isOneOf } from "../../contract/each.ts"

/** Enough bytes for the tables of the first deflate block and the header after them. They inflate to less than a megabyte. */
const HEAD_BYTES = 1024
const HEADER = /^(commit|tree|blob|tag) [0-9]+\0/

/**
 * Reads the type of a loose object from its first bytes; null if there is no such loose object.
 * @param objects an objects folder
 * @throws DamagedRepository
 */
export function looseType(objects: string, id: string): Promise<ObjectType | null> {
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
