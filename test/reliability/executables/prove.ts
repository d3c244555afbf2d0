/**
 * The long form: builds the executables of all platforms as `npm run executables` does, reads back the contents of
 * each, and runs the one for this machine. Missing Nodes for other platforms come from the npm registry.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { platformHere, platforms, releaseName } from "../../../build/platforms.ts"
import manifest from "../../../package.json" with { type: "json" }
import { lookInto } from "../../executable/contents.ts"
import { ask } from "../../support/ask.ts"
import { endAll, newPlace, run, serve } from "../../support/program.ts"

const root = join(import.meta.dirname, "../../..")
const problems: string[] = []

async function makeAll(): Promise<void> {
  const child = spawn(process.execPath, ["build/executable.ts", "--target", "all"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  })
  child.stdout.setEncoding("utf8").on("data", (text: string) => process.stderr.write(text))
  const [code] = (await once(child, "close")) as [number | null]
  if (code !== 0) throw new Error(`the build ended with ${code}`)
}

/** The digest of the program inside. */
function look(name: string, os: string, cpu: string): string {
  const { faults, size, assets, program } = lookInto(
    join(root, "dist", name),
    os,
    cpu,
    os === process.platform && cpu === process.arch,
  )
  problems.push(...faults.map((fault) => `${name}: ${fault}`))
  console.error(
    `${name}: ${(size / 1e6).toFixed(0)} MB, ${assets} assets, ` +
      `${faults.length === 0 ? "as it must be" : faults.join("; ")}`,
  )
  return program
}

function checkSums(names: readonly string[]): void {
  const list = names.toSorted().map((name) => `${hash("sha256", readFileSync(join(root, "dist", name)))}  ${name}\n`)
  if (readFileSync(join(root, "dist/SHA256SUMS"), "utf8") !== list.join(""))
    problems.push("SHA256SUMS says something else")
}

/** In an empty folder: its version, a start, an answer, an end. */
async function runHere(name: string): Promise<void> {
  const place = newPlace()
  try {
    const file = join(root, "dist", name)
    const { code, out } = await run(file, ["--version"], place)
    if (code !== 0 || !out.startsWith(manifest.version))
      problems.push(`${name}: --version ended with ${code} and said ${out}`)
    const service = await serve(file, ["--data", "data"], place)
    const { status, body } = await ask(`${service.baseUrl}/api/health/ready`)
    if (status !== 200 || String(body.softwareVersion) !== manifest.version)
      problems.push(`${name}: it is not ready: ${status}`)
    service.signal("SIGTERM")
    const ended = await service.ended()
    if (ended.code !== 0) problems.push(`${name}: it ended with ${ended.code}\n${ended.err}`)
    console.error(`${name}: starts, answers and ends here`)
  } finally {
    endAll()
    place.remove()
  }
}

try {
  await makeAll()
  const programs = new Set(
    platforms.map((platform) => look(releaseName(platform), platform.node.os, platform.node.cpu)),
  )
  if (programs.size !== 1) problems.push(`${programs.size} different programs are inside`)
  checkSums(platforms.map(releaseName))
  if (platformHere !== undefined) await runHere(releaseName(platformHere))
} catch (error) {
  problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
}
for (const problem of problems) console.error(`VIOLATION ${problem}`)
const names = platforms.map(({ name }) => name).join(", ")
console.log(
  problems.length === 0 ? `Executables for ${names}: contents as they must be.` : `${problems.length} violations.`,
)
process.exitCode = problems.length === 0 ? 0 : 1
