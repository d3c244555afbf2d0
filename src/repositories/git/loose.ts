/** Objects in files of their own: zlib over `<type> <size>`, NUL and the content. */
import { join } from "node:path"
import { constants, inflateSync } from "node:zlib"
import { DamagedRepository, withFile } from "./file.ts"
import { type ObjectType, objectTypes } from "./object-types.ts"
import { isOneOf } from "../../contract/each.ts"

/** Enough for the tables of a first deflate block and the header behind them, and never more than a megabyte when inflated. */
const BEGINNING = 1024
const HEADER = /^(commit|tree|blob|tag) [0-9]+\0/

/**
 * The type of a loose object, read from its first bytes however large it is; null when it is not stored so.
 * @param objects an objects folder
 * @throws DamagedRepository
 */
export function looseType(objects: string, id: string): Promise<ObjectType | null> {
  return withFile(join(objects, id.slice(0, 2), id.slice(2)), async (file) => {
    const header = HEADER.exec(beginning(await file.readUpTo(0, BEGINNING)))
    if (header === null) throw new DamagedRepository("a loose object has no header")
    const [, type = ""] = header
    if (!isOneOf(objectTypes, type)) throw new DamagedRepository(`a loose object is a ${type}`)
    return type
  })
}

/** The first characters of what was compressed into a stream of which only the beginning is there. */
function beginning(compressed: Buffer): string {
  try {
    return inflateSync(compressed, { finishFlush: constants.Z_SYNC_FLUSH }).toString("latin1", 0, 32)
  } catch {
    throw new DamagedRepository("a loose object is not compressed as it should be")
  }
}
