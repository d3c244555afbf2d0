/**
 * With the real Litestream: kills of the service, of Litestream, and of both under load; a commit missing in the log's
 * index; a store that hangs, refuses, or no longer accepts the credential; a copy promoted while the old service runs;
 * a read-only copy under load. `npm run prove -- --only replicated`.
 */
import { chanceOf } from "../support/chance.ts"
import { breakGround } from "../support/ground.ts"
import { asked, atEnd, ownExecutable, progress, prove } from "../support/proving.ts"
import { underLoad } from "./following.ts"
import { throughHalfKnown } from "./half-known.ts"
import { type Tally, throughKills, victims } from "./kills.ts"
import { found, parentOf } from "./litestream.ts"
import { throughPromotion, throughTroubles } from "./troubles.ts"

/** The lag that a part of them does not exceed, in milliseconds. */
const slowest = (lags: readonly number[], part: number): number =>
  lags.toSorted((one, other) => one - other)[Math.floor(lags.length * part)] ?? 0

const { seed, numbers } = asked(
  { kills: 100, halfKnown: 20, troubles: 10, promotions: 10, writes: 1_000, followers: 30 },
  {},
)
const litestream = found()
if (litestream === null) {
  console.log(
    "replicated: skipped: there is no litestream in the PATH, and LITESTREAM names none; " +
      ".github/replication.md says how to build it",
  )
} else {
  await prove("replicated", seed, async () => {
    const { program, remove } = ownExecutable()
    atEnd(remove)
    const ground = await breakGround(program)
    atEnd(ground.remove)
    const parent = parentOf(litestream, ground)
    const chance = chanceOf(seed)
    const tally: Tally = { kills: 0, disksLost: 0, earlier: 0, acknowledged: 0, unknown: 0, looked: 0 }
    const commits = { halfKnown: 0, fallenBack: 0, begunAnew: 0 }
    const stores = { troubles: 0, refused: 0 }
    const promoted = { promotions: 0 }
    const followed = { lags: [] as number[], reads: 0, followersKilled: 0 }
    const told = () =>
      progress(
        `replicated: ${tally.kills} of ${numbers.kills * victims.length} kills, ${tally.acknowledged} ` +
          `acknowledged, ${tally.unknown} unknown`,
      )
    const problems = [...(await throughKills(ground, parent, chance.part("kills"), numbers.kills, tally, told))]
    if (problems.length === 0)
      problems.push(...(await throughHalfKnown(ground, parent, chance.part("half known"), numbers.halfKnown, commits)))
    if (problems.length === 0)
      problems.push(...(await throughTroubles(ground, parent, chance.part("store"), numbers.troubles, stores)))
    if (problems.length === 0)
      problems.push(...(await throughPromotion(ground, parent, chance.part("promotion"), numbers.promotions, promoted)))
    if (problems.length === 0)
      problems.push(
        ...(await underLoad(ground, parent, chance.part("follower"), numbers.writes, numbers.followers, followed)),
      )
    const lag = (part: number) => Math.round(slowest(followed.lags, part))
    return {
      problems,
      seen: JSON.stringify({
        ...tally,
        ...commits,
        ...stores,
        ...promoted,
        reads: followed.reads,
        followersKilled: followed.followersKilled,
        lagP50: lag(0.5),
        lagP99: lag(0.99),
      }),
    }
  })
}
