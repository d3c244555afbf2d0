/**
 * Commands on a disk with so many bytes left: whether each did all or nothing, said so in one sentence, left no file behind, and works
 * once there is space.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Ended, type newPlace, run } from "../../support/program.ts"
import { fill, makeSpace } from "./mounts.ts"

/** A data folder on a small disk, before each attempt as it is in the folder `seed`. */
export interface Stage {
  readonly program: string
  readonly place: ReturnType<typeof newPlace>
  /** A small file system of its own. */
  readonly disk: string
  /** The folder whose contents are put there; left out, nothing is. */
  readonly seed?: string
  /** The command, which works in the folder `data` of the disk. */
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** What of the command is there, after it has ended so and there is space again: problems, in sentences. */
  judge(ended: Ended): Promise<readonly string[]>
  /** Whether the same command says that there is nothing left to do, after it did everything. */
  isDone(again: Ended): boolean
}

export const dataOn = (disk: string): string => join(disk, "data")

/** The files below a folder that hold a text. */
export const holding = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => statSync(join(folder, name)).isFile() && readFileSync(join(folder, name)).includes(text),
  )

const kept = /^(?:data|data\/(?:research-room\.db(?:-wal|-shm)?|serve\.(?:lock|pid)))$/

/** Runs the command with so many bytes left. @returns whether it succeeded, and what was wrong */
export async function attempt(stage: Stage, left: number): Promise<{ succeeded: boolean; problems: string[] }> {
  const { program, place, disk, seed, command, env, judge, isDone } = stage
  for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true, force: true })
  if (seed !== undefined) {
    mkdirSync(dataOn(disk))
    cpSync(seed, dataOn(disk), { recursive: true })
  }
  const at = { ...place, env: { ...env } }
  const problems: string[] = []
  const tell = (problem: string) => problems.push(`With ${left} bytes left: ${problem}`)
  fill(disk, left)
  const ended = await run(program, command, at)
  makeSpace(disk)
  const succeeded = ended.code === 0
  if (!succeeded && (ended.code !== 1 || !/^research-room: \S[^\n]*\.\n$/.test(ended.err)))
    tell(`it ended with ${ended.code} and: ${ended.err}`)
  const beside = readdirSync(disk, { recursive: true, encoding: "utf8" }).filter((name) => !kept.test(name))
  if (beside.length > 0) tell(`it left ${beside}`)
  for (const problem of await judge(ended)) tell(`${problem} (${ended.code}: ${ended.err.trim()})`)
  const again = await run(program, command, at)
  if (!(again.code === 0 || isDone(again))) tell(`it does not work once there is space: ${again.code}, ${again.err}`)
  const checked = await run(program, ["check", "--data", dataOn(disk)], place)
  if (checked.code !== 0) tell(`check ended with ${checked.code}: ${checked.err}`)
  return { succeeded, problems }
}

/**
 * Fills the disk to some points on the way, and then closes in on the least space that is enough: there the last steps of the command fail.
 * @param most so many bytes are enough @returns how often it failed and succeeded, and what was wrong
 */
export async function closeIn(stage: Stage, most: number, coarse: number, fine: number): Promise<Swept> {
  const swept: Swept = { failed: 0, succeeded: 0, problems: [] }
  let [low, high] = [0, most]
  async function at(left: number): Promise<void> {
    const { succeeded, problems } = await attempt(stage, left)
    swept.problems.push(...problems)
    if (succeeded) {
      swept.succeeded += 1
      high = Math.min(high, left)
    } else {
      swept.failed += 1
      low = Math.max(low, left)
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
