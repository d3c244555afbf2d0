/** A cached demo: the tests copy it instead of telling the story again. */
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { trusted } from "../contract/json.ts"
import { databaseFile } from "../ledger/storage/data.ts"

/** The folder of the demo's repositories, in its data folder. */
export const REPOSITORIES = "repositories"
const CAST = "cast.json"

/** Copies the cached demo into the data folder. @returns its cast; undefined if nothing is cached, or the folder has data */
export function copyStory<Cast>(kept: string, data: string): Cast | undefined {
  if (!existsSync(join(kept, "demo", CAST)) || existsSync(databaseFile(data))) return undefined
  mkdirSync(data, { recursive: true })
  copyFileSync(databaseFile(join(kept, "demo")), databaseFile(data))
  cpSync(join(kept, "demo", REPOSITORIES), join(data, REPOSITORIES), { recursive: true })
  return trusted<Cast>(readFileSync(join(kept, "demo", CAST), "utf8"))
}

/** Caches a finished demo, whose write-ahead log is empty. If several processes do so, the first wins. */
export function keepTold(kept: string, data: string, cast: object): void {
  if (existsSync(join(kept, "demo"))) return
  const partial = mkdtempSync(join(kept, "partial-"))
  copyFileSync(databaseFile(data), databaseFile(partial))
  cpSync(join(data, REPOSITORIES), join(partial, REPOSITORIES), { recursive: true })
  writeFileSync(join(partial, CAST), JSON.stringify(cast))
  try {
    renameSync(partial, join(kept, "demo"))
  } catch {
    rmSync(partial, { recursive: true, force: true })
  }
}
