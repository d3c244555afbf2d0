/**
 * `npm run prove`: every long harness, one after the other, and a table of the results.
 *
 * A harness is a script, `test/reliability/<name>/prove.ts`. It prints its progress on standard error; its last line on
 * standard output is its summary; it exits with 0 if everything held, otherwise with 1. `PROVE_SCALE` in its
 * environment (default 1) scales how much it does. On SIGINT or SIGTERM it ends the processes it started.
 *
 * `--only NAME` runs one of them (and may be repeated); `--quick` is `PROVE_SCALE=0.1` unless that is set.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"

interface Outcome {
  readonly name: string
  readonly verdict: string
  readonly seconds: number
  readonly summary: string
}

const here = import.meta.dirname
const scriptOf = (name: string) => join(here, name, "prove.ts")
const harnesses = readdirSync(here)
  .filter((name) => existsSync(scriptOf(name)))
  .sort()

const { values: flags } = parseArgs({
  options: { only: { type: "string", multiple: true, default: [] }, quick: { type: "boolean", default: false } },
})
const strangers = flags.only.filter((name) => !harnesses.includes(name))
if (strangers.length > 0) {
  console.error(`There is no harness ${strangers.join(", ")}; there are ${harnesses.join(", ")}.`)
  process.exit(2)
}
const chosen = flags.only.length === 0 ? harnesses : flags.only
const scale = process.env.PROVE_SCALE ?? (flags.quick ? "0.1" : "1")

let running: ChildProcess | null = null
let ending = false

/** Ends the running harness, and everything it started: they are a process group, named by its id. */
function end(signal: NodeJS.Signals): void {
  ending = true
  if (running?.pid === undefined) return
  if (process.platform === "win32") running.kill(signal)
  else process.kill(-running.pid, signal)
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, end)

/** Runs a harness to its end, and passes on its output as it comes. */
async function run(name: string): Promise<Outcome> {
  console.error(`\n=== ${name}`)
  const started = performance.now()
  // In a group of its own: Ctrl-C reaches it only through this process, once.
  const child = spawn(process.execPath, [...process.execArgv, scriptOf(name)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PROVE_SCALE: scale },
    detached: true,
  })
  running = child
  let tail = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    process.stdout.write(text)
    tail = (tail + text).slice(-8_000)
  })
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null]
  running = null
  const seconds = (performance.now() - started) / 1000
  const summary =
    tail
      .trimEnd()
      .split(/[\r\n]/)
      .at(-1) ?? ""
  const verdict =
    code === 0 ? "held" : ending ? "ended early" : signal === null ? `failed (${code})` : `failed (${signal})`
  return { name, verdict, seconds, summary: summary.trim() }
}

function printTable(outcomes: readonly Outcome[]): void {
  const rows = outcomes.map(({ name, verdict, seconds, summary }) => [
    name,
    verdict,
    `${seconds.toFixed(0)} s`,
    summary,
  ])
  const all = [["harness", "verdict", "time", "what it says"], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")
  console.log(`\n${all.map((row) => line(row).trimEnd()).join("\n")}`)
}

const outcomes: Outcome[] = []
for (const name of chosen) if (!ending) outcomes.push(await run(name))
printTable(outcomes)
const held = outcomes.length === chosen.length && outcomes.every(({ verdict }) => verdict === "held")
console.log(
  held
    ? `All ${outcomes.length} held.`
    : `${outcomes.filter(({ verdict }) => verdict === "held").length} of ${chosen.length} held.`,
)
process.exitCode = held ? 0 : 1
