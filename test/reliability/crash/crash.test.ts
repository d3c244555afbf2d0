/**
 * The executable is killed in the middle of its work, again and again, and restarted on the same data. Every
 * acknowledged write is there; every other write is there whole or not at all. The long form is `prove.ts` in this
 * folder.
 */
import tap, { test } from "tap"
import { endAll } from "../../support/program.ts"
import { chanceOf, freshSeed } from "../support/chance.ts"
import { breakGround } from "../support/ground.ts"
import { nothingYet, throughKills } from "./crash.ts"
import { firstStart } from "./first-start.ts"

// Each start after a kill checks the data, in a process of its own: on a busy machine that takes minutes.
const timeout = 420_000
tap.setTimeout(timeout)

const ground = await breakGround()
tap.teardown(() => {
  endAll()
  ground.remove()
})
const seed = process.env.RESEARCH_ROOM_SEED ?? freshSeed()

test("after kills in the middle of the work, nothing acknowledged is lost and nothing is half stored", {
  timeout,
}, async (t) => {
  const tally = nothingYet()
  const problems = await throughKills({ ground, data: "killed", chance: chanceOf(seed), kills: 8, most: 60, tally })
  t.strictSame(problems, [], `seed ${seed}: ${JSON.stringify(tally)}`)
  t.equal(tally.kills, 8)
  t.ok(tally.acknowledged >= 8)
})

test("after kills while the data is created and the first person is set up, the next start continues from there", {
  timeout,
}, async (t) => {
  const seen = { kills: 0, setUp: 0, notSetUp: 0 }
  for (const data of ["first", "second"])
    t.strictSame(await firstStart(ground, data, chanceOf(`${seed}/${data}`), seen), [], `seed ${seed}`)
  t.equal(seen.setUp + seen.notSetUp, 2)
})
