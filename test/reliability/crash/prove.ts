/**
 * The long form: hundreds of kills, on folders that go through many of them, and on folders killed while they are
 * created. `node
 * --conditions=research-room-source test/reliability/crash/prove.ts --kills 300 --first 40 --seed …`
 */
import { chanceOf } from "../support/chance.ts"
import { breakGround } from "../support/ground.ts"
import { asked, atEnd, ownExecutable, progress, prove } from "../support/proving.ts"
import { nothingYet, throughKills } from "./crash.ts"
import { firstStart } from "./first-start.ts"

const { seed, numbers } = asked(
  {
    /** Kills under load in total, and folders killed while they are created. */
    kills: 300,
    first: 40,
  },
  {
    /** How many kills one data folder goes through. */
    each: 50,
    /** The most acknowledged writes that a kill waits for. */
    most: 600,
  },
)

await prove("crash", seed, async () => {
  const { program, remove } = ownExecutable()
  atEnd(remove)
  const ground = await breakGround(program)
  atEnd(ground.remove)
  const chance = chanceOf(seed)
  const tally = nothingYet()
  const problems: string[] = []
  for (let folder = 1; tally.kills < numbers.kills && problems.length === 0; folder += 1) {
    const kills = Math.min(numbers.each, numbers.kills - tally.kills)
    const told = () =>
      progress(
        `crash: ${tally.kills} of ${numbers.kills} kills, ${tally.acknowledged} acknowledged, ${tally.unknown} unknown`,
      )
    const options = {
      ground,
      data: `folder-${folder}`,
      chance: chance.part(folder),
      kills,
      most: numbers.most,
      tally,
      progress: told,
    }
    problems.push(...(await throughKills(options)))
  }
  const first = { kills: 0, setUp: 0, notSetUp: 0 }
  for (let folder = 1; folder <= numbers.first && problems.length === 0; folder += 1) {
    problems.push(...(await firstStart(ground, `first-${folder}`, chance.part(`first ${folder}`), first)))
    progress(`crash: ${folder} of ${numbers.first} folders killed while they were made`)
  }
  return { problems, seen: JSON.stringify({ ...tally, firstStarts: first }) }
})
