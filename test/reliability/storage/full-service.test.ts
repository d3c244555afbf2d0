/**
 * A served instance on a full disk: the writes of a mirror, and a withholding over HTTP, are whole or absent, and
 * continue with space.
 */
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { once } from "node:events"
import { join } from "node:path"
import { ResearchRoomClient } from "research-room/client"
import { Browser } from "research-room/testing"
import tap, { test } from "tap"
import { endAll, executable, newPlace, run, serve } from "../../support/program.ts"
import { hashAsServed } from "../../support/passwords.ts"
import { passwordOf, startOwn, temporaryFolder } from "../../support/service.ts"
import { fill, makeSpace, mountSmall, unmountAll } from "./mounts.ts"
import { dataOn, holding } from "./stages.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  unmountAll()
  place.remove()
})
const disk = join(place.folder, "disk")
const data = dataOn(disk)
const skip = mountSmall(disk, 24 << 20) ? false : "no file system can be mounted by this user"
const passing = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const SECRET = "hf_kT9sQ2mV7xLpB4nR8wZ1cD6y"

async function until(what: string, look: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = performance.now() + 40_000; performance.now() < end; await passing(50)) if (await look()) return
  throw new Error(`never: ${what}`)
}
/** Puts a folder's contents on the disk, and nothing else. */
function stage(seed: string): void {
  for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true, force: true })
  mkdirSync(data)
  cpSync(join(place.folder, seed), data, { recursive: true })
}
/**
 * A proxy before an origin that records when a mirror asks who the origin is: once as it begins to try, and once more
 * after a page of the feed.
 */
