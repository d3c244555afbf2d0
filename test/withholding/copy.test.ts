/**
 * Once the follower applies a withholding at the original, its copies forget the text, including what they
 * keep in memory. Otherwise a reader who guesses the words could confirm that somebody wrote them.
 */
import { join } from "node:path"
import tap, { test } from "tap"
import { startCopy } from "../../src/app/replication/follower.ts"
import { openLog } from "../../src/log.ts"
import { ask } from "../support/ask.ts"
import { openLab } from "../support/lab.ts"
import { startFollower } from "../support/follower.ts"
import { folderFor } from "../support/service.ts"
import { action } from "../support/bodies.ts"

const follow = folderFor(tap)
const lab = await openLab(tap)
const follower = await startFollower(lab.file, join(follow, "research-room.db"))
const copy = await startCopy({
  host: "127.0.0.1",
  port: 0,
  log: openLog("silent"),
  follow,
  primary: lab.baseUrl,
  threads: 1,
})
tap.teardown(async () => {
  await copy.close()
  await follower.close()
})
const { roomId, threadId } = await lab.place()

test("a copy that was asked about the words before finds nothing similar to them any more", async (t) => {
  const WORDS = "Marmalade tunnelling hastens zeppelins"
  const proposal = { roomId, threadId, question: `${WORDS}.`, scope: "One flight.", hypotheses: [] }
  const { entry } = await lab.ada.write("propose_experiment", proposal)
  await follower.apply()
  const { activityWatermark } = (await ask(`${lab.baseUrl}/api/research/rooms/${roomId}`)).body
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
  const withheld = await lab.at("ada", "POST", `/api/rooms/${roomId}/withholdings`, body)
  t.equal(withheld.status, 200, withheld.text)
  await follower.apply()
  const later = Number((await ask(`${lab.baseUrl}/api/research/rooms/${roomId}`)).body.activityWatermark)
  t.ok(later > Number(activityWatermark))
  t.strictSame(await near(later), [])
  t.strictSame(await found(later), [])
})
