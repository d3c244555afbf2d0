/** Reads the hash that names the objects of a repository: `extensions.objectFormat` in its `config`, SHA-1 by default. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { DamagedRepository, unlessMissing } from "./file.ts"

const DIGITS: ReadonlyMap<string, number> = new Map([
  ["sha1", 40],
  ["sha256", 64],
])
const SECTION = /^\s*\[([^\]]*)\]/
const OBJECT_FORMAT = /^\s*objectformat\s*=\s*"?([a-z0-9]+)"?\s*(?:[#;].*)?$/i

/** Returns the number of hex digits in an object id of the repository at `path`. @throws DamagedRepository for an unknown hash */
export async function hexDigits(path: string): Promise<number> {
  const name = objectFormat(await unlessMissing(readFile(join(path, "config"), "utf8"), ""))
  const digits = DIGITS.get(name)
  if (digits === undefined) throw new DamagedRepository(`the object format ${name} is unknown`)
  return digits
}

/** As in git, the last entry with a name counts, and names are case-insensitive. */
function objectFormat(config: string): string {
  let section = ""
  let format = "sha1"
  for (const line of config.split("\n")) {
    section = SECTION.exec(line)?.[1]?.trim().toLowerCase() ?? section
    const entry = OBJECT_FORMAT.exec(line.replace(SECTION, ""))
    if (section === "extensions" && entry !== null) format = entry[1]?.toLowerCase() ?? ""
  }
  return format
}
