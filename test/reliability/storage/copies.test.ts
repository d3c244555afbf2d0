/**
 * A disk that fills up, fails or is read-only while a Room is adopted, a backup is made or restored, and earlier data
 * is upgraded: each is done whole, or one sentence says why not, and the next start finds what was there before.
 */
import { join } from "node:path"
import tap, { test } from "tap"
import { endAll, executable, newPlace } from "../../support/program.ts"
import { mountSmall, unmountAll } from "./mounts.ts"
import { slowDisk } from "./slow-disk.ts"
import { copies, imports } from "./staged.ts"
import { attempt, failing, fullDisk, readOnly, type Trouble } from "./stages.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  unmountAll()
  place.remove()
})
const disk = join(place.folder, "disk")
const skip = mountSmall(disk, 48 << 20) ? false : "no file system can be mounted by this user"
const library = slowDisk(place.folder)
const ground = { program, place, disk }

const stages = { adopting: (await imports(ground)).adopting, ...(await copies(ground)) }

/** `prove` tries many more measures. */
const troubles: [string, Trouble, readonly number[]][] = [
  ["is full", fullDisk, [0, 300_000]],
  ["is read-only", readOnly, [0]],
]
if (library !== null) troubles.push(["fails", failing(library), [2, 9, 40]])

for (const [what, trouble, measures] of troubles)
  test(`all or nothing, and one sentence, on a disk that ${what}`, { skip, timeout: 180_000 }, async (t) => {
    for (const [name, stage] of Object.entries(stages)) {
      const succeeded: boolean[] = []
      for (const measure of measures) {
        const tried = await attempt(stage, measure, trouble)
        t.strictSame(tried.problems, [], name)
        succeeded.push(tried.succeeded)
      }
      t.equal(succeeded[0], false, `${name} meets the trouble`)
      t.comment(`${name}: ${succeeded}`)
    }
  })
