/**
 * The long form: images of a machine that loses power, disks that fail at random places and fill up for good, data on a
 * read-only file system, and the order of system calls that make acknowledged writes durable. `node
 * --conditions=research-room-source test/reliability/storage/prove.ts --images 300 --faults 30 --seed …`
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { kill } from "../crash/crash.ts"
import { type Chance, chanceOf } from "../support/chance.ts"
import { breakGround, type Ground } from "../support/ground.ts"
import { asked, atEnd, ownExecutable, progress, prove, tell } from "../support/proving.ts"
import { canStop, found, limitFiles } from "./disk.ts"
import { synchronisedFirst } from "./fsync.ts"
import { throughHardTimes } from "./hard-times.ts"
import { fill, makeSpace, mountReadOnly, mountSmall, unmountAll } from "./mounts.ts"
import { throughPowerLoss } from "./power.ts"
import { slowDisk } from "./slow-disk.ts"
import { copies, imports, withholding } from "./staged.ts"
import { attempt, failing, fullDisk, readOnly, type Trouble } from "./stages.ts"
import { present } from "../../../src/contract/typed.ts"
import { newPlace } from "../../support/program.ts"

const { seed, numbers } = asked(
  {
    /** Images in total, disks that fail at a random place, and file systems that fill up. */
    images: 300,
    faults: 30,
    full: 6,
    /** Commands on a disk that is full, fails or is read-only. */
    stages: 150,
  },
  {
    /** The number of images of one data folder. */
    each: 60,
  },
)

type Found = readonly string[]
/** The results of each part, for the summary. */
const all: Record<string, unknown> = {}
const saw = (what: string, seen: unknown) => {
  all[what] = seen
  tell(`storage: ${what}: ${JSON.stringify(seen)}`)
}
const skip = (what: string, why: string): Found => {
  saw(what, `skipped: ${why}`)
  return []
}

async function images(ground: Ground, chance: Chance): Promise<Found> {
  if (!canStop()) return skip("images", "a process cannot be seen to stand still here")
  const sum = { taken: 0, spoilt: 0, shortened: 0, acknowledged: 0 }
  for (let folder = 1; sum.taken < numbers.images; folder += 1) {
    const told = (opened: number) => progress(`storage: image ${sum.taken + opened} of ${numbers.images}`)
    const count = Math.min(numbers.each, numbers.images - sum.taken)
    const { problems, seen } = await throughPowerLoss({
      ground,
      data: `image-${folder}`,
      chance: chance.part(folder),
      images: count,
      progress: told,
    })
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += seen[name]
    if (problems.length > 0) return problems
  }
  saw("images", sum)
  return []
}

/** The limit falls anywhere: in the log, or in the database file during a checkpoint. */
async function faults(ground: Ground, chance: Chance): Promise<Found> {
  if (found("prlimit") === null) return skip("faults", "this machine has no prlimit")
  const sum = { faults: 0, acknowledged: 0, notStored: 0, uncertain: 0 }
  for (; sum.faults < numbers.faults; sum.faults += 1) {
    const own = chance.part(sum.faults)
    const data = ground.copy(`fault-${sum.faults}`)
    const file = join(ground.place.folder, data, "research-room.db")
    const { problems, lived } = await throughHardTimes({
      ground,
      data,
      chance: own,
      start: () => ground.serve(data),
      worsen: ({ pid }) => {
        const log = statSync(`${file}-wal`).size
        limitFiles(
          pid,
          own.oneIn(2)
            ? log + own.between(0, 20_000)
            : own.between(statSync(file).size >> 1, log + statSync(file).size),
        )
      },
      mend: ({ pid }) => limitFiles(pid, "unlimited"),
      writes: own.between(1, 400),
      failures: own.between(1, 60),
    })
    for (const name of ["acknowledged", "notStored", "uncertain"] as const) sum[name] += lived[name]
    progress(`storage: fault ${sum.faults + 1} of ${numbers.faults}`)
    if (problems.length > 0) return problems
  }
  saw("faults in the log and the database file", sum)
  return []
}

const MEGABYTE = 1_048_576

