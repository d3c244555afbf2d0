/** Shared by the long forms: their flags, their progress, their clean-up, and how they end. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { endAll, executable } from "../../support/program.ts"
import { freshSeed } from "./chance.ts"

export interface Asked<Name extends string, Word extends string> {
  /** Every choice comes from it. */
  readonly seed: string
  readonly numbers: Readonly<Record<Name, number>>
  readonly words: Readonly<Record<Word, string | undefined>>
}

/**
 * Reads `--seed` and numbers such as `--kills 300`, from flags or from variables such as `PROVE_KILLS`.
 * @param counts default amounts; `PROVE_SCALE` scales these
 * @param shapes numbers that say how it is done, and are not scaled
 * @param names other flags, each with a word
 */
export function asked<Count extends string, Shape extends string, Word extends string = never>(
  counts: Readonly<Record<Count, number>>,
  shapes: Readonly<Record<Shape, number>>,
  names: readonly Word[] = [],
): Asked<Count | Shape, Word> {
  const scale = Number(process.env.PROVE_SCALE ?? 1)
  const scaled = Object.entries<number>(counts).map(
    ([name, count]) => [name, Math.max(1, Math.round(count * scale))] as const,
  )
  const defaults = new Map([...scaled, ...Object.entries<number>(shapes)])
  const options = Object.fromEntries(
    ["seed", ...names, ...defaults.keys()].map((name) => [name, { type: "string" as const }]),
  )
  const { values } = parseArgs({ options, strict: true })
  const given = (name: string): string | undefined =>
    (values[name] as string | undefined) ?? process.env[`PROVE_${name.toUpperCase()}`]
  const numbers = Object.fromEntries([...defaults].map(([name, count]) => [name, Number(given(name) ?? count)]))
  return {
    seed: given("seed") ?? freshSeed(),
    numbers: numbers as Record<Count | Shape, number>,
    words: Object.fromEntries(names.map((name) => [name, given(name)])) as Record<Word, string | undefined>,
  }
}

const cleaning: (() => void)[] = []

/** Registers work for the end, whatever ends the run. The last registered runs first. */
export const atEnd = (work: () => void): void => void cleaning.unshift(work)

function cleanUp(): void {
  endAll()
  for (const work of cleaning.splice(0)) work()
}

/** A copy of the executable: a build in the meantime must not change what is being tested. */
export function ownExecutable(): { program: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "research-room-proved-"))
  const program = join(folder, "research-room")
  cpSync(executable(), program)
  return { program, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A line that is overwritten on a terminal, and appended in a file. */
export function progress(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`)
}

/** A line that stays. */
export const tell = (text: string): void =>
  void process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}\n` : `${text}\n`)

export const megabytes = (bytes: number | null): string =>
  bytes === null ? "?" : `${Math.round(bytes / 1024 / 1024)} MB`

/** Bytes of memory that a process uses, or has used at most; null if the system gives no figure. */
export function memoryOf(pid: number | undefined, which: "VmRSS" | "VmHWM" = "VmRSS"): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    return Number(new RegExp(`^${which}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024
  } catch {
    return null
  }
}

/** The result of a proof: problems, in sentences, and the statistics. */
export interface Proof {
  readonly problems: readonly string[]
  readonly seen: string
}

/**
 * Runs a proof to its end: problems and the seed on standard error, the summary as the last line of standard output.
 */
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
  console.log(
    `${what}: ${problems.length === 0 ? "held" : `BROKEN, ${problems.length} violations`}: ${seen}; seed ${seed}`,
  )
  if (problems.length > 0) process.exitCode = 1
}
