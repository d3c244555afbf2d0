/** A served instance on a full disk: a withholding over HTTP is whole or absent, and continues with space. */
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Browser } from "research-room/testing"
import tap, { test } from "tap"
import { untilClean } from "../../support/clean.ts"
import { endAll, executable, newPlace, run, serve } from "../../support/program.ts"
import { hashAsServed } from "../../support/passwords.ts"
import { passwordOf, startOwn } from "../../support/service.ts"
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
const SECRET = "hf_kT9sQ2mV7xLpB4nR8wZ1cD6y"

/** Puts a folder's contents on the disk, and nothing else. */
function stage(seed: string): void {
  for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true, force: true })
  mkdirSync(data)
  cpSync(join(place.folder, seed), data, { recursive: true })
}
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
      // An uncertain answer promises neither; a retry decides.
      if (answer.committed !== null)
        t.equal(await shown(), answer.committed === false, `the answer is true: ${JSON.stringify(answer)}`)
    }
    makeSpace(disk)
    const again = await send()
    t.equal(again.status, 200, `once there is space, after ${left}: ${await again.text()}`)
    t.notOk(await shown())
    await untilClean(join(data, "research-room.db"))
    t.strictSame(holding(disk, SECRET), [], `with ${left} bytes left, it is in no file`)
    service.signal("SIGTERM")
    t.equal((await service.ended()).code, 0)
    t.match(await run(program, ["check", "--data", data], place), { code: 0 })
  }
  t.ok(refused + half > 0 && done > 0, `${refused} refused, ${half} uncertain, ${done} done`)
  t.comment(`${refused} refused, ${half} uncertain, ${done} done`)
})
