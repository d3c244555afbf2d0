/** Which hash a repository names its objects by: `extensions.objectFormat` in its `config`, SHA-1 where nothing is said. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { DamagedRepository, unlessMissing } from "./file.ts"

const DIGITS: ReadonlyMap<string, number> = new Map([
  ["sha1", 40],
  ["sha256", 64],
])
const SECTION = /^\s*\[([^\]]*)\]/
const OBJECT_FORMAT = /^\s*objectformat\s*=\s*"?([a-z0-9]+)"?\s*(?:[#;].*)?$/i

/** Hex digits of an object's id in the repository at `path`. @throws DamagedRepository for a hash nobody knows yet */
export async function hexDigits(path: string): Promise<number> {
  const name = objectFormat(await unlessMissing(readFile(join(path, "config"), "utf8"), ""))
  const digits = DIGITS.get(name)
  if (digits === undefined) throw new DamagedRepository(`the object format ${name} is unknown`)
  return digits
}

/** As in git, the last entry of a name is the one that counts, and names are the same in either letter case. */
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