/** A file system that fills up for good, is repaired, and is full again when the service starts. */
async function fullFileSystems(ground: Ground, chance: Chance): Promise<Found> {
  const sum = { filled: 0, acknowledged: 0, notStored: 0, uncertain: 0, startedWhileFull: 0, refusedToStart: 0 }
  for (; sum.filled < numbers.full; sum.filled += 1) {
    const own = chance.part(sum.filled)
    const folder = join(ground.place.folder, `small-${sum.filled}`)
    if (!mountSmall(folder, 24 * MEGABYTE)) return skip("full file system", "none can be mounted by this user")
    const data = ground.copy(`small-${sum.filled}/data`)
    const { problems, lived } = await throughHardTimes({
      ground,
      data,
      chance: own,
      start: () => ground.serve(data),
      worsen: () => fill(folder, own.between(0, 200_000)),
      mend: () => makeSpace(folder),
      writes: own.between(1, 300),
      failures: own.between(1, 60),
    })
    for (const name of ["acknowledged", "notStored", "uncertain"] as const) sum[name] += lived[name]
    if (problems.length > 0) return problems

    fill(folder, 0)
    const starting = ground.begin(data)
    const how = await Promise.race([starting.printed(/llms\.txt\n/).then(() => null), starting.ended()]).catch(() =>
      starting.ended(),
    )
    if (how === null) {
      sum.startedWhileFull += 1
      await kill(starting)
    } else {
      sum.refusedToStart += 1
      if (how.code !== 1 || !/^research-room: \S.*\n$/.test(how.err))
        return [`A start on a full disk ended with ${how.code} and these words:\n${how.err}`]
    }
    makeSpace(folder)
    const { code, out, err } = await ground.check(data)
    if (code !== 0) return [`check after a start on a full disk ended with ${code}: ${out}${err}`]
    progress(`storage: full file system ${sum.filled + 1} of ${numbers.full}`)
  }
  saw("full file systems", sum)
  return []
}

/** A disk that fills up or fails at any moment of a command, or is read-only. */
async function stages({ program }: Ground, chance: Chance): Promise<Found> {
  const place = newPlace()
  atEnd(place.remove)
  // A mount in the folder is removed before the folder is.
  atEnd(unmountAll)
  const disk = join(place.folder, "disk")
  if (!mountSmall(disk, 48 * MEGABYTE)) return skip("stages of commands", "none can be mounted by this user")
  const ground = { program, place, disk }
  const withheld = await withholding(ground)
  const each = [...Object.values(await imports(ground)), withheld, ...Object.values(await copies(ground))]
  const library = slowDisk(place.folder)
  const sum = { attempts: 0, failed: 0 }
  for (; sum.attempts < numbers.stages; sum.attempts += 1) {
    const stage = present(chance.of(each))
    const [trouble, measure]: [Trouble, number] =
      library !== null && chance.oneIn(2)
        ? [failing(library), Math.floor(2 ** (chance.between(0, 100) / 10))]
        : chance.oneIn(10)
          ? [readOnly, 0]
          : [fullDisk, Math.floor(chance.between(0, 2_900) ** 2)]
    const { succeeded, problems } = await attempt(stage, measure, trouble)
    if (!succeeded) sum.failed += 1
    progress(`storage: stage ${sum.attempts + 1} of ${numbers.stages}`)
    if (problems.length > 0) return problems
  }
  saw("stages of commands", sum)
  return []
}

async function readOnlyFileSystem(ground: Ground): Promise<Found> {
  const data = ground.copy("shown")
  // The log of a killed service is beside the data.
  await kill(await ground.serve(data))
  if (!mountReadOnly(join(ground.place.folder, data), join(ground.place.folder, "read-only")))
    return skip("read-only file system", "none can be mounted by this user")
  const { code, out, err } = await ground.begin("read-only").ended()
  saw("read-only file system", { code, err })
  return code === 1 && out === "" && /^research-room: \S.*\n$/.test(err)
    ? []
    : [`A start on a read-only file system ended with ${code} and these words:\n${out}${err}`]
}

async function order(ground: Ground): Promise<Found> {
  const seen = await synchronisedFirst(ground, "traced", 50)
  if (seen === null) return skip("order of fdatasync and answer", "strace is not there, or may not look")
  saw("fdatasync before the answer", { answers: seen.answers, before: seen.answers - seen.problems.length })
  return seen.problems
}

await prove("storage", seed, async () => {
  const { program, remove } = ownExecutable()
  atEnd(remove)
  const ground = await breakGround(program)
  atEnd(ground.remove)
  atEnd(unmountAll)
  const chance = chanceOf(seed)
  const parts = [
    () => order(ground),
    () => readOnlyFileSystem(ground),
    () => stages(ground, chance.part("stages")),
    () => fullFileSystems(ground, chance.part("full")),
    () => faults(ground, chance.part("faults")),
    () => images(ground, chance.part("images")),
  ]
  const problems: string[] = []
  for (const part of parts) problems.push(...(await part()))
  return { problems, seen: JSON.stringify(all) }
})
