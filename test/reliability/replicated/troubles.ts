/**
 * A store that hangs, refuses or no longer accepts the credential; and a copy promoted while the old service still
 * runs.
 */
import { passing } from "../crash/crash.ts"
import type { Chance } from "../support/chance.ts"
import type { Ground } from "../support/ground.ts"
import type { Sent } from "../support/journal.ts"
import { Line } from "../support/line.ts"
import { type Load, startLoad, Writers } from "../support/load.ts"
import { Account } from "../support/outside.ts"
import { inCopy, missing } from "./acknowledged.ts"
import type { Parent } from "./litestream.ts"
import { keptIn, startStore, type Store } from "./store.ts"

const acknowledged = (sent: readonly Sent[]) => sent.filter(({ outcome }) => outcome === "acknowledged")

const moods: Readonly<Record<string, (store: Store) => void>> = {
  hangs: (store) => void (store.mood = "hangs"),
  refuses: (store) => void (store.mood = "refuses"),
  "knows the credential no longer": (store) => void store.revoked.add("first"),
}

/** @returns problems, in sentences */
export async function throughTroubles(
  ground: Ground,
  parent: Parent,
  chance: Chance,
  times: number,
  seen: { troubles: number; refused: number },
): Promise<string[]> {
  const store = await startStore()
  const kept = keptIn(store, "troubled", "first")
  const data = ground.copy("troubled")
  const running = await parent.serve(data, kept)
  const account = await Account.open(ground, running.baseUrl)
  const writers = new Writers(ground)
  try {
    for (let round = 0; round < times; round += 1) {
      for (const [what, befalls] of Object.entries(moods)) {
        const own = chance.part(`${what} ${round}`)
        const load: Load = startLoad(writers, ground.agents, {
          baseUrl: running.baseUrl,
          connections: 6,
          chance: own,
          mayFail: true,
        })
        await load.acknowledged(own.between(5, 60))
        befalls(store)
        await load.failed(6)
        // From now on nothing more may be acknowledged: requests that were under way have been answered.
        const before = acknowledged(load.sent).length
        await load.failed(6)
        if (acknowledged(load.sent).length !== before)
          account.problems.push(`While the store ${what}, a write was acknowledged.`)
        const line = new Line(running.baseUrl)
        if ((await line.get("/api/research/rooms"))?.status !== 200)
          account.problems.push(`While the store ${what}, reads do not go on.`)
        line.close()
        store.mood = "well"
        store.revoked.clear()
        await load.acknowledged(own.between(1, 20))
        load.stop()
        await load.ended()
        const unknown = load.sent.filter(({ outcome }) => outcome === "unknown")
        seen.troubles += 1
        seen.refused += unknown.length
        await account.look(running.baseUrl, load.sent)
        await account.sendAgain(running.baseUrl, unknown, own)
        account.problems.push(...(await inCopy(ground, parent, kept, account.storedWrites)))
        if (account.problems.length > 0) return account.problems.map((problem) => `The store ${what}: ${problem}`)
      }
    }
    return []
  } finally {
    running.signal("SIGTERM")
    await running.ended()
    await store.close()
  }
}

/** The old service keeps running without its credential; everything it acknowledged is in the data of the new one. */
export async function throughPromotion(
  ground: Ground,
  parent: Parent,
  chance: Chance,
  times: number,
  seen: { promotions: number },
): Promise<string[]> {
  const problems: string[] = []
  for (let round = 0; round < times && problems.length === 0; round += 1) {
    const own = chance.part(`promotion ${round}`)
    const store = await startStore()
    const [before, after] = [keptIn(store, "first", "first"), keptIn(store, "second", "second")]
    const old = await parent.serve(ground.copy(`old-${round}`), before)
    const load = startLoad(new Writers(ground), ground.agents, {
      baseUrl: old.baseUrl,
      connections: 8,
      chance: own,
      mayFail: true,
    })
    await load.acknowledged(own.between(20, 150))
    store.revoked.add("first")
    // The old service keeps running for as long as its writers send.
    await passing(own.between(0, 50))
    const promoted = `promoted-${round}`
    const failed = await parent.restore(
      { ...before, "access-key-id": "second", "secret-access-key": "secret-of-second" },
      promoted,
    )
    if (failed !== null) problems.push(`The copy cannot be restored: ${failed}`)
    const now = await parent.serve(promoted, after)
    await load.failed(8)
    load.stop()
    await load.ended()
    problems.push(...(await missing(now.baseUrl, acknowledged(load.sent))))
    const next = startLoad(new Writers(ground), ground.agents, {
      baseUrl: now.baseUrl,
      connections: 8,
      chance: own.part("next"),
      mayFail: true,
    })
    await next.acknowledged(30)
    next.stop()
    await next.ended()
    for (const each of [old, now]) {
      each.signal("SIGTERM")
      await each.ended()
    }
    problems.push(...(await inCopy(ground, parent, after, [...acknowledged(load.sent), ...acknowledged(next.sent)])))
    seen.promotions += 1
    await store.close()
  }
  return problems.map((problem) => `Promotion: ${problem}`)
}
