/**
 * The entry point: sets up the allocator, which may restart the program, then loads everything else. What needs nothing
 * of the service is printed without loading it, in a fifth of the time.
 */
import "./allocator.ts"
import { enableCompileCache } from "node:module"
import { isSea } from "node:sea"
import { fileURLToPath } from "node:url"
import { packaged, softwareVersion } from "./packaged.ts"

const version = () => `${softwareVersion}\n`
const texts = new Map([
  ["version", version],
  ["--version", version],
  ["licences", () => packaged("dist/licences.txt")],
])

const [name = "", ...more] = process.argv.slice(2)
// Settings in the environment are checked by the command line.
const isPlain = more.length === 0 && !Object.keys(process.env).some((each) => each.startsWith("RESEARCH_ROOM_"))
const text = isPlain ? texts.get(name) : undefined
if (text === undefined) {
  // The executable has compiled code inside. Elsewhere it is kept for the next start, if the folder can be written.
  const cache = new URL("../node_modules/.cache/research-room/compiled", import.meta.url)
  if (!isSea() && !import.meta.url.endsWith(".ts")) enableCompileCache(fileURLToPath(cache))
  void import("./command-line.ts")
} else {
  // The reader of the output may close it early, as `head` does.
  process.stdout.on("error", () => {})
  process.stdout.write(text())
}
