/** Files that travel with the program: in the project's folder, or inside the executable. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { getAsset, getRawAsset, isSea } from "node:sea"

/** The text of a file, named by its path in the project, such as `schema.sql`. Must stay directly in `src`: `..` is the root from there and from `dist`. */
export function packaged(name: string): string {
  return isSea() ? getAsset(name, "utf8") : readFileSync(new URL(`../${name}`, import.meta.url), "utf8")
}

/** The bytes of a file, or undefined where it was not built. */
export function packagedBytes(name: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(isSea() ? (getRawAsset(name) as ArrayBuffer) : readFileSync(new URL(`../${name}`, import.meta.url)))
  } catch {
    return undefined
  }
}

/** The code of a thread of the program: its text, inside the executable, or the file it stands in. */
export function threadCode(name: string): { readonly code: string | URL; readonly isText: boolean } {
  if (isSea()) return { code: `${getAsset("loader.cjs", "utf8")}runCarried(${JSON.stringify(name)})`, isText: true }
  const isSource = import.meta.url.endsWith(".ts")
  return {
    code: new URL(isSource ? `./app/${name === "jobs" ? "jobs" : "threads"}/${name}-thread.ts` : `./${name}.js`, import.meta.url),
    isText: false,
  }
}

/** How a process for costly work is started: the executable as one of its own commands, or the file that is process and thread. */
export function jobsProgram(): { readonly command: string; readonly args: readonly string[] } {
  const { code } = isSea() ? { code: null } : threadCode("jobs")
  return { command: process.execPath, args: code === null ? ["jobs"] : [fileURLToPath(code)] }
}
