/**
 * A read-only copy under load, its follower killed now and then: how far it lags, and whether a torn read is ever
 * served.
 */
import { join } from "node:path"
import { ResearchRoomClient } from "research-room/client"
import { type Running, start } from "../../support/program.ts"
import type { Chance } from "../support/chance.ts"
import type { Ground } from "../support/ground.ts"
import { Line } from "../support/line.ts"
import { startLoad, Writers } from "../support/load.ts"
import type { Parent } from "./litestream.ts"

export interface Followed {
  /** Milliseconds from an acknowledgement at the original until the entry is here. */
  readonly lags: number[]
  reads: number
  followersKilled: number
}

interface Entry {
  readonly sequence: number
  readonly digest: string
  readonly previousDigest: string
}

/** @returns problems, in sentences */
export async function underLoad(
  ground: Ground,
  parent: Parent,
  chance: Chance,
  writes: number,
  kills: number,
  seen: Followed,
): Promise<string[]> {
  const problems: string[] = []
  const kept = { type: "file", path: join(ground.place.folder, "copy-of-followed") }
  const original = await parent.serve(ground.copy("followed"), kept)
  const follow = async (): Promise<Running> => {
    const follower = parent.follow(kept, "following", "100ms")
    await follower.printed(/follow mode/)
    return follower
  }
  const agent = ground.agents.find(({ name }) => name === "owner_all")
  const { roomId = "", openingThreadId: threadId = "" } = agent?.room ?? {}
  const author = new ResearchRoomClient({ baseUrl: original.baseUrl, token: agent?.token ?? "" })
  const post = async (text: string) => (await author.write("post_message", { threadId, text })).activity?.sequence ?? 0
  // Once a write is acknowledged there is a copy to follow.
  await post("The first one.")
  let follower = await follow()
  const copy = start(
    ground.program,
    ["serve", "--port", "0", "--follow", "following", "--primary", original.baseUrl],
    ground.place,
  )
  const [, baseUrl = ""] = await copy.printed(/ at (http\S+)\n[^]*llms\.txt\n/)
  const load = startLoad(new Writers(ground), ground.agents, {
    baseUrl: original.baseUrl,
    connections: 4,
    chance,
    mayFail: true,
  })

  let serving = true
  const watched = copy.ended().then(({ code, signal, err }) => {
    if (serving) problems.push(`The copy's service ended by itself (${code ?? signal}): ${err.slice(-2_000)}`)
  })

  // A reader that reads all the while: on a torn page, entries do not follow from each other, or the read fails.
  let [reading, known] = [true, 0]
  const reader = async (): Promise<void> => {
    const line = new Line(baseUrl)
    for (let round = 0; reading && problems.length === 0; round += 1) {
      const paths = [
        `/api/research/rooms/${roomId}/activity?after=${Math.max(0, known - 30)}`,
        "/api/research/search?query=loss",
        `/api/research/rooms/${roomId}/research-context`,
        `/rooms/${roomId}`,
      ]
      const path = paths[round % paths.length] ?? "/"
      const answer = await line.get(path)
      seen.reads += 1
      // While the follower is down with half a change in the file, readers are forwarded.
      if (answer === null || ![200, 307, 503].includes(answer.status))
        problems.push(`${path} is answered ${answer?.status}: ${answer?.text.slice(0, 300)}`)
      if (answer?.status !== 200 || !path.includes("/activity")) continue
      const { items } = JSON.parse(answer.text) as { items: readonly Entry[] }
      items.slice(1).forEach((entry, index) => {
        if (entry.previousDigest !== items[index]?.digest)
          problems.push(`Entry ${entry.sequence} of the copy does not follow from the one before it.`)
      })
    }
    line.close()
  }
  const readers = Promise.all([reader(), reader()])
  const here = new ResearchRoomClient({ baseUrl })
  const reaches = async (sequence: number): Promise<boolean> => {
    for (const end = performance.now() + 30_000; performance.now() < end; ) {
      const page = await here.read("room_activity", { roomId, after: sequence - 1, wait: 5 }).catch(() => undefined)
      if (page === undefined || page.items.length === 0) continue
      known = sequence
      return true
    }
    problems.push(`Entry ${sequence} is not in the copy after 30 s.`)
    return false
  }
  for (let count = 1; count <= writes && problems.length === 0; count += 1) {
    const sequence = await post(`Message ${count} to be seen in the copy.`)
    const began = performance.now()
    if (await reaches(sequence)) seen.lags.push(performance.now() - began)
  }
  for (let count = 0; count < kills && problems.length === 0; count += 1) {
    await load.acknowledged(chance.between(1, 30))
    follower.signal("SIGKILL")
    await follower.ended()
    seen.followersKilled += 1
    const sequence = await post("Written while nobody follows.")
    follower = await follow()
    await reaches(sequence)
  }
  load.stop()
  await load.ended()
  reading = false
  await readers
  if (problems.length === 0) await reaches(await post("The last one."))
  const lines = [original.baseUrl, baseUrl].map((each) => new Line(each))
  for (const path of [
    `/api/research/rooms/${roomId}/activity?after=0`,
    `/api/research/rooms/${roomId}/research-context`,
    "/api/research/search?query=loss",
    "/api/research/attempts?limit=50",
  ]) {
    const [there, copied] = await Promise.all(
      lines.map(async (line) => (await line.get(path))?.text.replace(/"generatedAt":"[^"]*"/, "")),
    )
    if (there !== copied) problems.push(`${path} is another answer in the copy.`)
  }
  for (const line of lines) line.close()
  if (/"level":(?:50|60)/.test(copy.err))
    problems.push(
      `The copy logged an error:\n${copy.err
        .split("\n")
        .filter((line) => !/"level":[1-4]0/.test(line))
        .join("\n")
        .slice(0, 3_000)}`,
    )
  serving = false
  for (const each of [copy, follower, original]) {
    each.signal("SIGTERM")
    await each.ended()
  }
  await watched
  return problems
}
