/** The short form of `npm run prove -- --only import`. */
import { rmSync } from "node:fs"
import tap, { test } from "tap"
import { endAll, executable, newPlace, run } from "../../support/program.ts"
import { chanceOf, freshSeed } from "../support/chance.ts"
import { exportedDemo, type Seen, throughKills } from "./kills.ts"

const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})

test("a killed import leaves nothing or all of it", async (t) => {
  const seed = freshSeed()
  t.comment(`seed ${seed}`)
  const program = executable()
  const crate = await exportedDemo(program, place, "main")
  const seen: Seen = { kills: 0, absent: 0, there: 0 }
  t.strictSame(await throughKills(program, place, crate, 3, chanceOf(seed), seen), [])
  t.equal(seen.absent + seen.there, 3)
  const twice = await run(program, ["import", crate.file, "--data", "whole"], place)
  t.match(twice, { code: 0, out: /^Nothing in .* is new/ })
  rmSync(crate.file)
  t.match(await run(program, ["import", crate.file, "--data", "whole"], place), { code: 2, err: /There is no file/ })
})
