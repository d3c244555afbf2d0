/** A demo that was told once and kept in a folder, so that the tests copy it and need not tell it again. */
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { trusted } from "../contract/json.ts"
import { databaseFile } from "../ledger/storage/data.ts"

/** The folder of the demo's repositories, in its data folder. */
export const REPOSITORIES = "repositories"
const CAST = "cast.json"

/** Copies the demo kept in `kept` into the data folder. @returns its cast; undefined when nothing is kept, or the folder holds data */
export function copyStory<Cast>(kept: string, data: string): Cast | undefined {
  if (!existsSync(join(kept, "demo", CAST)) || existsSync(databaseFile(data))) return undefined
  mkdirSync(data, { recursive: true })
  copyFileSync(databaseFile(join(kept, "demo")), databaseFile(data))
  cpSync(join(kept, "demo", REPOSITORIES), join(data, REPOSITORIES), { recursive: true })
  return trusted<Cast>(readFileSync(join(kept, "demo", CAST), "utf8"))
}

/** Keeps a demo just told, whose database has an empty log. The first of several processes wins. */
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
