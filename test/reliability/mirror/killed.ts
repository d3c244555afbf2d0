/** Two executables, one following Rooms of the other, under writes, with either of them killed again and again. */
import { ResearchRoomClient } from "research-room/client"
import { type newPlace, run, type Running, serve, start } from "../../support/program.ts"
import type { Chance } from "../support/chance.ts"

interface Demo {
  readonly baseUrl: string
  readonly rooms: Readonly<
    Record<"empty" | "main" | "archived", { readonly roomId: string; readonly openingThreadId: string }>
  >
  readonly credentials: Readonly<Record<"member_all" | "main_member_all", { readonly token: string }>>
}
type Place = ReturnType<typeof newPlace>

/** Serves a folder again at its old address. */
async function serveAt(program: string, data: string, port: string, place: Place): Promise<Running> {
  const service = start(program, ["serve", "--port", port, "--data", data], place)
  await service.printed(/llms\.txt\n/)
  return service
}
const portOf = (baseUrl: string) => new URL(baseUrl).port

export interface Followed {
  kills: number
  writes: number
  /** Milliseconds from a write's answer at the origin until the mirror has it, while nothing is killed. */
  readonly lags: number[]
}

const LATE = 60_000

/** @returns problems, in sentences */
export async function throughKills(
  program: string,
  place: Place,
  { kills, writes }: { readonly kills: number; readonly writes: number },
  chance: Chance,
  seen: Followed,
): Promise<string[]> {
  const problems: string[] = []
  let there: Running = start(program, ["demo", "--json", "--port", "0", "--data", "there"], place)
  const { baseUrl, rooms, credentials } = JSON.parse((await there.printed(/^\{.*\}(?=\n)/))[0]) as Demo
  const mirror = await serve(program, ["--data", "here"], place)
  let here: Running = mirror
  for (const { roomId } of Object.values(rooms)) {
    const added = await run(program, ["mirror", "add", baseUrl, roomId, "--data", "here"], place)
    if (added.code !== 0) return [`mirror add fails: ${added.err}`]
  }
  const reader = new ResearchRoomClient({ baseUrl: mirror.baseUrl })
  const author = new ResearchRoomClient({ baseUrl, token: credentials.member_all.token })
  const { roomId, openingThreadId: threadId } = rooms.empty

  /** Waits until an entry is here, by a waiting feed like any reader. */
  async function reaches(id: string, sequence: number): Promise<void> {
    for (const end = performance.now() + LATE; performance.now() < end; ) {
      const page = await reader
        .read("room_activity", { roomId: id, after: sequence - 1, wait: 5 })
        .catch(() => undefined)
      if (page !== undefined && page.items.length > 0) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    problems.push(`entry ${sequence} of Room ${id} is not here after ${LATE / 1000} s`)
  }
  const post = async () => {
    const { activity } = await author.write("post_message", { threadId, text: `Message ${(seen.writes += 1)}.` })
    return activity?.sequence ?? 0
  }
  for (const { roomId: id } of Object.values(rooms)) {
    const { items } = await new ResearchRoomClient({ baseUrl }).read("rooms", {})
    await reaches(id, items.find((room) => room.roomId === id)?.activityWatermark ?? 0)
  }
  for (let count = 0; count < writes; count++) {
    const sequence = await post()
    const began = performance.now()
    await reaches(roomId, sequence)
    seen.lags.push(performance.now() - began)
  }
  for (let count = 0; count < kills && problems.length === 0; count++) {
    const before = chance.between(0, 5)
    for (let each = 0; each < before; each++) await post()
    const isOrigin = chance.oneIn(2)
    const victim = isOrigin ? there : here
    victim.signal("SIGKILL")
    await victim.ended()
    seen.kills += 1
    // A mirror that is down misses the writes made meanwhile.
    if (!isOrigin) await post()
    if (isOrigin) there = await serveAt(program, "there", portOf(baseUrl), place)
    else here = await serveAt(program, "here", portOf(mirror.baseUrl), place)
    await reaches(roomId, await post())
  }
  for (const { roomId: id } of Object.values(rooms)) {
    const feeds = await Promise.all(
      [reader, author].map(async (client) => Array.fromAsync(client.items("room_activity", { roomId: id }))),
    )
    if (JSON.stringify(feeds[0]) !== JSON.stringify(feeds[1])) problems.push(`Room ${id} is another one here`)
  }
  for (const service of [here, there]) {
    service.signal("SIGTERM")
    await service.ended()
  }
  for (const data of ["here", "there"]) {
    const checked = await run(program, ["check", "--data", data], place)
    if (checked.code !== 0) problems.push(`${data}: ${checked.err}`)
  }
  return problems
}

/** The lag that one in a hundred exceeds, in milliseconds. */
export const slowest = (lags: readonly number[], part: number): number =>
  lags.toSorted((one, other) => one - other)[Math.floor(lags.length * part)] ?? 0
