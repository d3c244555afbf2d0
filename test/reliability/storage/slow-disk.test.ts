/** A disk on which every synchronisation takes long: readers are answered at once meanwhile, and everything that is written is done. */
import { ResearchRoomClient } from "research-room/client"
import { Browser } from "research-room/testing"
import tap, { test } from "tap"
import { endAll, executable, newPlace, run, serve } from "../../support/program.ts"
import { passwordOf, startOwn, temporaryFolder } from "../../support/service.ts"
import { slowDisk } from "./slow-disk.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const disk = slowDisk(place.folder)
const skip = disk === null ? "this machine has no C compiler that makes a library to stand before the system's" : false
/** Milliseconds that a synchronisation takes, and that a reader may wait at most. */
const [SLOW, PROMPT] = [1_000, 700]
const passing = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Asks for small things again and again until `work` has settled. @returns what it returned, and the longest wait of a reader */
async function whileReading<T>(baseUrl: string, paths: readonly string[], work: () => Promise<T>): Promise<{ value: T; longest: number }> {
  let [isOver, longest] = [false, 0]
  const reading = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const began = performance.now()
      const response = await fetch(baseUrl + paths[turn % paths.length])
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`${paths[turn % paths.length]}: ${response.status}`)
      longest = Math.max(longest, performance.now() - began)
      await passing(10)
    }
  })()
  const value = await work().finally(() => (isOver = true))
  await reading
  return { value, longest }
}

test("whoever reads does not wait for a slow disk that somebody writes to", { skip }, async (t) => {
  if (disk === null) return
  const folder = temporaryFolder()
  const there = await startOwn({ folder })
  t.teardown(() => there.close())
  const ada = await there.setUp()
  const { roomId: followed, openingThreadId } = (await ada.write("create_room", { title: "Followed" })).result
  const say = (text: string) => ada.write("post_message", { threadId: openingThreadId, text } as never)

  const at = { ...place, env: disk.env }
  t.match(await run(program, ["user", "add", "eve", "--password", passwordOf("eve"), "--data", "slow"], at), { code: 0 })
  const service = await serve(program, ["--data", "slow"], at)
  const { baseUrl } = service
  const eve = Browser.anonymous({ baseUrl })
  const signIn = () => eve.request("POST", "/api/session", { username: "eve", password: passwordOf("eve") })
  t.equal((await signIn()).status, 200)
  const { roomId, openingThreadId: threadId } = (await eve.write("create_room", { title: "Slowly written" })).result
  const paths = [
    "/api/health/live",
    "/api/research/rooms",
    `/api/research/rooms/${roomId}`,
    `/api/research/threads/${threadId}/timeline?after=0`,
  ]
  for (const path of [...paths, ...paths]) await fetch(baseUrl + path)
  disk.takes(SLOW)

  const lasts: Record<string, number> = {}
  async function during<T>(what: string, work: () => Promise<T>): Promise<T> {
    const { value, longest } = await whileReading(baseUrl, paths, work)
    lasts[what] = Math.round(longest)
    return value
  }
  const { entry } = await during("a write", () => eve.write("post_message", { threadId, text: "The token is hf_slow." } as never))
  const began = performance.now()
  t.equal((await during("a sign-in", signIn)).status, 200)
  t.ok(performance.now() - began >= SLOW, "what was written is answered once it is safe on the disk")
  t.match(await during("mirror add", () => run(program, ["mirror", "add", there.baseUrl, followed, "--data", "slow"], at)), { code: 0 })
  const reader = new ResearchRoomClient({ baseUrl })
  await during("a mirror's rounds", async () => {
    for (let count = 0; count < 12; count += 1) await say(`Message ${count}.`)
    for (const end = performance.now() + 60_000; performance.now() < end; await passing(100)) {
      const room = await reader.read("room", { roomId: followed }).catch(() => undefined)
      if (room?.activityWatermark === 13) return
    }
    t.fail("the mirror does not arrive")
  })
  const of = { entryId: entry?.entryId }
  await during("withholding", () =>
    eve.write("withhold_content", { roomId, of, fields: ["/text"], reason: "secret", explanation: "It was revoked." } as never),
  )
  t.match(await during("readiness", () => fetch(`${baseUrl}/api/health/ready`)), { status: 200 })
  t.comment(JSON.stringify(lasts))
  t.strictSame(
    Object.entries(lasts).filter(([, longest]) => longest > PROMPT),
    [],
    "each reader is answered at once",
  )
  disk.takes(0)
  service.signal("SIGTERM")
  t.equal((await service.ended()).code, 0)
  t.match(await run(program, ["check", "--data", "slow"], place), { code: 0 })
})
