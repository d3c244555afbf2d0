/**
 * Once the follower applies a withholding at the original, its copies forget the text, including what they
 * keep in memory. Otherwise a reader who guesses the words could confirm that somebody wrote them.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { startCopy } from "../../src/app/replication/follower.ts"
import { openLog } from "../../src/log.ts"
import { ask } from "../support/ask.ts"
import { castOf } from "../support/lab.ts"
import { startFollower } from "../support/follower.ts"
import { temporaryFolder } from "../support/service.ts"
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
