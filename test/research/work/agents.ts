/** What the two agents of the pair do outside the service: start it as users do, run programs, hash what comes out. */
import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Cast } from "research-room/testing"

const root = join(import.meta.dirname, "../../..")
export const executable = join(root, "dist", process.platform === "win32" ? "research-room.exe" : "research-room")

export interface Started extends Cast {
  readonly baseUrl: string
  end(): Promise<number | null>
}

/** Starts `research-room demo --json` with nothing of this machine but what it is given. @throws Error before a build */
export async function startExecutable(home: string, ...args: readonly string[]): Promise<Started> {
  if (!existsSync(executable)) throw new Error(`${executable} is not there: run npm run build first`)
  const child: ChildProcess = spawn(executable, ["demo", "--json", ...args], { stdio: ["ignore", "pipe", "inherit"], cwd: home, env: { HOME: home, TMPDIR: home } })
  const ended = once(child, "exit") as Promise<[number | null]>
  if (child.stdout === null) throw new Error("it has no output")
  for await (const line of createInterface(child.stdout)) {
    child.stdout.resume()
    const end = async () => {
      child.kill("SIGTERM")
      return (await ended)[0]
    }
    return { ...(JSON.parse(line) as Cast & { baseUrl: string }), end }
  }
  throw new Error("it ended before it served")
}

export const digestOf = (bytes: string | Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`

export interface Run {
  readonly exitCode: number
  readonly seconds: number
  readonly output: Buffer
  readonly digest: string
  readonly errors: string
  readonly startedAt: string
  readonly endedAt: string
}

/** Runs a program for real, timed, its output hashed. `node` is the Node that runs the tests. */
export async function run([program, ...args]: readonly string[], folder: string): Promise<Run> {
  const startedAt = new Date().toISOString()
  const begun = performance.now()
  const child = spawn(program === "node" ? process.execPath : (program as string), args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] })
  const chunks: Buffer[] = []
  let errors = ""
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
  const [exitCode] = (await once(child, "close")) as [number]
  const output = Buffer.concat(chunks)
  return { exitCode, seconds: (performance.now() - begun) / 1_000, output, digest: digestOf(output), errors, startedAt, endedAt: new Date().toISOString() }
}

/** The lines of an output as metrics: one point for each number of intervals. */
export const metricsOf = (output: Buffer) =>
  output.toString().trim().split("\n").map((line) => {
    const { intervals, error } = JSON.parse(line) as { intervals: number; error: string }
    return { name: "error", value: Number(error), step: intervals, split: "area" }
  })
