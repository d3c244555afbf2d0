/**
 * Commands on a disk that is full, fails or is read-only: whether each did all or nothing, said so in one sentence,
 * left no file behind, and succeeds once the disk is repaired.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Ended, type newPlace, run } from "../../support/program.ts"
import { fill, makeSpace, setReadOnly } from "./mounts.ts"
import type { SlowDisk } from "./slow-disk.ts"

/** What is wrong with a disk while a command runs. The greater its measure, the later the command notices. */
export interface Trouble {
  readonly env?: Readonly<Record<string, string>>
  begin(disk: string, measure: number): void
  end(disk: string): void
  says(measure: number): string
}

export const fullDisk: Trouble = { begin: fill, end: makeSpace, says: (left) => `With ${left} bytes left` }
export const readOnly: Trouble = {
  begin: (disk) => setReadOnly(disk, true),
  end: (disk) => setReadOnly(disk, false),
  says: () => "Read-only",
}
export const failing = ({ env, failsAfter }: SlowDisk): Trouble => ({
  env,
  begin: (_disk, times) => failsAfter(times),
  end: () => failsAfter(null),
  says: (times) => `With a disk that fails after ${times} writes`,
})

/** A data folder on a small disk, restored before each attempt from the folder `seed`. */
export interface Stage {
  readonly program: string
  readonly place: ReturnType<typeof newPlace>
  /** A small file system of its own. */
  readonly disk: string
  /** The folder whose contents are copied there; if omitted, nothing is. */
  readonly seed?: string
  /** The command, which works in the folder `data` of the disk. */
  readonly command: readonly string[]
  /** Files that it leaves beside the data if it succeeds. */
  readonly leaves?: RegExp
  readonly env?: Readonly<Record<string, string>>
  /** Checks the effects of the command after this exit, once there is space again: problems, in sentences. */
  judge(ended: Ended): Promise<readonly string[]>
  /** Whether the same command says that there is nothing left to do, after it did everything. */
  isDone(again: Ended): boolean
}

export const dataOn = (disk: string): string => join(disk, "data")

/** The files below a folder that contain a text. */
export const holding = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => statSync(join(folder, name)).isFile() && readFileSync(join(folder, name)).includes(text),
  )

const kept = /^(?:data|data\/(?:research-room\.db(?:-wal|-shm|-journal)?|serve\.(?:lock|pid)))$/

/** Runs the command while something is wrong with the disk. @returns whether it succeeded, and the problems */
export async function attempt(
  stage: Stage,
  measure: number,
  trouble: Trouble = fullDisk,
): Promise<{ succeeded: boolean; problems: string[] }> {
  const { program, place, disk, seed, command, env, judge, isDone, leaves } = stage
  for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true, force: true })
  if (seed !== undefined) {
    mkdirSync(dataOn(disk))
    cpSync(seed, dataOn(disk), { recursive: true })
  }
  const at = { ...place, env: { ...env, ...trouble.env } }
  const problems: string[] = []
  const tell = (problem: string) => problems.push(`${trouble.says(measure)}: ${problem}`)
  trouble.begin(disk, measure)
  const ended = await run(program, command, at)
  trouble.end(disk)
  const succeeded = ended.code === 0
  if (!succeeded && (ended.code !== 1 || !/^research-room: \S[^\n]*\.\n$/.test(ended.err)))
    tell(`it ended with ${ended.code} and: ${ended.err}`)
  const beside = readdirSync(disk, { recursive: true, encoding: "utf8" }).filter(
    (name) => !(kept.test(name) || (succeeded && leaves?.test(name) === true)),
  )
  if (beside.length > 0) tell(`it left ${beside}`)
  for (const problem of await judge(ended)) tell(`${problem} (${ended.code}: ${ended.err.trim()})`)
  const again = await run(program, command, at)
  if (!(again.code === 0 || isDone(again)))
    tell(`it does not work once the disk is repaired: ${again.code}, ${again.err}`)
  const checked = await run(program, ["check", "--data", dataOn(disk)], place)
  if (checked.code !== 0) tell(`check ended with ${checked.code}: ${checked.err}`)
  return { succeeded, problems }
}

/**
 * Tries several measures of a trouble, and then narrows down the least with which the command succeeds: there its last
 * steps fail.
 * @param most with this measure it succeeds @returns how often it failed and succeeded, and the problems
 */
export async function closeIn(
  stage: Stage,
  most: number,
  coarse: number,
  fine: number,
  trouble: Trouble = fullDisk,
): Promise<Swept> {
  const swept: Swept = { failed: 0, succeeded: 0, problems: [] }
  let [low, high] = [0, most]
  async function at(measure: number): Promise<void> {
    const { succeeded, problems } = await attempt(stage, measure, trouble)
    swept.problems.push(...problems)
    if (succeeded) {
      swept.succeeded += 1
      high = Math.min(high, measure)
    } else {
      swept.failed += 1
      low = Math.max(low, measure)
    }
  }
  for (let point = 0; point <= coarse; point += 1) await at(Math.round((most * point) / coarse))
  while (high - low > fine) await at(Math.floor((low + high) / 2))
  return swept
}

export interface Swept {
  failed: number
  succeeded: number
  problems: string[]
}
