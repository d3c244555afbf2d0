/**
 * The contents of an executable apart from the program: the schema, the assets of the pages, notices, and SQLite's
 * addon for the platform.
 */
import { readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"

const sqlite = dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"))

/** The better-sqlite3 package has a compiled addon for every platform. */
export const addonOf = (os: string, cpu: string): string => join(sqlite, "prebuilds", `${os}-${cpu}.node`)

const shippedAsTheyAre = [
  ...readdirSync("src/client/python").map((name) => `src/client/python/${name}`),
  "src/research/export/verify.py",
  "src/demo/coverage.webp",
  "src/web/style/favicon.ico",
]

/** Names inside the executable, which are paths in the project as src reads them, and the files to take. */
export function contentsFor(os: string, cpu: string): Record<string, string> {
  const contents: Record<string, string> = {
    "better-sqlite3.node": addonOf(os, cpu),
    "schema.sql": resolve("schema.sql"),
  }
  contents["loader.cjs"] = resolve("build/loader.cjs")
  contents["dist/licences.txt"] = resolve("dist/licences.txt")
  for (const shipped of shippedAsTheyAre) contents[shipped] = resolve(shipped)
  for (const entry of readdirSync("dist/assets", { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) contents[path.replaceAll("\\", "/")] = resolve(path)
  }
  return contents
}
