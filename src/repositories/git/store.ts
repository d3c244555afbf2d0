/**
 * All objects of a repository: loose ones, packed ones, and those it borrows from others (`info/alternates`).
 *
 * This is a reader of our own because no library does what the check needs: isomorphic-git (1.44) knows SHA-1 only and
 * loads whole packs, and the check asks for no more than an object's type. A multi-pack index is not read: git keeps the
 * packs' own indexes beside it.
 */
import { readdir, readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { unlessMissing, withFile } from "./file.ts"
import { looseType } from "./loose.ts"
import type { ObjectType } from "./object-types.ts"
import { typeInPack } from "./pack.ts"
import { placeInPack } from "./pack-index.ts"

/** git follows no longer chain of borrowing. */
const DEEPEST_ALTERNATE = 5

/**
 * The type of an object, or null when the repository does not have it. Whether a branch leads to it is not asked.
 * @param objects the repository's `objects` folder
 * @param id 40 or 64 lower-case hex digits, as the repository's format wants them
 * @throws DamagedRepository, or the file system's error
 */
export async function objectType(objects: string, id: string): Promise<ObjectType | null> {
  // A repacking under way may move the object from where we look next to where we looked before: so look twice.
  return (await look(objects, id)) ?? (await look(objects, id))
}

async function look(objects: string, id: string): Promise<ObjectType | null> {
  for (const folder of await objectFolders(objects)) {
    const type = (await looseType(folder, id)) ?? (await packedType(join(folder, "pack"), Buffer.from(id, "hex")))
    if (type !== null) return type
  }
  return null
}

/** The type of an object in any pack of the folder; an index whose pack is gone counts for nothing. */
async function packedType(folder: string, id: Buffer): Promise<ObjectType | null> {
  for (const file of await unlessMissing(readdir(folder), [])) {
    if (!file.endsWith(".idx")) continue
    const type = await withFile(join(folder, file), async (index) => {
      const place = await placeInPack(index, id)
      if (place === null) return null
      const find = (base: Buffer) => placeInPack(index, base)
      return withFile(join(folder, file.replace(/idx$/, "pack")), (pack) => typeInPack(pack, place, id.length, find))
    })
    if (type !== null) return type
  }
  return null
}

/** `objects` and the folders it borrows from, nearest first. A path in `alternates` counts from the objects folder it stands in. */
async function objectFolders(objects: string, depth = 0): Promise<string[]> {
  const text = await unlessMissing(readFile(join(objects, "info", "alternates"), "utf8"), "")
  const borrowed = depth === DEEPEST_ALTERNATE ? [] : text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  const folders = await Promise.all(borrowed.map((path) => objectFolders(resolve(objects, path), depth + 1)))
  return [objects, ...folders.flat()]
}
