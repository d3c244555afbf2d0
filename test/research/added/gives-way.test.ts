/**
 * What another instance says about a Room never takes the place that the Room's own instance needs: it is dropped, with
 * everything that rests on it.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { ResearchRoomClient } from "research-room/client"
import t, { type Test } from "tap"
import { backUp, restore } from "../../../src/check/backup.ts"
import { checkData } from "../../../src/check/check.ts"
import { openForward } from "../../../src/app/compose/upgrade.ts"
import { databaseFile } from "../../../src/ledger/storage/data.ts"
import { ask } from "../../support/ask.ts"
import { hypothesis } from "../../support/bodies.ts"
import { type Own, startOwn, temporaryFolder } from "../../support/service.ts"

const mirror = ({ instance }: Own, roomId: string, baseUrl: string) =>
  instance.ledger.transact(() => instance.tables.mirrors.put(roomId, baseUrl, new Date().toISOString()))
const through = ({ instance }: Own, roomId: string) => instance.ledger.activity.watermark(roomId)
const digests = ({ instance }: Own, roomId: string) =>
  instance.ledger.activity.after(roomId, 0, undefined, 1_000).map(({ body }) => body)
const stop = ({ instance }: Own, roomId: string) =>
  instance.tables.mirrors.all().find((each) => each.roomId === roomId)?.stopped ?? undefined

async function until<T>(what: string, look: () => T | undefined | false): Promise<T> {
  for (const end = performance.now() + 40_000; ; ) {
    const found = look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`timed out: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
const reaches = (own: Own, roomId: string, sequence: number) =>
  until(`entry ${sequence} of ${roomId}`, () => {
    const why = stop(own, roomId)
    if (why !== undefined) throw new Error(why)
    return through(own, roomId) >= sequence
  })

/**
 * Starts four instances: `victim` with a Room; a copy of `victim` that continues differently; `teller`, whose Room
 * names objects of both; and `here`, which follows that Room.
 */
async function four(t: Test) {
  const folders = Array.from({ length: 4 }, temporaryFolder)
  t.teardown(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))
  const [a = "", b = "", c = "", d = ""] = folders
  const victim = await startOwn({ folder: a, keeps: true })
  const ada = await victim.setUp()
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "The victim's" })).result
  const said = (await ada.write("publish_hypothesis", hypothesis(roomId, threadId))).result

  const file = join(t.testdir(), "copy.db")
  backUp(victim.instance.db, file)
  restore(file, b, { force: true })
  const copy = await startOwn({ folder: b, keeps: true })
  const mallory = copy.stranger()
  await mallory.request("POST", "/api/session", { username: "ada", password: "the long password of ada" })
  await mallory.write("post_message", { threadId, text: "Never said by the victim." } as never)
  const forged = (await mallory.write("publish_hypothesis", hypothesis(roomId, threadId))).result

  const teller = await startOwn({ folder: c, keeps: true })
  const tom = await teller.setUp("tom")
  await mirror(teller, roomId, copy.baseUrl)
  await reaches(teller, roomId, 4)
  const citing = (await tom.write("create_room", { title: "Names it" })).result
  for (const { versionId } of [said, forged])
    await tom.write("reuse_record", { threadId: citing.openingThreadId, versionId } as never)
  await tom.write("post_message", { threadId: citing.openingThreadId, text: "And went on." } as never)

  const here = await startOwn({ folder: d, keeps: true })
  const eve = await here.setUp("eve")
  const own = (await eve.write("create_room", { title: "Own" })).result
  await mirror(here, citing.roomId, teller.baseUrl)
  await reaches(here, citing.roomId, 4)
  await ada.write("post_message", { threadId, text: "Said by the victim itself." } as never)
  return { victim, copy, teller, here, ada, tom, eve, own, roomId, threadId, citing }
}
async function messages({ baseUrl }: Own, threadId: string): Promise<string[]> {
  const { body } = await ask(`${baseUrl}/api/research/threads/${threadId}/messages`)
  return (body.items as unknown as { message: { text: string } }[]).map(({ message }) => message.text)
}
async function ended(t: Test, ...all: Own[]): Promise<void> {
  for (const own of all) {
    await own.close()
    const { db } = openForward(databaseFile(own.folder))
    t.strictSame(checkData(db).problems, [])
    db.close()
  }
}

t.test("It is dropped with everything that rests on it; all else stays, and the log says so", async (t) => {
  const { victim, copy, teller, here, ada, eve, own, roomId, threadId, citing } = await four(t)
  t.equal(through(here, roomId), 4, "the copy's entries, as the teller sends them")
  await eve.write("post_message", { threadId: own.openingThreadId, text: "Beside it." } as never)
  await mirror(here, roomId, victim.baseUrl)
  await until("it is the victim's", () => digests(here, roomId).join() === digests(victim, roomId).join())
  const reader = new ResearchRoomClient({ baseUrl: here.baseUrl })
  t.match(await reader.read("room", { roomId }), {
    origin: { baseUrl: victim.baseUrl, toldBy: null, mirror: { stopped: null } },
  })
  t.strictSame(await messages(here, threadId), ["Said by the victim itself."])
  const found = await reader.read("search", { query: "Never said" })
  t.strictSame(found.items, [], "no trace of what the teller said is left")
  t.equal(through(here, citing.roomId), 2, "entries that name only true objects stay")
  t.strictSame(await messages(here, own.openingThreadId), ["Beside it."])
  t.strictSame(
    here.instance.tables.audit
      .page({ kind: "forget_room" }, null, 10)
      .map(({ roomId: of, detail }) => [of, detail])
      .sort(),
    [
      [roomId, { fromEntry: 3, followedAt: victim.baseUrl }],
      [citing.roomId, { fromEntry: 3, followedAt: victim.baseUrl }],
    ].sort(),
  )
  // Work continues here and in the genuine Room. The teller's Room stops, because it names an object that no instance
  // has.
  await eve.write("post_message", { threadId: own.openingThreadId, text: "And on." } as never)
  await ada.write("post_message", { threadId, text: "Once more." } as never)
  await reaches(here, roomId, 4)
  t.match(await until("the teller's Room stops", () => stop(here, citing.roomId)), /^Entry 3 .*cannot be replayed here/)
  await ended(t, here, teller, copy, victim)
})

t.test("If a Room of this instance rests on it, nothing is dropped, and the mirror names that Room", async (t) => {
  const { victim, copy, teller, here, tom, eve, own, roomId, citing } = await four(t)
  const { versionId } = (await tom.write("publish_hypothesis", hypothesis(citing.roomId, citing.openingThreadId)))
    .result
  await reaches(here, citing.roomId, 5)
  await eve.write("reuse_record", { threadId: own.openingThreadId, versionId } as never)
  const before = digests(here, roomId)
  await mirror(here, roomId, victim.baseUrl)
  const why = await until("it stops", () => stop(here, roomId))
  t.match(why, new RegExp(`^Entry 3 of Room ${roomId} .*Entry 2 of Room ${own.roomId} refers to Room `))
  t.strictSame(digests(here, roomId), before)
  await ended(t, here, teller, copy, victim)
})
