/**
 * Makes the system's memory allocator (glibc's malloc on Linux) return freed memory. By default it keeps a pool per
 * thread, with the large buffers of bodies and answers in it, so an idle service holds twice the memory it uses. The
 * allocator reads its settings only when a program starts, so a command that serves replaces itself once, in the same
 * process. Settings that are already in the environment are kept. This is the first import of main.ts, so that little
 * work is repeated.
 * Buffers of 128 KiB and more go back to the system at once. SQLite allocates 87 KB for each temporary table, and a
 * write or read makes several: where the heap has no free piece of that size, each given back costs
 * twenty page faults.
 */
import { existsSync } from "node:fs"
import { isSea } from "node:sea"

const settings = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "131072" }

const [command = ""] = process.argv.slice(2)
const isChosen = Object.keys(process.env).some((name) => name.startsWith("MALLOC_") || name === "GLIBC_TUNABLES")
if (process.platform === "linux" && ["serve", "demo"].includes(command) && !isChosen && existsSync(process.execPath)) {
  const args = isSea() ? process.argv.slice(2) : [...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, [process.execPath, ...args], { ...process.env, ...settings })
}
