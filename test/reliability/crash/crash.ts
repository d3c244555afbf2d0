/**
 * One data folder through many kills: the built executable serves it under load, is ended by SIGKILL in the middle,
 * restarts on the same data, and is checked from outside.
 */
import type { Chance } from "../support/chance.ts"
import type { Ground, Served } from "../support/ground.ts"
import { startLoad, Writers } from "../support/load.ts"
import { Account } from "../support/outside.ts"

/** The counts of several kills. */
export interface Tally {
  kills: number
  /** Kills while the service was restarting after a kill. */
  killsAtStart: number
  acknowledged: number
  /** Refused and rehearsed writes, of which nothing may be stored. */
  declined: number
  /** Writes without an answer, and whether they were found stored. */
  unknown: number
  found: number
  absent: number
  /** How many of the absent ones were accepted when sent again. */
  takenAgain: number
  /** Writes whose sender disconnected before the answer, and asked again. */
  askedTwice: number
}

export const nothingYet = (): Tally => ({
  kills: 0,
  killsAtStart: 0,
  acknowledged: 0,
  declined: 0,
  unknown: 0,
  found: 0,
  absent: 0,
  takenAgain: 0,
  askedTwice: 0,
})

export interface CrashOptions {
  readonly ground: Ground
  /** The name of the data folder. */
  readonly data: string
  readonly chance: Chance
  readonly kills: number
  /** The most acknowledged writes that a kill waits for. */
  readonly most: number
  readonly tally: Tally
  /** Called after every kill that was checked. */
  readonly progress?: () => void
}

/** Waits for this long. The seed decides how long; which moment of the work it hits is chance. */
export const passing = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Kills a service, and waits until it is gone. */
export async function kill(service: Pick<Served, "signal" | "ended">): Promise<void> {
  service.signal("SIGKILL")
  await service.ended()
}

/**
 * Takes one data folder through its kills.
 * @returns problems, in sentences; after the first kill that shows a problem no other follows
 */
export async function throughKills({
  ground,
  data,
  chance,
  kills,
  most,
  tally,
  progress,
}: CrashOptions): Promise<readonly string[]> {
  ground.copy(data)
  const writers = new Writers(ground)
  let service = await ground.serve(data)
  const account = await Account.open(ground, service.baseUrl)

  for (let round = 1; round <= kills; round += 1) {
    const own = chance.part(`kill ${round}`)
    const load = startLoad(writers, ground.agents, {
      baseUrl: service.baseUrl,
      connections: own.between(8, 16),
      chance: own,
    })
    await load.acknowledged(own.between(1, most))
    // A few milliseconds more: otherwise every kill would come just after an answer.
    await passing(own.between(0, 6))
    await kill(service)
    await load.ended()
    tally.kills += 1
    tally.acknowledged += load.sent.filter(({ outcome }) => outcome === "acknowledged").length
    tally.declined += load.sent.filter(({ outcome }) => outcome === "declined").length
    tally.askedTwice += load.sent.filter(({ tries }) => tries.length === 2).length
    const unknown = load.sent.filter(({ outcome }) => outcome === "unknown")
    tally.unknown += unknown.length

    // The first process after a kill recovers the data: another start, which may be killed itself, or a check.
    for (; own.oneIn(4); tally.killsAtStart += 1) {
      const cutShort = ground.begin(data)
      await passing(own.between(0, 400))
      await kill(cutShort)
    }
    const checksFirst = own.oneIn(2)
    if (checksFirst) await mustBeWhole(ground, data, account)
    service = await ground.serve(data)
    const settled = await account.look(service.baseUrl, load.sent)
    tally.found += settled.found
    tally.absent += settled.absent
    for (const write of unknown) writers.learn(write)
    const taken = await account.sendAgain(service.baseUrl, unknown, own)
    tally.takenAgain += taken
    for (const write of unknown) writers.learn(write)
    if (!checksFirst) await mustBeWhole(ground, data, account)
    if (service.err.includes('"level":50')) account.problems.push(`The service logged an error:\n${service.err}`)
    progress?.()
    if (account.problems.length > 0) break
  }

  if (account.problems.length === 0) await account.lookAtAll(service.baseUrl)
  service.signal("SIGTERM")
  const { code, err } = await service.ended()
  if (code !== 0) account.problems.push(`The service ended with ${code}: ${err}`)
  await mustBeWhole(ground, data, account)
  return account.problems
}

async function mustBeWhole(ground: Ground, data: string, account: Pick<Account, "problems">): Promise<void> {
  const { code, out, err } = await ground.check(data)
  if (code !== 0) account.problems.push(`check ended with ${code}: ${out}${err}`)
}
