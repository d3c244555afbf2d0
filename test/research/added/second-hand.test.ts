/**
 * People and Rooms of other instances are shown with the instance whose chain vouches for them: a copy's are not shown
 * as the original's, nor second-hand statements as known.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { ResearchRoomClient } from "research-room/client"
import t, { type Test } from "tap"
import { checkData } from "../../../src/check/check.ts"
import { backUp, restore } from "../../../src/check/backup.ts"
import { openForward } from "../../../src/app/compose/upgrade.ts"
import { databaseFile } from "../../../src/ledger/storage/opening.ts"
import { hypothesis } from "../../support/bodies.ts"
import { bring, elsewhere } from "../../support/elsewhere.ts"
import { type Own, startOwn, temporaryFolder } from "../../support/service.ts"

const host = ({ baseUrl }: Own) => new URL(baseUrl).host
function folders(t: Test, count: number): string[] {
  const made = Array.from({ length: count }, temporaryFolder)
  t.teardown(() => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })))
  return made
}
async function ended(t: Test, ...all: Own[]): Promise<void> {
  for (const own of all) {
    await own.close()
    const { db } = openForward(databaseFile(own.folder))
    t.strictSame(checkData(db).problems, [])
    db.close()
  }
}

t.test("What a restored copy writes in the name of a person of the original is shown as the copy's", async (t) => {
  const [a = "", b = "", c = ""] = folders(t, 3)
  const original = await startOwn({ folder: a, keeps: true })
  const ada = await original.setUp()
  await original.person("grace")
  const { roomId } = (await ada.write("create_room", { title: "Of the original" })).result
  const copyFile = join(t.testdir(), "copy.db")
  backUp(original.instance.db, copyFile)
  restore(copyFile, b, { force: true })
  const copy = await startOwn({ folder: b, keeps: true })
  const mallory = copy.stranger()
  await mallory.request("POST", "/api/session", { username: "ada", password: "the long password of ada" })
  const made = (await mallory.write("create_room", { title: "Made by the copy" })).result
  await mallory.write("add_member", { roomId: made.roomId, username: "grace" })
  const grace = original.instance.tables.people.named("grace")?.userId ?? ""
  await mallory.write("transfer_room", { roomId: made.roomId, userId: grace, reason: "A gift." } as never)

  const third = await startOwn({ folder: c, keeps: true })
  await third.setUp("eve")
  await bring(t, third.instance, original.baseUrl, roomId)
  await bring(t, third.instance, copy.baseUrl, made.roomId)
  const reader = new ResearchRoomClient({ baseUrl: third.baseUrl })
  const [first, second] = [await reader.read("room", { roomId }), await reader.read("room", { roomId: made.roomId })]
  t.equal(first.owner.username, `ada@${host(original)}`)
  t.strictSame(second.members.map(({ username, role }) => `${username} ${role}`).sort(), [
    `ada@${host(copy)} member`,
    `grace@${host(copy)} owner`,
  ])
  t.not(first.owner.userId, second.members.find(({ role }) => role === "member")?.userId, "they are two people")
  for (const path of [`/rooms/${made.roomId}`, `/rooms/${made.roomId}/activity`, `/rooms/${made.roomId}/people`]) {
    const page = await (await fetch(`${third.baseUrl}${path}`)).text()
    t.notMatch(page, `@${host(original)}`, path)
    t.match(page, `ada@${host(copy)}`, path)
  }
  const feed = await (await fetch(`${third.baseUrl}/api/research/rooms/${made.roomId}/activity?include=summary`)).json()
  t.match(feed, { items: [{ summary: new RegExp(`^ada@${host(copy)} `) }] })

  // The original itself can import its copy's Room, which its own ada did not write.
  await bring(t, original.instance, copy.baseUrl, made.roomId)
  t.match(original.instance.tables.rooms.summary(made.roomId), { owner: { username: `grace@${host(copy)}` } })

  // In a crate made from the import, the same people keep the ids they have there.
  const zip = Buffer.from(
    await (await fetch(`${third.baseUrl}/api/research/rooms/${made.roomId}/export`)).arrayBuffer(),
  )
  const fourth = elsewhere(t)
  await fourth.import(zip)
  t.match(fourth.tables.rooms.summary(made.roomId), {
    owner: { userId: grace, username: `grace@${host(copy)}` },
    origin: { toldBy: "file" },
  })
  t.strictSame(fourth.problems(), [])
  await ended(t, third, original, copy)
})

t.test(
  "A Room known only from another instance is shown as told by it, cannot be named here, and gives way to the " +
    "genuine one",
  async (t) => {
    const [a = "", b = "", c = ""] = folders(t, 3)
    const victim = await startOwn({ folder: a, keeps: true })
    const ada = await victim.setUp()
    const there = (await ada.write("create_room", { title: "The victim's" })).result
    const { versionId } = (
      await ada.write("publish_hypothesis", hypothesis({ roomId: there.roomId, threadId: there.openingThreadId }))
    ).result
    const teller = await startOwn({ folder: b, keeps: true })
    const tom = await teller.setUp("tom")
    await bring(t, teller.instance, victim.baseUrl, there.roomId)
    const citing = (await tom.write("create_room", { title: "Names it" })).result
    await tom.write("reuse_record", { threadId: citing.openingThreadId, versionId } as never)

    const here = await startOwn({ folder: c, keeps: true })
    const eve = await here.setUp("eve")
    const own = (await eve.write("create_room", { title: "Own" })).result
    await bring(t, here.instance, teller.baseUrl, citing.roomId)
    const reader = new ResearchRoomClient({ baseUrl: here.baseUrl })
    const told = await reader.read("room", { roomId: there.roomId })
    t.match(told.origin, { baseUrl: victim.baseUrl, toldBy: teller.baseUrl })
    t.equal(told.owner.username, `ada@${host(victim)}~told-by-${host(teller)}`)
    t.match(
      await (await fetch(`${here.baseUrl}/rooms/${there.roomId}`)).text(),
      `according to ${host(teller)}, and nothing proves it`,
    )
    const reuse = () => eve.write("reuse_record", { threadId: own.openingThreadId, versionId } as never)
    await t.rejects(reuse(), {
      issues: [{ message: /it can be named here once that Room's own export is imported/ }],
    } as never)

    const { added } = await bring(t, here.instance, victim.baseUrl, there.roomId)
    t.equal(added, 0, "its own export says nothing else")
    t.match(await reader.read("room", { roomId: there.roomId }), {
      origin: { baseUrl: victim.baseUrl, toldBy: "file" },
    })
    await reuse()
    await ended(t, here, teller, victim)
  },
)
