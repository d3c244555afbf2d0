/** What an executable carries beside the program: the schema, the pages' assets, notices, and the database's addon for one platform. */
import { readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"

const sqlite = dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"))

/** The addons come ready made for every platform inside better-sqlite3's package. */
export const addonOf = (os: string, cpu: string): string => join(sqlite, "prebuilds", `${os}-${cpu}.node`)

const shippedAsTheyAre = [
  "src/client/python/research_room.py",
  "src/research/export/verify.mjs",
  "src/research/export/verify.py",
  "src/demo/coverage.webp",
]

/** Name inside the executable, and the file it is taken from. Named by their path in the project, as src reads them. */
export function contentsFor(os: string, cpu: string): Record<string, string> {
  const contents: Record<string, string> = { "better-sqlite3.node": addonOf(os, cpu), "schema.sql": resolve("schema.sql") }
  contents["loader.cjs"] = resolve("build/loader.cjs")
  contents["dist/licences.txt"] = resolve("dist/licences.txt")
  for (const shipped of shippedAsTheyAre) contents[shipped] = resolve(shipped)
  for (const entry of readdirSync("dist/assets", { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) contents[path.replaceAll("\\", "/")] = resolve(path)
  }
  return contents
}
