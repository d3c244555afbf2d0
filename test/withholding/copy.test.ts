/**
 * Once the follower applies a withholding or a drop at the original, its copies forget the text, including what they
 * keep in memory. Otherwise a reader who guesses the words could confirm that somebody wrote them.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { startCopy } from "../../src/app/replication/follower.ts"
import { openLog } from "../../src/log.ts"
import { ask } from "../support/ask.ts"
import { castOf } from "../support/cast.ts"
import { startFollower } from "../support/follower.ts"
import { startOwn, temporaryFolder } from "../support/service.ts"
import { action } from "../support/bodies.ts"

const [data, follow] = [temporaryFolder(), temporaryFolder()]
const [file, copied] = [data, follow].map((folder) => join(folder, "research-room.db")) as [string, string]
const house = await startResearchRoom({ data })
const follower = await startFollower(file, copied)
const copy = await startCopy({
  host: "127.0.0.1",
  port: 0,
  log: openLog("silent"),
  follow,
  primary: house.baseUrl,
  threads: 1,
})
tap.teardown(async () => {
  await copy.close()
  await house.close()
  await follower.close()
  for (const folder of [data, follow]) rmSync(folder, { recursive: true, force: true })
})
const cast = await castOf(house)
const { roomId, threadId } = await cast.room()

test("a copy that was asked about the words before finds nothing similar to them any more", async (t) => {
  const WORDS = "Marmalade tunnelling hastens zeppelins"
  const proposal = { roomId, threadId, question: `${WORDS}.`, scope: "One flight.", hypotheses: [] }
  const { entry } = await cast.ada.write("propose_experiment", proposal)
  await follower.apply()
  const { activityWatermark } = (await ask(`${house.baseUrl}/api/research/rooms/${roomId}`)).body
  /** Returns the copy's own answer, no older than the original's. */
  const here = async (path: string, least = Number(activityWatermark)) => {
    const answer = await ask(`${copy.baseUrl}/api/research${path}atLeast=${least}`)
    t.equal(answer.status, 200, path)
    return answer
  }
  const near = async (least?: number) =>
    (await here(`/rooms/${roomId}/similar?text=${encodeURIComponent(WORDS)}&`, least)).body.similar
  const found = async (least?: number) =>
    (await here(`/search?query=${encodeURIComponent(WORDS)}&roomId=${roomId}&`, least)).body.items
  t.match(await near(), [{ kind: "experiment" }])
  t.match(await found(), [{ kind: "experiment" }])

  const body = action({
    of: { entryId: entry?.entryId },
    fields: ["/question"],
    reason: "personal_data",
    explanation: "Not ours to tell.",
  })
  const withheld = await cast.at("ada", "POST", `/api/rooms/${roomId}/withholdings`, body)
  t.equal(withheld.status, 200, withheld.text)
  await follower.apply()
  const later = Number((await ask(`${house.baseUrl}/api/research/rooms/${roomId}`)).body.activityWatermark)
  t.ok(later > Number(activityWatermark))
  t.strictSame(await near(later), [])
  t.strictSame(await found(later), [])
})

test("a copy that was asked about a Room of another instance forgets what was dropped from it", async (t) => {
  const there = await startOwn()
  const ada = await there.setUp()
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Followed" })).result
  const WORDS = "Rhubarb lanterns outlast submarines"
  await ada.write("propose_experiment", { roomId, threadId, question: `${WORDS}.`, scope: "One dive.", hypotheses: [] })
  const here = await startOwn({ folder: temporaryFolder(), keeps: true })
  const folder = temporaryFolder()
  const follower = await startFollower(join(here.folder, "research-room.db"), join(folder, "research-room.db"))
  const copy = await startCopy({
    host: "127.0.0.1",
    port: 0,
    log: openLog("silent"),
    follow: folder,
    primary: here.baseUrl,
    threads: 1,
  })
  t.teardown(async () => {
    await copy.close()
    await follower.close()
    for (const own of [here, there]) await own.close()
    for (const each of [folder, here.folder]) rmSync(each, { recursive: true, force: true })
  })
  const { ledger, tables } = here.instance
  await ledger.transact(() => tables.mirrors.put(roomId, there.baseUrl, new Date().toISOString()))
  while (ledger.activity.watermark(roomId) < 2) await new Promise((resolve) => setTimeout(resolve, 20))
  await follower.apply()
  const near = async () =>
    (await ask(`${copy.baseUrl}/api/research/rooms/${roomId}/similar?text=${encodeURIComponent(WORDS)}`)).body.similar
  t.match(await near(), [{ kind: "experiment" }])

  await ledger.transact(() => tables.mirrors.remove(roomId))
  await ledger.leave({ cuts: [{ roomId, from: 2 }], reach: "none" })
  await follower.apply()
  t.strictSame(await near(), [])
})
