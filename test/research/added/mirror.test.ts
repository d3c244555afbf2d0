/**
 * A Room of one running instance, mirrored by another: copied, kept up to date through restarts of either, and stopped
 * when the origin's history diverges.
 */
import { once } from "node:events"
import { rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { ResearchRoomClient } from "research-room/client"
import t, { type Test } from "tap"
import { checkData } from "../../../src/check/check.ts"
import { backUp, restore } from "../../../src/check/backup.ts"
import { hypothesis } from "../../support/bodies.ts"
import { mirrorCommand } from "../../../src/commands/mirror.ts"
import { openForward } from "../../../src/app/compose/upgrade.ts"
import { databaseFile } from "../../../src/ledger/storage/data.ts"
import { elsewhere } from "../../support/elsewhere.ts"
import { type Own, startOwn, temporaryFolder } from "../../support/service.ts"

/** Starts two instances; the first has a Room to mirror. */
async function two(t: Test) {
  const folders = [temporaryFolder(), temporaryFolder()] as const
  const there = await startOwn({ folder: folders[0], keeps: true })
  const ada = await there.setUp()
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Followed from afar" })).result
  const here = await startOwn({ folder: folders[1], keeps: true })
  await here.setUp("eve")
  t.teardown(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))
  return { there, here, ada, roomId, threadId, folders }
}
/** Starts following a Room, as `mirror add` does. */
const mirror = ({ instance }: Own, roomId: string, baseUrl: string) =>
  instance.ledger.transact(() => instance.tables.mirrors.put(roomId, baseUrl, new Date().toISOString()))

