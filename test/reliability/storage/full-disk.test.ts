/**
 * No file may grow any further, as on a full disk: writes are answered 503 in the envelope and leave nothing, no
 * acknowledged write is lost, reads continue, and the same requests succeed once there is space.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { endAll } from "../../support/program.ts"
import { chanceOf, freshSeed } from "../support/chance.ts"
import { breakGround } from "../support/ground.ts"
import { filesUpTo, found, limitFiles } from "./disk.ts"
import { throughHardTimes } from "./hard-times.ts"

const ground = await breakGround()
tap.teardown(() => {
  endAll()
  ground.remove()
})
const seed = process.env.RESEARCH_ROOM_SEED ?? freshSeed()
/** More than the database engine, which the executable loads from a file, and less than the maximum size of the log. */
const SMALL = 3_500_000

test("a disk that fills up under load: nothing is lost, and a start with space continues", {
  skip: process.platform === "win32",
}, async (t) => {
  const data = ground.copy("full")
  const { problems, lived } = await throughHardTimes({
    ground,
    data,
    chance: chanceOf(seed),
    start: () => ground.serve(data, { shell: filesUpTo(SMALL) }),
    writes: 1,
    failures: 40,
  })
  t.strictSame(problems, [], `seed ${seed}: ${JSON.stringify(lived)}`)
  t.ok(lived.notStored + lived.uncertain >= 40)
})

const prlimit = found("prlimit") === null ? "this machine has no prlimit" : false
test("an error in the middle of the log, then a repaired disk: writes continue without a restart", {
  skip: prlimit,
}, async (t) => {
  const data = ground.copy("mended")
  const chance = chanceOf(`${seed}/log`)
  const { problems, lived } = await throughHardTimes({
    ground,
    data,
    chance,
    start: () => ground.serve(data),
    // Somewhere in the pages that are written next: in the middle of a frame as well as between two.
    worsen: ({ pid }) =>
      limitFiles(
        pid,
        statSync(join(ground.place.folder, data, "research-room.db-wal")).size + chance.between(0, 40_000),
      ),
    mend: ({ pid }) => limitFiles(pid, "unlimited"),
    writes: 60,
    failures: 30,
  })
  t.strictSame(problems, [], `seed ${seed}: ${JSON.stringify(lived)}`)
  t.ok(lived.notStored + lived.uncertain >= 30)
})
