/** What a run keeps on disk until it is delivered: small files, each written whole or not at all. No token is in them. */
import { createHash } from "node:crypto"
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, renameSync, rmSync, writeSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { trusted } from "../contract/json.ts"

/** The folder for what one service is to be told; the Python client has the same. */
export function placeOf(spool: string, baseUrl: string): string {
  const place = (baseUrl.split("://")[1] ?? baseUrl).replace(/[^A-Za-z0-9.-]+/g, "_")
  return join(spool.replace(/^~(?=\/|$)/, homedir()), place)
}
export const runsIn = (place: string): string => join(place, "runs")

/** Which credential said it, without telling the credential. */
export const markOf = (token: string): string => createHash("sha256").update(token).digest("hex").slice(0, 16)

/** Writes a file so that it is there whole or not at all, even after a power cut. */
export function writeWhole(file: string, value: unknown): void {
  const part = `${file}.part`
  const opened = openSync(part, "w", 0o600)
  try {
    writeSync(opened, JSON.stringify(value))
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
  renameSync(part, file)
}

/** A file that this program wrote; null where there is none. */
export function readBack<T>(file: string): T | null {
  try {
    return trusted<T>(readFileSync(file, "utf8"))
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null
    throw error
  }
}

/** The names in a folder, in order; none where it is not there. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

export const makeFolder = (folder: string): void => void mkdirSync(folder, { recursive: true, mode: 0o700 })
export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })

/** A process: its id, and where the system tells, when it began, for ids are given anew. */
export interface ProcessMark {
  readonly pid: number
  readonly began: string | null
}

function beganAt(pid: number): string | null {
  try {
    // What stands behind the name, which may hold anything: first the state, and the twentieth is the start.
    const said = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "")
    const [state, ...more] = said.split(" ")
    return state === "Z" ? null : (more[18] ?? null)
  } catch {
    return null
  }
}

export const markOfProcess = (pid: number): ProcessMark => ({ pid, began: beganAt(pid) })

export function isAlive({ pid, began }: ProcessMark): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
  return began === null || beganAt(pid) === began
}

/** The digest and size of a file. */
export function digestOf(file: string): { digest: string; sizeBytes: number } {
  const hash = createHash("sha256")
  const opened = openSync(file, "r")
  const piece = Buffer.alloc(1 << 20)
  let sizeBytes = 0
  try {
    for (let read = readSync(opened, piece); read > 0; read = readSync(opened, piece)) {
      hash.update(piece.subarray(0, read))
      sizeBytes += read
    }
  } finally {
    closeSync(opened)
  }
  return { digest: `sha256:${hash.digest("hex")}`, sizeBytes }
}
