/** Imports killed at any moment: `npm run prove -- --only import`. */
import { newPlace } from "../../support/program.ts"
import { chanceOf } from "../support/chance.ts"
import { asked, atEnd, ownExecutable, prove } from "../support/proving.ts"
import { exportedDemo, type Seen, throughKills } from "./kills.ts"

const { seed, numbers } = asked({ kills: 100 }, {})
await prove("import", seed, async () => {
  const { program, remove } = ownExecutable()
  const place = newPlace()
  atEnd(() => (place.remove(), remove()))
  const seen: Seen = { kills: 0, absent: 0, there: 0 }
  const problems = await throughKills(
    program,
    place,
    await exportedDemo(program, place, "main"),
    numbers.kills,
    chanceOf(seed),
    seen,
  )
  return {
    problems,
    seen: `${seen.kills} kills, after which the Room was not there ${seen.absent} times and whole ${seen.there} times`,
  }
})
