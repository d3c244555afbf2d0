/** Files that ship with the program, in the project folder or inside the executable, and its version. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { getAsset, getRawAsset, isSea } from "node:sea"
import manifest from "../package.json" with { type: "json" }

/**
 * Reads a text file. This module must stay directly in `src`: from there and from `dist`, `..` is the project root.
 * @param name the path in the project, such as `schema.sql`
 */
export function packaged(name: string): string {
  return isSea() ? getAsset(name, "utf8") : readFileSync(new URL(`../${name}`, import.meta.url), "utf8")
}

/** Reads a file; undefined if it was not built. */
export function packagedBytes(name: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(
      isSea() ? (getRawAsset(name) as ArrayBuffer) : readFileSync(new URL(`../${name}`, import.meta.url)),
    )
  } catch {
    return undefined
  }
}

/** Returns the code of a thread: as text inside the executable, otherwise as the address of its file. */
export function threadCode(name: string): { readonly code: string | URL; readonly isText: boolean } {
  if (isSea()) return { code: `${getAsset("loader.cjs", "utf8")}runCarried(${JSON.stringify(name)})`, isText: true }
  const isSource = import.meta.url.endsWith(".ts")
  return {
    code: new URL(
      isSource ? `./app/${name === "jobs" ? "jobs" : "threads"}/${name}-thread.ts` : `./${name}.js`,
      import.meta.url,
    ),
    isText: false,
  }
}

/**
 * Returns the command line that starts a process for costly work: a command of the executable, or the jobs file run by
 * Node.
 */
export function jobsProgram(): { readonly command: string; readonly args: readonly string[] } {
  const { code } = isSea() ? { code: null } : threadCode("jobs")
  return { command: process.execPath, args: code === null ? ["jobs"] : [fileURLToPath(code)] }
}

export const softwareVersion: string = manifest.version
