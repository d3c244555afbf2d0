/** The short form of `npm run prove -- --only mirror`: two running executables, one following the other. */
import tap, { test } from "tap"
import { endAll, executable, newPlace, run } from "../../support/program.ts"
import { chanceOf, freshSeed } from "../support/chance.ts"
import { type Followed, throughKills } from "./killed.ts"

const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})

test("a mirror has every entry of its origin, whichever of the two is killed", async (t) => {
  const seed = freshSeed()
  t.comment(`seed ${seed}`)
  const program = executable()
  const seen: Followed = { kills: 0, writes: 0, lags: [] }
  t.strictSame(await throughKills(program, place, { kills: 4, writes: 10 }, chanceOf(seed), seen), [])
  t.equal(seen.kills, 4)
  const listed = await run(program, ["mirror", "list", "--json", "--data", "here"], place)
  t.equal((JSON.parse(listed.out) as { stopped: string | null }[]).filter(({ stopped }) => stopped === null).length, 3)
  t.match(
    await run(
      program,
      ["mirror", "add", "http://127.0.0.1:1", "01a1c4d3-13a9-73f5-8f3d-d5a42c60610b", "--data", "here"],
      place,
    ),
    {
      code: 1,
      err: /does not answer\. Nothing was changed/,
    },
  )
})
