/** Builds the style and the script if they are missing or older than their sources. */
import { execFileSync } from "node:child_process"
import { globSync, statSync } from "node:fs"
import { dirname, join } from "node:path"

const root = join(dirname(import.meta.dirname), "..")

export function built(): void {
  const sources = globSync("src/web/{style,client}/**", { cwd: root }).map((path) => statSync(join(root, path)).mtimeMs)
  const made = statSync(join(root, "dist/assets/manifest.json"), { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (made < Math.max(...sources)) execFileSync(process.execPath, ["build/assets.ts"], { cwd: root, stdio: "ignore" })
}
