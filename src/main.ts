/**
 * The entry point: sets up the allocator, which may restart the program, then loads everything else. What needs nothing
 * of the service is printed without loading it, in a fifth of the time.
 */
import "./allocator.ts"
import { packaged } from "./packaged.ts"
import { softwareVersion } from "./version.ts"

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
if (text === undefined) void import("./command-line.ts")
else {
  // The reader of the output may close it early, as `head` does.
  process.stdout.on("error", () => {})
  process.stdout.write(text())
}
