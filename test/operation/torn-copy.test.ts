/**
 * A copy that starts while its file is torn, because its follower ended in the middle of writing. It waits a while for
 * the follower, then exits with one sentence; and it leaves the file to its follower.
 */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { followerNote } from "../../src/ledger/storage/litestream-files.ts"
import { startFollower } from "../support/follower.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"
import { temporaryFolder } from "../support/service.ts"

const [data, follow] = [temporaryFolder(), temporaryFolder()]
const [file, copied] = [data, follow].map((folder) => join(folder, "research-room.db")) as [string, string]
const house = await startResearchRoom({ data })
const follower = await startFollower(file, copied)
const place = newPlace()
tap.teardown(async () => {
  endAll()
  await house.close()
  await follower.close()
  place.remove()
  for (const folder of [data, follow]) rmSync(folder, { recursive: true, force: true })
})

const { openingThreadId: threadId } = house.rooms.empty
const flags = ["--follow", follow, "--primary", house.baseUrl]
const bytes = () => [copied, followerNote(copied)].map((path) => readFileSync(path))
/** A message is posted; the follower brings a part of it and ends. */
async function tear(text: string) {
  await house.client("member_all").write("post_message", { threadId, text })
  await follower.applyHalf()
}
const said = async (baseUrl: string) => (await fetch(`${baseUrl}/api/research/threads/${threadId}/messages`)).text()

test("it exits with one sentence, and changes nothing; once the file is whole it starts", async (t) => {
  await tear("Half of this has arrived.")
  const before = bytes()
  const began = performance.now()
  const { code, out, err } = await run(executable(), ["serve", "--port", "0", ...flags], place)
  const took = performance.now() - began
  t.strictSame([code, out], [1, ""])
  t.equal(err.split("\n").length, 2, err)
  t.match(err, `research-room: Litestream's follower has not finished writing to ${copied};`)
  t.match(err, /Start the follower again, and then this copy\.\n$/)
  t.ok(took > 4_900, `after ${took} ms`)
  t.strictSame(bytes(), before, "the file is left to the follower")
  await follower.apply()
  const copy = await serve(executable(), flags, place)
  t.match(await said(copy.baseUrl), /Half of this has arrived\./)
  copy.signal("SIGTERM")
  t.match(await copy.ended(), { code: 0 })
})

test("it waits for a follower that finishes meanwhile", async (t) => {
  await tear("The other half comes while it starts.")
  let isServing = false
  const starting = serve(executable(), flags, place).then((copy) => {
    isServing = true
    return copy
  })
  await pause(2_000)
  t.notOk(isServing, "nothing torn is served")
  await follower.apply()
  const copy = await starting
  t.match(await said(copy.baseUrl), /The other half comes while it starts\./)
  copy.signal("SIGTERM")
  t.match(await copy.ended(), { code: 0 })
})
