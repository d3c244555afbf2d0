/** Service, Litestream, or both are killed under load; what was acknowledged is in the copy, and the next start goes on. */
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

export interface Tally {
  kills: number
  /** Kills after which the disk was taken for lost, so that the copy is what went on. */
  disksLost: number
  /** Kills after which the newest in the copy was not whole, and what was acknowledged was found as of a transaction before. */
  earlier: number
  acknowledged: number
  unknown: number
  looked: number
}

/** @returns what was wrong, in sentences */
export async function throughKills(
  ground: Ground,
  parent: Parent,
  chance: Chance,
  each: number,
  tally: Tally,
  progress: () => void,
): Promise<readonly string[]> {
  const at = (name: string) => join(ground.place.folder, name)
  const kept = { type: "file", path: at("copy-of-killed") }
  const data = ground.copy("killed")
  const writers = new Writers(ground)
  let running = await parent.serve(data, kept)
  const account = await Account.open(ground, running.baseUrl)
  for (let round = 0; round < each * victims.length; round += 1) {
    const victim = victims[round % victims.length]
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
    const earlier = Array.from({ length: Math.min(50, account.storedWrites.length) }, () => own.of(account.storedWrites))
    tally.looked += acknowledged.length + earlier.length
    account.problems.push(
      ...(await inCopy(ground, parent, kept, [...acknowledged, ...earlier.flatMap((write) => write ?? [])], {
        keeps: diskIsLost,
        onEarlier: () => (tally.earlier += 1),
      })),
    )
    if (account.problems.length > 0) return account.problems.map((problem) => `After a kill of ${victim}: ${problem}`)
    if (diskIsLost) {
      tally.disksLost += 1
      rmSync(at(data), { recursive: true, force: true })
      renameSync(at("restored"), at(data))
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
  account.problems.push(...(await inCopy(ground, parent, kept, account.storedWrites, { work: (baseUrl) => account.lookAtAll(baseUrl) })))
  return account.problems
}
