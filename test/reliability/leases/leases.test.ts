/** Fifty agents with one list of work: a few rounds of what `npm run prove -- --only leases` does for longer. */
import t from "tap"
import { runs } from "../../support/chance.ts"
import { chanceOf, freshSeed } from "../support/chance.ts"
import { simulate } from "./agents.ts"
import { faultsOf } from "./judge.ts"

t.test("agents that are killed, suspended or late never repeat covered work, and lose nothing", async (t) => {
  const seed = process.env.SEED ?? freshSeed()
  for (let round = 0; round < runs(3, 1); round += 1) {
    const told = await simulate(t, chanceOf(`${seed} ${round}`), { agents: 50, experiments: 40, reviews: 30 })
    t.strictSame(faultsOf(told), [], `seed ${seed}, round ${round}`)
    t.ok(told.killed > 0 && told.suspended > 0 && told.takeovers > 0 && told.lateReports > 0, "all of it happened")
  }
})
