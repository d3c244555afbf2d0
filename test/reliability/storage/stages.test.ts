/** A disk that fills up at each moment of an import, an adoption, a withholding and a drill. */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { endAll, executable, newPlace, run } from "../../support/program.ts"
import { fill, makeSpace, mountSmall, unmountAll } from "./mounts.ts"
import { imports, withholding } from "./staged.ts"
import { attempt, closeIn, dataOn } from "./stages.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  unmountAll()
  place.remove()
})
const disk = join(place.folder, "disk")
const skip = mountSmall(disk, 24 << 20) ? false : "no file system can be mounted by this user"
const ground = { program, place, disk }
/** Less than the pages that the last steps of a command write. */
const FINE = 8_192
const data = dataOn(disk)

test("an import, or an adoption, stores all of a Room or nothing, and records it", { skip }, async (t) => {
  const { afresh, adopting } = await imports(ground)
  for (const left of [0, 16_384, 400_000]) t.match(await attempt(afresh, left), { succeeded: false, problems: [] })
  const swept = await closeIn(adopting, 3_000_000, 1, FINE)
  t.strictSame(swept.problems, [])
  t.ok(swept.failed > 1 && swept.succeeded > 0, `${swept.failed} failed, ${swept.succeeded} succeeded`)
})

test("after a success the withheld words are in no file; a failure that left words says so", { skip }, async (t) => {
  const swept = await closeIn(await withholding(ground), 3_000_000, 3, FINE)
  t.strictSame(swept.problems, [])
  t.ok(swept.failed > 1 && swept.succeeded > 0, `${swept.failed} failed, ${swept.succeeded} succeeded`)
})

test("a drill without space does not say that the copy falls short, and leaves nothing", { skip }, async (t) => {
  const copy = join(place.folder, "copy")
  await run(program, ["backup", copy, "--data", data], place)
  const litestream = join(place.folder, "litestream")
  writeFileSync(litestream, '#!/bin/sh\nexec /bin/cp "$4" "$3"\n')
  chmodSync(litestream, 0o755)
  mkdirSync(join(place.folder, "roomy"))
  // On the same disk as its copy, and with a disk that fills up only in the replay.
  for (const scratch of ["disk", "roomy"])
    for (let left = 0; left <= 2_400_000; left += 600_000) {
      fill(disk, left)
      const drilling = { ...place, env: { TMPDIR: disk, SQLITE_TMPDIR: disk } }
      const { code, out, err } = await run(
        program,
        ["drill", copy, "--litestream", litestream, "--scratch", scratch],
        drilling,
      )
      if (code !== 0) {
        t.match(err, /^research-room: \S[^\n]*\n$/, `with ${left} bytes left`)
        t.notMatch(out + err, /not good enough|of the history \(/)
      }
      t.strictSame(
        readdirSync(disk).filter((name) => name.startsWith("research-room")),
        [],
      )
      makeSpace(disk)
      t.strictSame(readdirSync(join(place.folder, "roomy")), [])
    }
})
