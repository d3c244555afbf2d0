/** One service under load, and images of it at random moments, each opened afterwards. */
import type { Chance } from "../support/chance.ts"
import type { Ground } from "../support/ground.ts"
import { each } from "../support/line.ts"
import { startLoad, Writers } from "../support/load.ts"
import { Account } from "../support/outside.ts"
import { passing } from "../crash/crash.ts"
import { type Image, openImage, takeImage, truthOf } from "./images.ts"

export interface Power {
  readonly ground: Ground
  readonly data: string
  readonly chance: Chance
  readonly images: number
  readonly progress?: (opened: number) => void
}

export interface Images {
  taken: number
  spoilt: number
  /** Damaged images that begin like the others and end before the last acknowledged write. */
  shortened: number
  /** Acknowledged before the last image. */
  acknowledged: number
}

/** @returns problems, in sentences, and the statistics */
export async function throughPowerLoss(power: Power): Promise<{ problems: readonly string[]; seen: Images }> {
  const { ground, data, chance, images, progress } = power
  ground.copy(data)
  const service = await ground.serve(data)
  const account = await Account.open(ground, service.baseUrl)
  const load = startLoad(new Writers(ground), ground.agents, {
    baseUrl: service.baseUrl,
    connections: 12,
    chance: chance.part("load"),
  })
  const taken: Image[] = []
  for (let n = 1; n <= images; n += 1) {
    await load.acknowledged(chance.between(1, 40))
    await passing(chance.between(0, 4))
    taken.push(await takeImage(ground, service, load, data, `${data}-${n}`, chance.part(n)))
  }
  load.stop()
  await load.ended()
  // A stop does no harm either.
  await account.look(service.baseUrl, load.sent)
  const truth = await truthOf(ground, service.baseUrl)
  service.signal("SIGTERM")
  await service.ended()

  const problems = [...account.problems]
  const seen: Images = {
    taken: taken.length,
    spoilt: taken.filter(({ spoilt }) => spoilt !== null).length,
    shortened: 0,
    acknowledged: taken.at(-1)?.acknowledged.length ?? 0,
  }
  let opened = 0
  await each([...taken.entries()], 2, async ([index, image]) => {
    const found = await openImage(ground, image, truth, chance.part(`image ${index}`))
    problems.push(...found.problems)
    if (found.lost > 0) seen.shortened += 1
    opened += 1
    progress?.(opened)
  })
  return { problems, seen }
}
