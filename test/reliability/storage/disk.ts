/** Faults of the storage under a service: it ends, it fails, it recovers. Needs Linux and some of its programs. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { existsSync } from "node:fs"
import { passing } from "../crash/crash.ts"

/** The path of a program, or null if the machine does not have it. */
export function found(program: string): string | null {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"]
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null
}

/** Blocks of `ulimit -f`, as POSIX has them. */
const BLOCK = 512
/** A line of `sh` that limits the size of files: a write past the limit fails, as on a full disk. */
export const filesUpTo = (bytes: number): string => `ulimit -f ${Math.ceil(bytes / BLOCK)}`

/** The same for a running process, at any moment; "unlimited" repairs the disk. */
export function limitFiles(pid: number, bytes: number | "unlimited"): void {
  // Only the soft limit: not every user can raise a lowered hard limit again.
  execFileSync(found("prlimit") ?? "prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`])
}

/** Whether every thread of a process is stopped. */
function isStopped(pid: number): boolean {
  const state = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.[0]
  return state === "T" || state === "t"
}

/** Stops a process in the middle of whatever it does, until `work` is done. */
export async function whileStopped<T>(
  { pid, signal }: { pid: number; signal(signal: NodeJS.Signals): void },
  work: () => T,
): Promise<T> {
  signal("SIGSTOP")
  while (!isStopped(pid)) await passing(1)
  try {
    return work()
  } finally {
    signal("SIGCONT")
  }
}

/** Whether a process can be stopped and be seen to have stopped. */
export const canStop = (): boolean => existsSync("/proc/self/stat")
