/** Small real file systems, if the machine allows mounting: as root on Linux. */
import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, rmSync, statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { found } from "./disk.ts"

const mounted = new Set<string>()
const run = (program: string, ...args: string[]) => execFileSync(found(program) ?? program, args, { stdio: "ignore" })

/** Mounts a file system at `folder`. @returns false if the machine does not allow it */
function mount(folder: string, ...args: string[]): boolean {
  mkdirSync(folder, { recursive: true })
  try {
    run("mount", ...args, folder)
    mounted.add(folder)
    return true
  } catch {
    return false
  }
}

/** An empty file system of this many bytes. */
export const mountSmall = (folder: string, bytes: number): boolean =>
  mount(folder, "-t", "tmpfs", "-o", `size=${bytes}`, "research-room-proof")

/** A second, read-only mount of a folder. */
export function mountReadOnly(shown: string, folder: string): boolean {
  if (!mount(folder, "--bind", shown)) return false
  run("mount", "-o", "remount,bind,ro", folder)
  return true
}

/** Makes a mounted file system read-only, or writable again. */
export function setReadOnly(folder: string, isReadOnly: boolean): void {
  run("mount", "-o", `remount,${isReadOnly ? "ro" : "rw"}`, folder)
}

/** Unmounts it, as soon as no file of it is open. */
export function unmountAll(): void {
  for (const folder of mounted) run("umount", "-l", folder)
  mounted.clear()
}

/** Fills a file system with a file until it is full, and frees this many bytes again. */
export function fill(folder: string, left: number): void {
  const ballast = join(folder, "ballast")
  const piece = Buffer.alloc(65_536)
  try {
    for (;;) appendFileSync(ballast, piece)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
  }
  truncateSync(ballast, Math.max(0, statSync(ballast).size - left))
}

export const makeSpace = (folder: string): void => rmSync(join(folder, "ballast"))
