/** What a start could not delete, a later one does: Windows keeps a loaded file until its program ends, and any program can be killed. */
import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs"
import { join } from "node:path"

/** What the names of the folders begin with. */
export const prefix = "research-room-addon-"
export const fileName = "better-sqlite3.node"

/** Younger ones may belong to a program that is about to load its file. */
const leftBehindAfter = 60_000

/**
 * Whether a folder is one that a start of this user made and left: a folder itself, no link to one, and nobody else's. Others
 * may write to the place it stands in, and the file below it is deleted by name.
 */
function isLeft(folder: string, now: number): boolean {
  const found = lstatSync(folder)
  const isOwn = process.getuid === undefined || found.uid === process.getuid()
  return found.isDirectory() && isOwn && found.mtimeMs <= now - leftBehindAfter
}

/** Deletes what earlier starts of this user left in a folder; what is in use stays, and nothing else is touched. */
export function deleteLeftovers(place: string, now: number): void {
  for (const name of attempt(() => readdirSync(place)) ?? []) {
    if (!name.startsWith(prefix)) continue
    const folder = join(place, name)
    attempt(() => {
      if (!isLeft(folder, now)) return
      unlinkSync(join(folder, fileName))
      rmdirSync(folder)
    })
  }
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
