/** What a start could not delete, a later one does: Windows keeps a loaded file until its program ends, and any program can be killed. */
import { readdirSync, rmdirSync, statSync, unlinkSync } from "node:fs"
import { join } from "node:path"

/** What the names of the folders begin with. */
export const prefix = "research-room-addon-"
export const fileName = "better-sqlite3.node"

/** Younger ones may belong to a program that is about to load its file. */
const leftBehindAfter = 60_000

/** Deletes what earlier starts left in a folder; what is in use stays, and nothing else is touched. */
export function deleteLeftovers(place: string, now: number): void {
  for (const name of attempt(() => readdirSync(place)) ?? []) {
    if (!name.startsWith(prefix)) continue
    const folder = join(place, name)
    attempt(() => {
      if (statSync(folder).mtimeMs > now - leftBehindAfter) return
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
