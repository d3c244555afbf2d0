/** What the long forms have in common: their flags, their progress, how they clean up after themselves, and how they end. */
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { endAll, executable } from "../../support/program.ts"
import { freshSeed } from "./chance.ts"

export interface Asked<Name extends string> {
  /** Everything that is chosen comes out of it. */
  readonly seed: string
  readonly numbers: Readonly<Record<Name, number>>
}

/**
 * Reads `--seed` and numbers such as `--kills 300`, from flags or from variables such as `PROVE_KILLS`.
 * @param counts how much is done where nothing is said; `PROVE_SCALE` scales these
 * @param shapes numbers that say how it is done, and are not scaled
 */
export function asked<Count extends string, Shape extends string>(
  counts: Readonly<Record<Count, number>>,
  shapes: Readonly<Record<Shape, number>>,
): Asked<Count | Shape> {
  const scale = Number(process.env.PROVE_SCALE ?? 1)
  const scaled = Object.entries<number>(counts).map(([name, count]) => [name, Math.max(1, Math.round(count * scale))] as const)
  const defaults = new Map([...scaled, ...Object.entries<number>(shapes)])
  const options = Object.fromEntries(["seed", ...defaults.keys()].map((name) => [name, { type: "string" as const }]))
  const { values } = parseArgs({ options, strict: true })
  const given = (name: string): string | undefined => (values[name] as string | undefined) ?? process.env[`PROVE_${name.toUpperCase()}`]
  const numbers = Object.fromEntries([...defaults].map(([name, count]) => [name, Number(given(name) ?? count)]))
  return { seed: given("seed") ?? freshSeed(), numbers: numbers as Record<Count | Shape, number> }
}

const cleaning: (() => void)[] = []

/** Has something done at the end, whichever it is. What was asked for last is done first. */
export const atEnd = (work: () => void): void => void cleaning.unshift(work)

function cleanUp(): void {
  endAll()
  for (const work of cleaning.splice(0)) work()
}

/** A copy of the executable: a build in the meantime must not change what is being proved. */
export function ownExecutable(): { program: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "research-room-proved-"))
  const program = join(folder, "research-room")
  cpSync(executable(), program)
  return { program, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A line that is written over while somebody watches, and one of many where it goes into a file. */
export function progress(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`)
}

/** A line that stays. */
export const tell = (text: string): void => void process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}\n` : `${text}\n`)

/** What a proof came to: what was wrong, in sentences, and what was seen. */
export interface Proof {
  readonly problems: readonly string[]
  readonly seen: string
}

/** Runs a proof to its end: what was wrong and the seed on standard error, the summary as the last line of standard output. */
export async function prove(what: string, seed: string, work: () => Promise<Proof>): Promise<void> {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      cleanUp()
      process.exit(1)
    })
  tell(`${what}: seed ${seed}`)
  const failed = (error: unknown): Proof => ({
    problems: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    seen: "broke off",
  })
  const { problems, seen } = await work().catch(failed)
  cleanUp()
  for (const problem of problems.slice(0, 20)) tell(`VIOLATION ${problem}`)
  console.log(`${what}: ${problems.length === 0 ? "held" : `BROKEN, ${problems.length} violations`}: ${seen}; seed ${seed}`)
  if (problems.length > 0) process.exitCode = 1
}
