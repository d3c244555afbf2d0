/**
 * A machine that loses power, simulated by images of the database and its log at random moments, some with the end of
 * the log damaged: every image opens, is whole, and holds all acknowledged writes, or the beginning of them without a
 * gap.
 */
import tap, { test } from "tap"
import { endAll } from "../../support/program.ts"
import { chanceOf, freshSeed } from "../support/chance.ts"
import { breakGround } from "../support/ground.ts"
import { canStop } from "./disk.ts"
import { throughPowerLoss } from "./power.ts"

const ground = await breakGround()
tap.teardown(() => {
  endAll()
  ground.remove()
})
const seed = process.env.RESEARCH_ROOM_SEED ?? freshSeed()
const skip = canStop() ? false : "a process cannot be seen to stand still here"

test("every image of a running service opens, is whole, and holds the acknowledged writes in order", {
  skip,
}, async (t) => {
  const { problems, seen } = await throughPowerLoss({ ground, data: "power", chance: chanceOf(seed), images: 20 })
  t.strictSame(problems, [], `seed ${seed}: ${JSON.stringify(seen)}`)
  t.equal(seen.taken, 20)
})
