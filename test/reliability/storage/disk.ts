/** What the storage does to a service: it ends, it fails, it comes back. Linux and some programs of its own where they are there. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { existsSync } from "node:fs"
import { passing } from "../crash/crash.ts"

/** Where a program lies, or null where the machine has none. */
export function found(program: string): string | null {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"]
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null
}

/** Blocks of `ulimit -f`, as POSIX has them. */
const BLOCK = 512
/** A line of `sh` after which no file grows beyond so many bytes: a write past them fails, as on a disk that is full. */
export const filesUpTo = (bytes: number): string => `ulimit -f ${Math.ceil(bytes / BLOCK)}`

/** The same of a process that runs, at any moment; "unlimited" makes the disk well again. */
export function limitFiles(pid: number, bytes: number | "unlimited"): void {
  // The soft limit alone: a hard one that was lowered cannot be raised again by everybody.
  execFileSync(found("prlimit") ?? "prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`])
}

/** Whether every thread of a process stands still. */
function isStopped(pid: number): boolean {
  const state = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.[0]
  return state === "T" || state === "t"
}

/** Stops a process where it is, in the middle of whatever it does, until `work` is done. */
export async function whileStopped<T>({ pid, signal }: { pid: number; signal(signal: NodeJS.Signals): void }, work: () => T): Promise<T> {
  signal("SIGSTOP")
  while (!isStopped(pid)) await passing(1)
  try {
    return work()
  } finally {
    signal("SIGCONT")
  }
}

/** Whether a process can be stopped and seen to have stopped. */
export const canStop = (): boolean => existsSync("/proc/self/stat")