/** Polls until a value is found, for at most a minute. */
async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const end = performance.now() + 60_000
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`timed out: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
const through = ({ instance }: Own, roomId: string) => instance.ledger.activity.watermark(roomId)
const reaches = (own: Own, roomId: string, sequence: number) =>
  until(`entry ${sequence}`, () => through(own, roomId) >= sequence || undefined)
const stopped = ({ instance }: Own, roomId: string) =>
  until("it stops", () => instance.tables.mirrors.all().find((each) => each.roomId === roomId)?.stopped ?? undefined)
const digests = ({ instance }: Own, roomId: string) =>
  instance.ledger.activity.after(roomId, 0, undefined, 1_000).map(({ body }) => body)

/** Closes both instances and checks the data of the mirror. */
async function ended(t: Test, here: Own, there: Own): Promise<void> {
  await here.close()
  const { db } = openForward(databaseFile(here.folder))
  t.strictSame(checkData(db).problems, [])
  db.close()
  await there.close()
}

t.test("It is copied and kept up to date, and shows its origin and how far it has come", async (t) => {
  const { there, here, ada, roomId, threadId } = await two(t)
  await ada.write("post_message", { threadId, text: "Before anybody followed." } as never)
  await mirror(here, roomId, there.baseUrl)
  await reaches(here, roomId, 2)
  const reader = new ResearchRoomClient({ baseUrl: here.baseUrl })
  const lags: number[] = []
  for (let count = 0; count < 20; count++) {
    const began = performance.now()
    await ada.write("post_message", { threadId, text: `Message ${count}.` } as never)
    await reaches(here, roomId, 3 + count)
    lags.push(performance.now() - began)
  }
  t.comment(`the slowest of 20 was here after ${Math.max(...lags).toFixed(0)} ms`)
  t.ok(Math.max(...lags) < 1_000, "each within a second")
  t.strictSame(digests(here, roomId), digests(there, roomId))
  const { origin } = await until("it is heard of", async () => {
    const room = await reader.read("room", { roomId })
    return room.origin?.mirror?.behind === 0 ? room : undefined
  })
  t.match(origin, {
    baseUrl: there.baseUrl,
    throughSequence: 22,
    mirror: { originSequence: 22, behind: 0, stopped: null },
  })
  await ended(t, here, there)
})

t.test(
  "A Room that changes owner at its origin while it is followed has the new owner here too, and stays up to date",
  async (t) => {
    const { there, here, ada, roomId, threadId } = await two(t)
    await ada.write("add_member", { roomId, username: (await there.person("grace")) && "grace" })
    await mirror(here, roomId, there.baseUrl)
    await reaches(here, roomId, 2)
    const grace = there.instance.tables.people.named("grace")?.userId ?? ""
    await ada.write("transfer_room", { roomId, userId: grace, reason: "She leads it now." } as never)
    await ada.write("post_message", { threadId, text: "Still a member." } as never)
    await reaches(here, roomId, 4)
    t.match(here.instance.tables.rooms.summary(roomId), { owner: { username: /^grace@/ } })
    const roles = here.instance.tables.members.of(roomId).map(({ username, role }) => [username.split("@")[0], role])
    t.strictSame(Object.fromEntries(roles), { ada: "member", grace: "owner" })
    t.strictSame(digests(here, roomId), digests(there, roomId))
    await ended(t, here, there)
  },
)

t.test(
  "Nothing is lost through restarts of either instance and an hour of downtime of the origin; renames and the archive arrive here too",
  async (t) => {
    const { there, here, ada, roomId, threadId } = await two(t)
    await mirror(here, roomId, there.baseUrl)
    await reaches(here, roomId, 1)
    await here.close()
    await ada.write("post_message", { threadId, text: "While the mirror was down." } as never)
    const again = await startOwn({ folder: here.folder, keeps: true })
    await reaches(again, roomId, 2)
    await there.close()
    const back = await startOwn({ folder: there.folder, keeps: true, port: there.port })
    await ada.write("amend_room", { roomId, title: "Called otherwise" })
    await ada.write("archive_room", { roomId, reason: "Done." })
    await reaches(again, roomId, 4)
    t.match(again.instance.tables.rooms.summary(roomId), {
      title: "Called otherwise",
      state: "archived",
      archive: { reason: "Done." },
    })
    t.strictSame(digests(again, roomId), digests(back, roomId))
    await again.close()
    await back.close()
  },
)

for (const rewritten of [false, true])
  t.test(
    `An origin restored from an older copy${rewritten ? ", and written to since," : ""} stops the mirror, and the entries already here stay`,
    async (t) => {
      const { there, here, ada, roomId, threadId, folders } = await two(t)
      await mirror(here, roomId, there.baseUrl)
      await ada.write("post_message", { threadId, text: "In the copy." } as never)
      const copy = join(t.testdir(), "copy.db")
      backUp(there.instance.db, copy)
      for (const text of ["One more.", "And another."]) await ada.write("post_message", { threadId, text } as never)
      await reaches(here, roomId, 4)
      const before = digests(here, roomId)
      await there.close()
      restore(copy, folders[0], { force: true })
      // When the origin takes writes before the mirror connects again, the mirror finds other entries in place of those
      // it has.
      const first = await startOwn({ folder: folders[0], keeps: true, port: rewritten ? 0 : there.port })
      if (rewritten) {
        const browser = first.stranger()
        await browser.request("POST", "/api/session", { username: "ada", password: "the long password of ada" })
        for (let count = 0; count < 4; count++)
          await browser.write("post_message", { threadId, text: `Otherwise ${count}.` } as never)
        await first.close()
      }
      const back = rewritten ? await startOwn({ folder: folders[0], keeps: true, port: there.port }) : first
      const why = await stopped(here, roomId)
      t.match(
        why,
        rewritten
          ? /^Entry 3 .* its history was rewritten\. The Room here is unchanged\. .* entries from 3 on with those of the origin, use mirror add --afresh\.$/
          : /restored from an older copy\. The Room here is unchanged\. .* entries from 3 on with those of the origin, use mirror add --afresh\.$/,
      )
      t.strictSame(digests(here, roomId), before)
      const shown = await new ResearchRoomClient({ baseUrl: here.baseUrl }).read("room", { roomId })
      t.equal(shown.origin?.mirror?.stopped, why)
      t.match(
        await (await fetch(`${here.baseUrl}/rooms/${roomId}`)).text(),
        /The Room here is unchanged/,
        "the page says so too",
      )
      await here.close()
      await back.close()
    },
  )

t.test(
  "Another instance at the origin's address stops the mirror, whatever it answers; the origin restored from a copy does not",
  async (t) => {
    const { there, here, ada, roomId, threadId } = await two(t)
    const { instanceId } = there.instance
    const front = { instanceId, lineage: [] as string[] }
    const proxy = createServer(async ({ url = "" }, response) => {
      const answer = await fetch(`${there.baseUrl}${url}`).catch(() => response.destroy())
      if (!(answer instanceof Response)) return
      const body = await answer.text()
      const manifest = () => JSON.stringify({ ...JSON.parse(body), ...front })
      response
        .writeHead(answer.status, { "content-type": "application/json" })
        .end(url === "/api/manifest" ? manifest() : body)
    }).listen(0, "127.0.0.1")
    await once(proxy, "listening")
    t.teardown(() => {
      proxy.closeAllConnections()
      proxy.close()
    })
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    await mirror(here, roomId, address)
    await reaches(here, roomId, 1)

    Object.assign(front, { instanceId: "01a1c4d3-13a9-73f5-8f3d-d5a42c60610b", lineage: [instanceId] })
    await ada.write("post_message", { threadId, text: "The restored one goes on." } as never)
    await reaches(here, roomId, 2)
    t.equal(here.instance.tables.mirrors.all()[0]?.stopped, null)

    Object.assign(front, { instanceId: "01a1c4d3-13a9-73f5-8f3d-d5a42c60610c", lineage: [] })
    await ada.write("post_message", { threadId, text: "Who says this?" } as never)
    const why = await stopped(here, roomId)
    t.match(
      why,
      /is another instance now: .*10c, which does not declare that it was restored from .*10b, .* The Room here is unchanged\. .* --afresh\.$/,
    )
    t.equal(through(here, roomId), 2, "nothing is taken from it")
    await here.close()

    t.capture(console, "log")
    const add = (...more: string[]) =>
      mirrorCommand().parseAsync(["add", address, roomId, ...more, "--data", here.folder], { from: "user" })
    await t.rejects(add(), /another instance now.*Nothing was changed\.$/)
    await add("--afresh")
    const again = await startOwn({ folder: here.folder, keeps: true })
    await reaches(again, roomId, 3)
    const { origin } = await new ResearchRoomClient({ baseUrl: again.baseUrl }).read("room", { roomId })
    t.match(origin, { instanceId: front.instanceId, mirror: { stopped: null } })
    await ended(t, again, there)
  },
)

t.test("Twenty Rooms are mirrored at once, some of which name objects of each other", async (t) => {
  const { there, here, ada, roomId, threadId } = await two(t)
  const rooms = [{ roomId, threadId }]
  for (let count = 1; count < 20; count++) {
    const { result } = await ada.write("create_room", { title: `Room ${count}` })
    rooms.push({ roomId: result.roomId, threadId: result.openingThreadId })
  }
  const published = await ada.write("publish_hypothesis", hypothesis(roomId, threadId))
  for (const each of rooms.slice(1, 6))
    await ada.write("reuse_record", { threadId: each.threadId, versionId: published.result.versionId } as never)
  for (const each of rooms.toReversed()) await mirror(here, each.roomId, there.baseUrl)
  for (const each of rooms) await reaches(here, each.roomId, through(there, each.roomId))
  for (const each of rooms)
    await ada.write("post_message", { threadId: each.threadId, text: "To each of them." } as never)
  for (const each of rooms) await reaches(here, each.roomId, through(there, each.roomId))
  for (const each of rooms) t.strictSame(digests(here, each.roomId), digests(there, each.roomId))
  await here.instance.ledger.transact(() => here.instance.tables.mirrors.remove(roomId))
  await ended(t, here, there)
})

t.test(
  "A Room that cannot be followed says why: it does not exist, belongs to this instance, or is itself a mirror",
  async (t) => {
    const { there, here, roomId } = await two(t)
    await mirror(here, roomId, there.baseUrl)
    await reaches(here, roomId, 1)
    const third = await startOwn()
    await mirror(third, roomId, here.baseUrl)
    t.match(await stopped(third, roomId), /is itself from http/)
    const unknown = "01a1c4d3-13a9-73f5-8f3d-d5a42c60610b"
    await mirror(third, unknown, here.baseUrl)
    t.match(await stopped(third, unknown), /is not at http/)
    await mirror(there, roomId, here.baseUrl)
    t.match(await stopped(there, roomId), /itself from|own/)
    await third.close()
    await here.close()
    await there.close()
  },
)

t.test(
  "An adopted Room is no longer followed, and an instance that follows it at its new home has all of it",
  async (t) => {
    const { there, here, ada, roomId, threadId } = await two(t)
    const third = await startOwn()
    await mirror(here, roomId, there.baseUrl)
    await mirror(third, roomId, there.baseUrl)
    await ada.write("post_message", { threadId, text: "Before." } as never)
    await reaches(here, roomId, 2)
    await reaches(third, roomId, 2)
    await third.instance.ledger.transact(() => third.instance.tables.mirrors.remove(roomId))
    await here.close()

    const zip = Buffer.from(await (await fetch(`${there.baseUrl}/api/research/rooms/${roomId}/export`)).arrayBuffer())
    const closed = elsewhere(t, here.folder)
    const { added, origin } = await closed.import(zip, "eve")
    t.equal(added, 0, "all of it was here")
    t.equal(origin.mirror?.stopped, null, "it was followed until now")
    t.strictSame(closed.tables.mirrors.all(), [])
    t.strictSame(closed.problems(), [])
    closed.db.close()

    const own = await startOwn({ folder: here.folder, keeps: true })
    await ada.write("post_message", { threadId, text: "Said where it came from." } as never)
    const eve = own.stranger()
    await eve.request("POST", "/api/session", { username: "eve", password: "the long password of eve" })
    await eve.write("post_message", { threadId, text: "Said where it went." } as never)
    await mirror(own, roomId, there.baseUrl)
    t.match(await stopped(own, roomId), /is this instance's own\. It was adopted from .* no longer arrives/)

    await mirror(third, roomId, own.baseUrl)
    await reaches(third, roomId, 4)
    t.strictSame(digests(third, roomId), digests(own, roomId))
    const place = (baseUrl: string) => new URL(baseUrl).host
    const room = await new ResearchRoomClient({ baseUrl: third.baseUrl }).read("room", { roomId })
    t.match(room, { origin: { baseUrl: own.baseUrl }, adopted: [{ baseUrl: there.baseUrl, throughSequence: 2 }] })
    t.strictSame(
      room.members.map(({ username, role }) => `${username} ${role}`),
      [`eve@${place(own.baseUrl)} owner`, `ada@${place(there.baseUrl)} member`],
    )
    await mirror(third, roomId, there.baseUrl)
    t.match(
      await stopped(third, roomId),
      /restored from an older copy|history was rewritten/,
      "the history differs there now",
    )
    t.strictSame(digests(third, roomId), digests(own, roomId), "the entries here stay")
    await ended(t, own, there)
    await third.close()
  },
)
