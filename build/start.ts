/** Builds what `npm start` serves, unless it was already built from the same files. */
import { globSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

process.chdir(dirname(import.meta.dirname))
const stamp = "dist/built.json"

/** Returns the source files, each with the time of its last change. */
const sources = (): string => {
  const files = globSync(["src/**/*.*", "build/*.ts", "tsup.config.ts", "package-lock.json", "schema.sql"]).sort()
  return JSON.stringify(files.map((file) => [file, statSync(file).mtimeMs]))
}

function built(): string {
  try {
    return readFileSync(stamp, "utf8")
  } catch {
    return ""
  }
}

const now = sources()
if (built() !== now) {
  const [{ build }, { pages, reader, service }] = await Promise.all([import("tsup"), import("../tsup.config.ts")])
  await Promise.all([service, reader, pages].map((options) => build({ ...options, config: false })))
  writeFileSync(stamp, now)
}
