/**
 * The very first start, killed while the folder is made, the schema written, the instance named, or the first person
 * set up. Whatever was reached, the next start continues from there.
 */
import { randomUUID } from "node:crypto"
import { passing, kill } from "./crash.ts"
import type { Chance } from "../support/chance.ts"
import type { Ground, Served } from "../support/ground.ts"
import { Line } from "../support/line.ts"

const person = { username: "ada", password: "correct horse battery" }

export interface FirstStarts {
  kills: number
  /** How often the first person existed after a kill in the middle of the set-up, and how often not. */
  setUp: number
  notSetUp: number
}

/** The one-time token that `serve` prints while there are no users. @throws if it ends without printing one */
const tokenOf = async (service: Served): Promise<string> => (await service.printed(/token=(\S+)/))[1] as string

const post = (baseUrl: string, path: string, body: object) =>
  fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { origin: new URL(baseUrl).origin, "content-type": "application/json" },
    body: JSON.stringify(body),
  })

/** @returns problems, in sentences */
export async function firstStart(
  ground: Ground,
  data: string,
  chance: Chance,
  seen: FirstStarts,
): Promise<readonly string[]> {
  const problems: string[] = []
  for (let kills = chance.between(1, 3); kills > 0; kills -= 1) {
    const cutShort = ground.begin(data)
    await passing(chance.between(0, 200))
    await kill(cutShort)
    seen.kills += 1
  }
  const first = await ground.serve(data)
  const token = await tokenOf(first)
  const underWay = post(first.baseUrl, "/api/setup", { token, ...person }).catch(() => null)
  await passing(chance.between(0, 500))
  await kill(first)
  seen.kills += 1
  const answer = await underWay

  const second = await ground.serve(data)
  let comesIn = await post(second.baseUrl, "/api/session", person)
  if (comesIn.ok) seen.setUp += 1
  else {
    seen.notSetUp += 1
    if (answer?.ok) problems.push("The first person was set up, was told so, and is gone.")
    comesIn = await post(second.baseUrl, "/api/setup", { token: await tokenOf(second), ...person })
  }
  if (!comesIn.ok)
    problems.push(`After a kill during the set-up nobody comes in: ${comesIn.status} ${await comesIn.text()}`)
  problems.push(...(await canBeUsed(second.baseUrl, comesIn.headers.getSetCookie()[0]?.split(";")[0] ?? "")))
  second.signal("SIGTERM")
  const { code, err } = await second.ended()
  if (code !== 0) problems.push(`The service ended with ${code}: ${err}`)
  const checked = await ground.check(data)
  if (checked.code !== 0) problems.push(`check ended with ${checked.code}: ${checked.out}${checked.err}`)
  return problems
}

/** The first person makes the first Room. */
async function canBeUsed(baseUrl: string, cookie: string): Promise<string[]> {
  const made = await fetch(`${baseUrl}/api/rooms`, {
    method: "POST",
    headers: { origin: new URL(baseUrl).origin, "content-type": "application/json", cookie },
    body: JSON.stringify({ schemaVersion: 3, requestId: randomUUID(), title: "The first Room" }),
  })
  const line = new Line(baseUrl)
  const read = await line.get("/api/research/rooms")
  line.close()
  if (made.ok && read?.text.includes("The first Room")) return []
  return [`After a first start that was killed no Room can be made: ${made.status} ${await made.text()}`]
}
