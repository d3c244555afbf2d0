/**
 * All objects of a repository: loose ones, packed ones, and those it borrows from others (`info/alternates`).
 *
 * This is a reader of our own because no library does what the check needs: isomorphic-git (1.44) knows SHA-1 only and
 * loads whole packs, and the check asks for no more than an object's type. A multi-pack index is not read: git keeps the
 * packs' own indexes beside it.
 */
import { readdir, readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { DamagedRepository, unlessMissing, withFile } from "./file.ts"
import { looseType } from "./loose.ts"
import type { ObjectType } from "./object-types.ts"
import { typeInPack } from "./pack.ts"
import { placeInPack } from "./pack-index.ts"

/** git follows no longer chain of borrowing. */
const DEEPEST_ALTERNATE = 5
const MOST_FOLDERS = 100

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

/**
 * `objects` and the folders it borrows from, nearest first, each once: they may borrow from each other. A path in `alternates`
 * counts from the objects folder it stands in.
 * @throws DamagedRepository for more folders than anybody borrows from
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
