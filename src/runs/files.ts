/** The files of a run until it is delivered: small, and each written atomically. They hold no token. */
import { createHash } from "node:crypto"
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { codeOf } from "../contract/faults.ts"
import { trusted } from "../contract/json.ts"

/** Returns the folder for undelivered reports to a service. The Python client uses the same one. */
export function spoolFolder(spool: string, baseUrl: string): string {
  const name = (baseUrl.split("://")[1] ?? baseUrl).replace(/[^A-Za-z0-9.-]+/g, "_")
  return join(spool.replace(/^~(?=\/|$)/, homedir()), name)
}
export const runsIn = (folder: string): string => join(folder, "runs")

/** Identifies a credential without revealing it. */
export const credentialMark = (token: string): string => createHash("sha256").update(token).digest("hex").slice(0, 16)

/** Writes a file atomically, even if the power fails. */
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

/** Reads a file that this program wrote; null if there is none. */
export function readBack<T>(file: string): T | null {
  try {
    return trusted<T>(readFileSync(file, "utf8"))
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null
    throw error
  }
}

/** Returns the sorted names in a folder; none if it does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

export const makeFolder = (folder: string): void => void mkdirSync(folder, { recursive: true, mode: 0o700 })
export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })

/** Identifies a process. */
export interface ProcessMark {
  readonly pid: number
  /** The start time in the unit of the system, because ids are reused; null if the system does not tell it. */
  readonly began: string | null
}

function startOf(pid: number): string | null {
  try {
    // The fields after the name, which may contain anything: the first is the state, the twentieth the start time.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "")
    const [state, ...more] = fields.split(" ")
    return state === "Z" ? null : (more[18] ?? null)
  } catch {
    return null
  }
}

export const markOfProcess = (pid: number): ProcessMark => ({ pid, began: startOf(pid) })

export function isAlive({ pid, began }: ProcessMark): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === "EPERM"
  }
  return began === null || startOf(pid) === began
}

/** Computes the digest and size of a file. */
export function digestOf(file: string): { digest: string; sizeBytes: number } {
  const hash = createHash("sha256")
  const opened = openSync(file, "r")
  const buffer = Buffer.alloc(1 << 20)
  let sizeBytes = 0
  try {
    for (let read = readSync(opened, buffer); read > 0; read = readSync(opened, buffer)) {
      hash.update(buffer.subarray(0, read))
      sizeBytes += read
    }
  } finally {
    closeSync(opened)
  }
  return { digest: `sha256:${hash.digest("hex")}`, sizeBytes }
}
