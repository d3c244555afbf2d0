/**
 * A service killed in the middle of a commit, on purpose: the commit is whole in the log, but SQLite's index of the log
 * does not include it. Kills alone seldom cause this. Litestream is stopped meanwhile, so that nothing is left to
 * chance.
 */
import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { passing } from "../crash/crash.ts"
import type { Chance } from "../support/chance.ts"
import type { Ground } from "../support/ground.ts"
import { startLoad, Writers } from "../support/load.ts"
import { Account } from "../support/outside.ts"
import { inCopy } from "./acknowledged.ts"
import type { Parent } from "./litestream.ts"

/**
 * The size in bytes of both copies of the index header, and the offset of its salts, which change when the log
 * restarts.
 */
const HEADER = 96
const SALTS = 32
/** Milliseconds in which a write is looked for in the index. */
const PATIENCE = 3_000
/** Litestream checkpoints the log at almost every sync, and writes a row of its own before. */
const atOnce = { "min-checkpoint-page-count": 2 }

export interface HalfKnown {
  /** Commits that were removed from the index. */
  halfKnown: number
  /**
   * How often the newest state of the copy was not whole then, and the acknowledged writes were found one transaction
   * earlier.
   */
  fallenBack: number
  /** How often the log had restarted in between, so that there was no such commit. */
  begunAnew: number
}

function headerOf(index: string): Buffer {
  const header = Buffer.alloc(HEADER)
  const file = openSync(index, "r")
  readSync(file, header, 0, HEADER, 0)
  closeSync(file)
  return header
}

function putBack(index: string, header: Buffer): void {
  const file = openSync(index, "r+")
  writeSync(file, header, 0, HEADER, 0)
  closeSync(file)
}

/** @returns problems, in sentences */
export async function throughHalfKnown(
  ground: Ground,
  parent: Parent,
  chance: Chance,
  times: number,
  seen: HalfKnown,
): Promise<readonly string[]> {
  const at = (name: string) => join(ground.place.folder, name)
  const kept = { type: "file", path: at("copy-of-half-known") }
  const data = ground.copy("half-known")
  const index = join(at(data), "research-room.db-shm")
  const writers = new Writers(ground)
  let running = await parent.serve(data, kept, atOnce)
  const account = await Account.open(ground, running.baseUrl)
  for (let round = 0; round < times && account.problems.length === 0; round += 1) {
    const own = chance.part(`half known ${round}`)
    const load = startLoad(writers, ground.agents, {
      baseUrl: running.baseUrl,
      connections: 4,
      chance: own,
      mayFail: true,
    })
    await load.acknowledged(own.between(5, 40))
    load.stop()
    await load.ended()

    running.signal("SIGSTOP")
    const before = headerOf(index)
    const last = startLoad(writers, ground.agents, {
      baseUrl: running.baseUrl,
      connections: 1,
      chance: own.part("last"),
      mayFail: true,
    })
    const until = Date.now() + PATIENCE
    while (headerOf(index).equals(before) && Date.now() < until) await passing(1)
    process.kill(running.service, "SIGSTOP")
    const after = headerOf(index)
    const goesOn = !after.equals(before) && after.subarray(SALTS, SALTS + 8).equals(before.subarray(SALTS, SALTS + 8))
    if (goesOn) putBack(index, before)
    seen[goesOn ? "halfKnown" : "begunAnew"] += 1
    const known = headerOf(index)
    running.signal("SIGCONT")
    // What Litestream does before it notices that the service has ended: it copies, and writes to the file itself.
    const soon = Date.now() + PATIENCE
    while (headerOf(index).equals(known) && Date.now() < soon) await passing(1)
    await passing(own.between(0, 50))
    // Litestream ends once it notices that the service has ended; if it is killed too, it continues with the log as it
    // finds it.
    if (own.oneIn(2)) running.signal("SIGKILL")
    process.kill(running.service, "SIGKILL")
    await running.ended()
    last.stop()
    await last.ended()
    const sent = [...load.sent, ...last.sent]
    const unknown = sent.filter(({ outcome }) => outcome === "unknown")

    // Every other time the disk is lost before the data is served again, and the service continues from the copy.
    const diskIsLost = own.oneIn(2)
    account.problems.push(
      ...(await inCopy(ground, parent, kept, [...account.storedWrites, ...sent], {
        keeps: diskIsLost,
        onEarlier: () => (seen.fallenBack += 1),
      })),
    )
    if (account.problems.length > 0) break
    if (diskIsLost) {
      rmSync(at(data), { recursive: true, force: true })
      renameSync(at("restored"), at(data))
    }
    running = await parent.serve(data, kept, atOnce)
    await account.look(running.baseUrl, sent)
    for (const write of unknown) writers.learn(write)
    await account.sendAgain(running.baseUrl, unknown, own)
    for (const write of unknown) writers.learn(write)
    // Once it is served again, the newest state of the copy is whole.
    account.problems.push(...(await inCopy(ground, parent, kept, account.storedWrites)))
  }
  running.signal("SIGTERM")
  await running.ended()
  return account.problems.map((problem) => `After a commit half known: ${problem}`)
}
