/**
 * The long simulation of agents that take from one list of work. `PROVE_SCALE` scales its rounds, `PROVE_SEED` repeats
 * them.
 */
import { chanceOf, freshSeed } from "../support/chance.ts"
import { simulate } from "./agents.ts"
import { faultsOf } from "./judge.ts"

const rounds = Math.max(2, Math.round(40 * Number(process.env.PROVE_SCALE ?? 1)))
const seed = process.env.PROVE_SEED ?? freshSeed()
const sum = { stints: 0, writes: 0, killed: 0, suspended: 0, takeovers: 0, lateReports: 0 }
let faulty = 0
for (let round = 0; round < rounds; round += 1) {
  const ends: (() => unknown)[] = []
  const told = await simulate({ teardown: (end) => ends.push(end) }, chanceOf(`${seed} ${round}`), {
    agents: 50,
    experiments: 60,
    reviews: 40,
  })
  const faults = faultsOf(told)
  if (faults.length > 0) faulty += 1
  for (const fault of faults.slice(0, 10)) process.stderr.write(`PROVE_SEED=${seed}, round ${round}: ${fault}\n`)
  sum.stints += told.stints.length
  sum.writes += told.known.length
  for (const name of ["killed", "suspended", "takeovers", "lateReports"] as const) sum[name] += told[name]
  for (const end of ends) await end()
  process.stderr.write(`round ${round + 1} of ${rounds}\n`)
}
console.log(
  `${rounds} rounds of 50 agents with seed ${seed}: ${sum.stints} pieces of work, ${sum.writes} writes, ` +
    `${sum.killed} killed, ${sum.suspended} suspended, ${sum.takeovers} takeovers, ${sum.lateReports} late reports; ` +
    `${faulty} rounds with faults`,
)
process.exitCode = faulty === 0 ? 0 : 1
