/** Files that this process has open as a database. */
import { execFileSync } from "node:child_process"

const READ = `
  const { readFileSync } = require("node:fs")
  try { process.stdout.write(readFileSync(process.argv[1])) } catch (error) { if \
(error.code !== "ENOENT") throw error }`

/**
 * The bytes of a file, read by another process; none if it is gone. If this process opened and closed the file, it
 * would lose SQLite's locks on it, and the next process that opens the database would empty the index of the log under
 * it: SIGBUS.
 */
export const bytesOfOpen = (path: string): Buffer =>
  execFileSync(process.execPath, ["-e", READ, path], {
    maxBuffer: 2 ** 28,
    env: {},
    stdio: ["ignore", "pipe", "inherit"],
  })
