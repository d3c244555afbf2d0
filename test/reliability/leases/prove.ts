/**
 * The long simulation of agents that take from one list of work: `npm run prove -- --only leases`. `--seed` repeats it.
 */
import { chanceOf } from "../support/chance.ts"
import { asked, progress, prove } from "../support/proving.ts"
import { simulate } from "./agents.ts"
import { faultsOf } from "./judge.ts"

const { seed, numbers } = asked({ rounds: 40 }, {})
await prove("leases", seed, async () => {
  const problems: string[] = []
  const sum = { stints: 0, writes: 0, killed: 0, suspended: 0, takeovers: 0, lateReports: 0 }
  for (let round = 0; round < numbers.rounds; round += 1) {
    const ends: (() => unknown)[] = []
    const lab = { teardown: (end: () => unknown) => ends.push(end) }
    const told = await simulate(lab, chanceOf(`${seed} ${round}`), { agents: 50, experiments: 60, reviews: 40 })
    problems.push(...faultsOf(told).map((fault) => `round ${round}: ${fault}`))
    sum.stints += told.stints.length
    sum.writes += told.known.length
    for (const name of ["killed", "suspended", "takeovers", "lateReports"] as const) sum[name] += told[name]
    for (const end of ends) await end()
    progress(`round ${round + 1} of ${numbers.rounds}`)
  }
  return {
    problems,
    seen:
      `${numbers.rounds} rounds of 50 agents: ${sum.stints} pieces of work, ${sum.writes} writes, ${sum.killed} ` +
      `killed, ${sum.suspended} suspended, ${sum.takeovers} takeovers, ${sum.lateReports} late reports`,
  }
})
