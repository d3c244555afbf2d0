/**
 * A clock that was wrong: writes made meanwhile keep their place, later writes have the present time, and the service
 * says so.
 */
import { bring } from "../support/elsewhere.ts"
import { rmSync } from "node:fs"
import { ResearchRoomClient } from "research-room/client"
import { type Test, test } from "tap"
import { checkData } from "../../src/check/check.ts"
import { journal } from "../../src/ledger/journal/journal.ts"
import { momentOf } from "../../src/ledger/world.ts"
import { openLog } from "../../src/log.ts"
import { ask } from "../support/ask.ts"
import { hypothesis } from "../support/bodies.ts"
import { DAY, type Own, type OwnOptions, passwordOf, startOwn, temporaryFolder } from "../support/service.ts"

const YEARS = 3_650 * DAY
const HOUR = 3_600_000

/** One instance through several starts, each with its own clock. */
function instance(t: Test) {
  const folder = temporaryFolder()
  const started: Own[] = []
  t.teardown(async () => {
    for (const { close } of started) await close()
    rmSync(folder, { recursive: true, force: true })
  })
  return async (options: OwnOptions = {}) => {
    const lines: string[] = []
    const log = openLog("info", { to: { write: (line) => void lines.push(line) } })
    const service = await startOwn({ folder, keeps: true, log, ...options })
    started.push(service)
    return { service, warnings: () => lines.filter((line) => line.includes("dated in the future")) }
  }
}

async function signedIn(service: Own, username = "ada") {
  const browser = service.stranger()
  const answer = await browser.request("POST", "/api/session", { username, password: passwordOf(username) })
  if (!answer.ok) throw new Error(await answer.text())
  return browser
}

/** A page as ada sees it. */
async function page({ baseUrl }: Own, path: string) {
  const body = { username: "ada", password: passwordOf("ada") }
  const { headers } = await ask(`${baseUrl}/api/session`, { body, headers: { origin: baseUrl } })
  const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? ""
  return (await fetch(baseUrl + path, { headers: { cookie, accept: "text/html" } })).text()
}

const isNow = (at: string | undefined) => Math.abs(Date.parse(at ?? "") - Date.now()) < 60_000
const datedAhead = async ({ baseUrl }: Own) =>
  (await ask(`${baseUrl}/api/health/ready`)).body.datedAhead as unknown as string | null

test(
  "after one start ten years ahead, later writes have the present time and come after the earlier ones, " +
    "and credentials are valid again",
  async (t) => {
    const start = instance(t)
    const first = await start()
    let ada = await first.service.setUp()
    const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Through a wrong clock" }))
      .result
    const expiresAt = new Date(Date.now() + 360 * DAY).toISOString()
    const issued = await ada.write("issue_credential", {
      roomId,
      label: "sweeper",
      permissions: ["post_thread"],
      expiresAt,
    } as never)
    const { token } = issued.result as unknown as { token: string }
    const said = (service: Own, text: string) =>
      ask(`${service.baseUrl}/api/agent/threads/${threadId}/messages`, {
        headers: { authorization: `Bearer ${token}` },
        body: { schemaVersion: 3, clientMessageId: crypto.randomUUID(), text },
      })
    t.match(await said(first.service, "First."), { status: 200 })
    t.equal(await datedAhead(first.service), null)
    t.strictSame(first.warnings(), [])
    await first.service.close()

    const ahead = await start({ ahead: YEARS })
    ada = await signedIn(ahead.service)
    t.match(await said(ahead.service, "Too late."), { status: 401, body: { error: /expired/ } })
    await ada.write("post_message", { threadId, text: "Second, ten years ahead." } as never)
    await ada.write("publish_hypothesis", hypothesis({ roomId, threadId }))
    await ahead.service.close()

    for (const round of ["Third", "Fourth"]) {
      const { service, warnings } = await start()
      const until = await datedAhead(service)
      t.ok(Math.abs(Date.parse(until ?? "") - Date.now() - YEARS) < HOUR, `${round}: ${until}`)
      t.match(warnings().join(), /"level":40.*new writes are dated by the clock/)
      ada = await signedIn(service)
      t.equal(
        ((await (await ada.request("GET", "/api/admin/overview")).json()) as { datedAhead: string }).datedAhead,
        until,
      )
      t.match(await page(service, "/admin"), /Some writes are dated in the future/)
      const written = await said(service, `${round}.`)
      t.match(written, { status: 200 }, "the credential is valid")
      t.ok(isNow(written.body.acceptedAt as unknown as string), `${written.body.acceptedAt}`)
      await ada.write("publish_hypothesis", hypothesis({ roomId, threadId }))
      if (round === "Fourth") await inOrder(t, service, roomId, threadId)
      await service.close()
    }
  },
)

/** Every list, every timeline and the chain of the Room give the writes in the order they were made. */
async function inOrder(t: Test, service: Own, roomId: string, threadId: string) {
  const reader = new ResearchRoomClient({ baseUrl: service.baseUrl })
  const { items } = await reader.read("thread_timeline", { threadId })
  const messages = items.flatMap((item) => ("message" in item && item.message ? [item.message.text] : []))
  t.strictSame(messages, ["First.", "Second, ten years ahead.", "Third.", "Fourth."])
  const records = await reader.read("room_publications", { roomId })
  t.strictSame(
    records.items.map(({ label }) => label),
    ["H3", "H2", "H1"],
  )
  const feed = (await reader.read("room_activity", { roomId })).items
  t.strictSame(
    feed.map(({ sequence }) => sequence),
    feed.map((_, index) => index + 1),
  )
  t.ok(isNow(feed.at(-1)?.at))
  const { db } = service.instance
  const given = [...journal(db).entries()]
  const ids = given.flatMap(({ given: { ids } }) => ids?.at(-1) ?? [])
  t.strictSame(ids, [...ids].sort(), "ids are in the order of the writes")
  t.ok(momentOf(ids.at(-1) ?? "") > Date.now() + YEARS - HOUR, "and are ahead of the clock")
  t.strictSame(checkData(db).problems, [])
}

test("the clock of an origin does not move the clock here, and its Room is imported whole", async (t) => {
  const [startThere, startHere] = [instance(t), instance(t)]
  const there = await startThere({ ahead: YEARS })
  const ada = await there.service.setUp()
  const { roomId } = (await ada.write("create_room", { title: "Ahead" })).result
  let here = await startHere()
  await here.service.setUp("eve")
  await bring(t, here.service.instance, there.service.baseUrl, roomId)
  await here.service.close()

  here = await startHere()
  t.equal(await datedAhead(here.service), null, "they are not its own writes")
  const eve = await signedIn(here.service, "eve")
  const own = await eve.write("create_room", { title: "Here" })
  t.ok(isNow(own.acceptedAt), own.acceptedAt)
  t.ok(momentOf(own.result.roomId) < Date.now() + HOUR)
  const reader = new ResearchRoomClient({ baseUrl: here.service.baseUrl })
  t.match((await reader.read("room", { roomId })).lastActivityAt, /^203/, "its times are shown as the origin gave them")
  t.strictSame(checkData(here.service.instance.db).problems, [])
  await there.service.close()
  await here.service.close()
})

test("within a process time never goes back", async (t) => {
  const { service } = await instance(t)()
  const ada = await service.setUp()
  service.pass(HOUR)
  const before = await ada.write("create_room", { title: "Before" })
  service.pass(-HOUR)
  const after = await ada.write("create_room", { title: "After" })
  t.ok(after.acceptedAt >= before.acceptedAt)
  t.ok(after.result.roomId > before.result.roomId)
  await service.close()
})