async function watched(baseUrl: string) {
  const questions: number[] = []
  const server = createServer((incoming, response) => {
    const { method, url = "", headers } = incoming
    if (url.startsWith("/api/manifest")) questions.push(performance.now())
    const asked = request(new URL(url, baseUrl), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    asked.on("error", () => response.destroy())
    response.on("close", () => asked.destroy())
    incoming.pipe(asked)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { questions, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}
const lines = (err: string, message: string) => err.split("\n").filter((line) => line.includes(message)).length

test("a mirror without space reports it once, keeps serving, and has everything once there is space", {
  skip,
}, async (t) => {
  const folder = temporaryFolder()
  const there = await startOwn({ folder })
  t.teardown(() => there.close())
  const ada = await there.setUp()
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Followed" })).result
  for (let n = 1; n <= 30; n += 1)
    await ada.write("post_message", { threadId, text: `Message ${n}. ${"word ".repeat(1_500)}` } as never)
  t.match(await run(program, ["user", "add", "eve", "--password", passwordOf("eve"), "--data", "followed"], place), {
    code: 0,
  })
  const origin = new ResearchRoomClient({ baseUrl: there.baseUrl })
  const { questions, ...door } = await watched(there.baseUrl)
  t.teardown(door.close)
  const add = ["mirror", "add", door.baseUrl, roomId, "--data", data]
  for (const left of [0, 16_384, 150_000, 400_000]) {
    stage("followed")
    const service = await serve(program, ["--data", data], place)
    const reader = new ResearchRoomClient({ baseUrl: service.baseUrl })
    fill(disk, left)
    const added = await run(program, add, place)
    if (added.code !== 0) {
      t.match(added, { code: 1, err: /^research-room: \S[^\n]*\.\n$/ }, `with ${left} bytes left`)
      t.match((await run(program, ["mirror", "list", "--json", "--data", data], place)).out, /^\[\]\s*$/)
      makeSpace(disk)
      t.match(await run(program, add, place), { code: 0 }, "it works once there is space")
    } else {
      await until("it is told", () => lines(service.err, "a mirror cannot be stored here") > 0)
      const from = questions.length
      await until("it is tried again", () => questions.length >= from + 5)
      // Of five requests at most two belong to one try: between them are two pauses, of 500 and 1,000 ms at least.
      const [first = 0, , , , fifth = 0] = questions.slice(from)
      t.ok(fifth - first > 1_400, `five requests in ${Math.round(fifth - first)} ms, with ${left} bytes left`)
      t.equal(lines(service.err, "a mirror cannot be stored here"), 1, `reported once, with ${left} bytes left`)
      t.equal((await fetch(`${service.baseUrl}/api/health/live`)).status, 200)
      t.equal((await fetch(`${service.baseUrl}/api/health/ready`)).status, 503)
      makeSpace(disk)
    }
    await until(
      "it arrives",
      async () => (await reader.read("room", { roomId }).catch(() => null))?.activityWatermark === 31,
    )
    const [here, all] = await Promise.all(
      [reader, origin].map((each) => Array.fromAsync(each.items("room_activity", { roomId }))),
    )
    t.strictSame(here, all, "nothing is lost or doubled")
    // Stored entries can be read before the mirror records and reports that it has them.
    if (added.code === 0) await until("it is told", () => lines(service.err, "a mirror can be stored again") === 1)
    await until("it takes writes", async () => (await fetch(`${service.baseUrl}/api/health/ready`)).status === 200)
    service.signal("SIGTERM")
    t.equal((await service.ended()).code, 0)
    t.match(await run(program, ["check", "--data", data], place), { code: 0 })
  }
})

test("a withholding over HTTP is done and the words are in no file, or it answers 503 with the state", {
  skip,
}, async (t) => {
  hashAsServed() // the program signs in ada
  const own = await startOwn({ folder: join(place.folder, "withheld"), keeps: true })
  const ada = await own.setUp()
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Warm-up" })).result
  for (let n = 0; n < 30; n += 1)
    await ada.write("post_message", { threadId, text: `Long ${n}. ${"word ".repeat(n * 100)}` } as never)
  const { entry } = await ada.write("post_message", {
    threadId,
    text: `The token is ${SECRET}. ${"word ".repeat(2_000)}`,
  } as never)
  await own.close()
  let [refused, half, done] = [0, 0, 0]
  for (const left of [0, 60_000, 1_400_000, 1_480_000, 1_560_000, 1_640_000, 1_720_000, 3_000_000]) {
    stage("withheld")
    const service = await serve(program, ["--data", data], place)
    const browser = Browser.anonymous({ baseUrl: service.baseUrl })
    t.equal(
      (await browser.request("POST", "/api/session", { username: "ada", password: passwordOf("ada") })).status,
      200,
    )
    const body = {
      schemaVersion: 3,
      requestId: "5b8d0a52-6a1b-4a37-9c35-5f6d4b0e8a11",
      of: { entryId: entry?.entryId },
      fields: ["/text"],
      reason: "secret",
      explanation: "Revoked since.",
    }
    const send = () => browser.request("POST", `/api/rooms/${roomId}/withholdings`, body)
    const shown = async () =>
      (await (await fetch(`${service.baseUrl}/api/research/threads/${threadId}/timeline?after=30`)).text()).includes(
        SECRET,
      )
    fill(disk, left)
    const response = await send()
    const answer = (await response.json()) as { committed?: boolean | null; refusal?: string }
    if (response.status === 200) done += 1
    else {
      t.match(
        { status: response.status, ...answer },
        { status: 503, refusal: "temporarily_unavailable" },
        `with ${left} bytes left`,
      )
      if (answer.committed === null) half += 1
      else refused += 1
      t.equal(await shown(), answer.committed === false, `the answer is true: ${JSON.stringify(answer)}`)
    }
    makeSpace(disk)
    const again = await send()
    t.equal(again.status, 200, `once there is space, after ${left}: ${await again.text()}`)
    t.notOk(await shown())
    t.strictSame(holding(disk, SECRET), [], `with ${left} bytes left, it is in no file`)
    service.signal("SIGTERM")
    t.equal((await service.ended()).code, 0)
    t.match(await run(program, ["check", "--data", data], place), { code: 0 })
  }
  t.ok(refused > 0 && done > 0, `${refused} refused, ${half} done except for the files, ${done} done`)
  t.comment(`${refused} refused, ${half} done except for the files, ${done} done`)
})
