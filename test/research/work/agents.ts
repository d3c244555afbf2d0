/** What the two agents of the pair do outside the service: start it as users do, run programs, hash their output. */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import type { Cast } from "research-room/testing"
import { executable, start } from "../../support/program.ts"

export interface Started extends Cast {
  readonly baseUrl: string
  /** Stops the service and returns its exit code. */
  end(): Promise<number | null>
}

/** Starts the built `research-room demo --json` in its own folder. @throws Error if there is no build */
export async function startExecutable(folder: string, ...args: readonly string[]): Promise<Started> {
  const started = start(executable(), ["demo", "--json", ...args], { folder, env: { TMPDIR: folder } })
  const [line] = await started.printed(/^\{.*\}(?=\n)/)
  const end = async () => {
    started.signal("SIGTERM")
    return (await started.ended()).code
  }
  return { ...(JSON.parse(line) as Cast & { baseUrl: string }), end }
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

/** Runs a real program, measures its time and hashes its output. `node` is the Node that runs the tests. */
export async function run([program, ...args]: readonly string[], folder: string): Promise<Run> {
  const startedAt = new Date().toISOString()
  const begun = performance.now()
  const child = spawn(program === "node" ? process.execPath : (program as string), args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  })
  const chunks: Buffer[] = []
  let errors = ""
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
  const [exitCode] = (await once(child, "close")) as [number]
  const output = Buffer.concat(chunks)
  return {
    exitCode,
    seconds: (performance.now() - begun) / 1_000,
    output,
    digest: digestOf(output),
    errors,
    startedAt,
    endedAt: new Date().toISOString(),
  }
}

/** Converts the lines of an output to metrics: one point for each number of intervals. */
export const metricsOf = (output: Buffer) =>
  output
    .toString()
    .trim()
    .split("\n")
    .map((line) => {
      const { intervals, error } = JSON.parse(line) as { intervals: number; error: string }
      return { name: "error", value: Number(error), step: intervals, split: "area" }
    })
