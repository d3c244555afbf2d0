/** A mirror and its origin, killed at any moment, and the lag between them: `npm run prove -- --only mirror`. */
import { newPlace } from "../../support/program.ts"
import { chanceOf } from "../support/chance.ts"
import { asked, atEnd, ownExecutable, prove } from "../support/proving.ts"
import { type Followed, slowest, throughKills } from "./killed.ts"

const { seed, numbers } = asked({ kills: 100, writes: 1_000 }, {})
await prove("mirror", seed, async () => {
  const { program, remove } = ownExecutable()
  const place = newPlace()
  atEnd(() => (place.remove(), remove()))
  const seen: Followed = { kills: 0, writes: 0, lags: [] }
  const problems = await throughKills(
    program,
    place,
    { kills: numbers.kills, writes: numbers.writes },
    chanceOf(seed),
    seen,
  )
  const lag = slowest(seen.lags, 0.99)
  if (lag > 1_000) problems.push(`one entry in a hundred is here only after ${lag.toFixed(0)} ms`)
  return {
    problems,
    seen: `${seen.kills} kills, ${seen.writes} writes, here after ${slowest(seen.lags, 0.5).toFixed(0)} ms (p99 ${lag.toFixed(0)} ms, at most ${Math.max(...seen.lags).toFixed(0)} ms)`,
  }
})
