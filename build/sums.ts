/** Writes SHA256SUMS for the released executables, in the format of `sha256sum --check`. */
import { createHash } from "node:crypto"
import { createReadStream, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { platforms, releaseName } from "./platforms.ts"

/** Covers the executables that exist. @returns the path of the list */
export async function writeSums(folder: string): Promise<string> {
  const names = platforms.map(releaseName).filter((name) => existsSync(join(folder, name)))
  const lines: string[] = []
  for (const name of names.sort()) lines.push(`${await sumOf(join(folder, name))}  ${name}\n`)
  const list = join(folder, "SHA256SUMS")
  writeFileSync(list, lines.join(""))
  return list
}

async function sumOf(file: string): Promise<string> {
  const hash = createHash("sha256")
  for await (const piece of createReadStream(file)) hash.update(piece)
  return hash.digest("hex")
}
