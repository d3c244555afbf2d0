/** A service whose disk fails, and is repaired: what it must do meanwhile and afterwards, whatever the failure is. */
import { kill } from "../crash/crash.ts"
import type { Chance } from "../support/chance.ts"
import type { Ground, Served } from "../support/ground.ts"
import type { Sent } from "../support/journal.ts"
import { Line } from "../support/line.ts"
import { startLoad, Writers } from "../support/load.ts"
import { Account } from "../support/outside.ts"

export interface HardTimes {
  readonly ground: Ground
  readonly data: string
  readonly chance: Chance
  /** How the service is started; if the disk fails by itself in time, this prepares it. */
  start(): Promise<Served>
  /** Makes the disk fail; omitted if it fails by itself. */
  worsen?(service: Served): void
  /** Repairs it while the service runs; omitted if only a restart does. */
  mend?(service: Served): void
  /** How many acknowledged writes come before the failure, and how many failed ones before the repair. */
  readonly writes: number
  readonly failures: number
}

export interface Lived {
  acknowledged: number
  /** Writes answered 503: as not stored, and as uncertain. */
  notStored: number
  uncertain: number
}

const failed = ({ tries }: Sent): boolean => tries.some((each) => each.startsWith("503"))

/** @returns problems, in sentences, and the statistics */
export async function throughHardTimes(times: HardTimes): Promise<{ problems: readonly string[]; lived: Lived }> {
  const { ground, data, chance, writes, failures } = times
  const writers = new Writers(ground)
  const service = await times.start()
  const account = await Account.open(ground, service.baseUrl)
  const problems = account.problems
  const lived: Lived = { acknowledged: 0, notStored: 0, uncertain: 0 }
  const load = startLoad(writers, ground.agents, { baseUrl: service.baseUrl, connections: 12, chance, mayFail: true })

  await load.acknowledged(writes)
  times.worsen?.(service)
  await load.failed(failures)
  load.stop()
  await load.ended()
  const struck = load.sent.filter(failed)
  lived.acknowledged = load.sent.filter(({ outcome }) => outcome === "acknowledged").length
  lived.uncertain = struck.filter(({ outcome }) => outcome === "unknown").length
  lived.notStored = struck.length - lived.uncertain
  if (struck.length < failures)
    problems.push(`The service ended, or nothing failed: ${struck.length} of ${failures} failures.\n${service.err}`)

  // While the disk fails the service is alive, reads are answered, and no acknowledged write is gone.
  problems.push(...(await readsGoOn(service.baseUrl)))
  await account.look(service.baseUrl, load.sent)

  if (times.mend !== undefined) {
    times.mend(service)
    await account.sendAgain(service.baseUrl, struck, chance.part("mended"))
    const after = startLoad(writers, ground.agents, {
      baseUrl: service.baseUrl,
      connections: 12,
      chance: chance.part("after"),
    })
    await after.acknowledged(writes)
    after.stop()
    await after.ended()
    await account.look(service.baseUrl, after.sent)
    lived.acknowledged += after.sent.filter(({ outcome }) => outcome === "acknowledged").length
  }
  await kill(service)

  const again = await ground.serve(data)
  await account.look(again.baseUrl, [])
  await account.sendAgain(again.baseUrl, times.mend === undefined ? struck : [], chance.part("again"))
  await account.lookAtAll(again.baseUrl)
  await kill(again)
  const { code, out, err } = await ground.check(data)
  if (code !== 0) problems.push(`check ended with ${code}: ${out}${err}`)
  return { problems, lived }
}

async function readsGoOn(baseUrl: string): Promise<string[]> {
  const line = new Line(baseUrl)
  const problems = []
  for (const path of ["/api/health/live", "/api/research/rooms", "/api/research/experiments", "/api/manifest", "/"]) {
    const answer = await line.get(path)
    if (answer === null || answer.status >= 400)
      problems.push(`While the disk fails ${path} is answered ${answer?.status}: ${answer?.text}`)
  }
  line.close()
  return problems
}
