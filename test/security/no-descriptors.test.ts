/**
 * A process for costly work that cannot start because no file descriptor is left: its caller gets an error, and the
 * service survives.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { test } from "tap"

const SCRIPT = `
const { openSync } = await import("node:fs")
const { Child } = await import("./src/jobs/child.ts")
// The script itself finds none either.
process.on("uncaughtException", (error) => error.code === "EMFILE" || console.log("uncaught:", error.message))
try { for (;;) openSync("/dev/null", "r") } catch {}
await Child.start(64).catch((error) => console.log(error.name))
await new Promise((resolve) => setImmediate(resolve))
console.log("alive")
process.exit(0)
`
const skip = process.platform === "win32" ? "there is no ulimit here" : false

test("a process without a file descriptor fails, and nothing else does", { skip }, (t) => {
  const args = ["--conditions=research-room-source", "--input-type=module", "-e", SCRIPT]
  const said = execFileSync("/bin/sh", ["-c", 'ulimit -n 200; exec "$0" "$@"', process.execPath, ...args], {
    cwd: join(import.meta.dirname, "../.."),
    env: {},
    encoding: "utf8",
  })
  t.equal(said, "ProcessLost\nalive\n")
  t.end()
})
