/**
 * The service, Litestream, or both are killed under load; acknowledged writes are in the copy, and the next start
 * continues. Several folders run side by side: most of the time is spent waiting for a copy and for starts.
 */
import { renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { passing } from "../crash/crash.ts"
import type { Chance } from "../support/chance.ts"
import type { Ground } from "../support/ground.ts"
import { startLoad, Writers } from "../support/load.ts"
import { Account } from "../support/outside.ts"
import { inCopy } from "./acknowledged.ts"
import type { Parent } from "./litestream.ts"

export const victims = ["service", "litestream", "both"] as const
type Victim = (typeof victims)[number]

export interface Tally {
  kills: number
  /** Kills after which the disk counted as lost, so that the service continued from the copy. */
  disksLost: number
  /**
   * Kills after which the newest state of the copy was not whole, and the acknowledged writes were found one
   * transaction earlier.
   */
  earlier: number
  acknowledged: number
  unknown: number
  looked: number
}

const FOLDERS = 3

/** @param each how often each of the victims is killed  @returns problems, in sentences */
export async function throughKills(
  ground: Ground,
  parent: Parent,
  chance: Chance,
  each: number,
  tally: Tally,
  progress: () => void,
): Promise<readonly string[]> {
  const all = Array.from({ length: each * victims.length }, (_, round) => ({
    round,
    victim: victims[round % victims.length] as Victim,
  }))
  const found = await Promise.all(
    Array.from({ length: FOLDERS }, (_, folder) => {
      // Each folder gets every victim, whatever the number of folders.
      const rounds = all.slice(
        Math.floor((all.length * folder) / FOLDERS),
        Math.floor((all.length * (folder + 1)) / FOLDERS),
      )
      return throughRounds(ground, parent, chance, `killed-${folder + 1}`, rounds, tally, progress)
    }),
  )
  return found.flat()
}

async function throughRounds(
  ground: Ground,
  parent: Parent,
  chance: Chance,
  name: string,
  rounds: readonly { readonly round: number; readonly victim: Victim }[],
  tally: Tally,
  progress: () => void,
): Promise<readonly string[]> {
  const at = (name: string) => join(ground.place.folder, name)
  const kept = { type: "file", path: at(`copy-of-${name}`) }
  const into = `restored-${name}`
  const data = ground.copy(name)
  const writers = new Writers(ground)
  let running = await parent.serve(data, kept)
  const account = await Account.open(ground, running.baseUrl)
  for (const { round, victim } of rounds) {
    const own = chance.part(`kill ${round}`)
    const load = startLoad(writers, ground.agents, {
      baseUrl: running.baseUrl,
      connections: own.between(8, 16),
      chance: own,
      mayFail: true,
    })
    await load.acknowledged(own.between(1, 200))
    await passing(own.between(0, 6))
    if (victim !== "litestream") process.kill(running.service, "SIGKILL")
    if (victim !== "service") running.signal("SIGKILL")
    await running.ended()
    load.stop()
    await load.ended()
    const acknowledged = load.sent.filter(({ outcome }) => outcome === "acknowledged")
    const unknown = load.sent.filter(({ outcome }) => outcome === "unknown")
    tally.kills += 1
    tally.acknowledged += acknowledged.length
    tally.unknown += unknown.length

    const diskIsLost = own.oneIn(3)
    const earlier = Array.from({ length: Math.min(50, account.storedWrites.length) }, () =>
      own.of(account.storedWrites),
    )
    tally.looked += acknowledged.length + earlier.length
    account.problems.push(
      ...(await inCopy(ground, parent, kept, [...acknowledged, ...earlier.flatMap((write) => write ?? [])], {
        into,
        keeps: diskIsLost,
        onEarlier: () => (tally.earlier += 1),
      })),
    )
    if (account.problems.length > 0) return account.problems.map((problem) => `After a kill of ${victim}: ${problem}`)
    if (diskIsLost) {
      tally.disksLost += 1
      rmSync(at(data), { recursive: true, force: true })
      renameSync(at(into), at(data))
    }
    running = await parent.serve(data, kept)
    await account.look(running.baseUrl, load.sent)
    for (const write of unknown) writers.learn(write)
    await account.sendAgain(running.baseUrl, unknown, own)
    for (const write of unknown) writers.learn(write)
    progress()
    if (account.problems.length > 0) return account.problems.map((problem) => `After a kill of ${victim}: ${problem}`)
  }
  running.signal("SIGTERM")
  await running.ended()
  account.problems.push(
    ...(await inCopy(ground, parent, kept, account.storedWrites, {
      into,
      work: (baseUrl) => account.lookAtAll(baseUrl),
    })),
  )
  return account.problems
}
