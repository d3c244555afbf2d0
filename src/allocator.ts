/**
 * Has the system's memory allocator (glibc's malloc, on Linux) give back what is freed. By itself it keeps a pool for each
 * thread, and in them the large buffers of bodies and answers: a service at rest then holds twice what it uses. It reads these
 * settings only when a program begins; so a command that serves begins again, once, as the same process. Whoever has set
 * one of them already is left alone. The first import of main.ts, so that little was done before.
 */
import { existsSync } from "node:fs"
import { isSea } from "node:sea"

const settings = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "65536" }

const [command = ""] = process.argv.slice(2)
const isChosen = Object.keys(process.env).some((name) => name.startsWith("MALLOC_") || name === "GLIBC_TUNABLES")
if (process.platform === "linux" && ["serve", "demo"].includes(command) && !isChosen && existsSync(process.execPath)) {
  const args = isSea() ? process.argv.slice(2) : [...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, [process.execPath, ...args], { ...process.env, ...settings })
}
