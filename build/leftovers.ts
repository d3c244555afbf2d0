/**
 * Deletes the addon folders that earlier programs left: Windows cannot delete a loaded file, and any program can be
 * killed.
 */
import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs"
import { join } from "node:path"

/** The prefix of the folder names. */
export const prefix = "research-room-addon-"
export const fileName = "better-sqlite3.node"

/** The age in milliseconds. A younger folder may belong to a program that is about to load its file. */
const leftBehindAfter = 60_000

/**
 * Whether a folder was left by a program of this user. It must be a folder of this user and not a link, because others
 * can write to the parent folder, and the file in it is deleted by name.
 */
function isLeft(folder: string, now: number): boolean {
  const found = lstatSync(folder)
  const isOwn = process.getuid === undefined || found.uid === process.getuid()
  return found.isDirectory() && isOwn && found.mtimeMs <= now - leftBehindAfter
}

/** Deletes the folders that earlier programs of this user left in a place, except those in use. */
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
