/**
 * A long read keeps the log from being copied into the data file. What has come together is not copied by the serving
 * thread once the read has ended: everybody would wait for seconds. Counted by the bytes that the thread writes.
 */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import tap, { test } from "tap"
import { startResearchRoom } from "research-room/testing"
import { openReadConnection, openWatching } from "../../src/ledger/storage/opening.ts"
import { ask } from "../support/ask.ts"
import { message } from "../support/bodies.ts"
import { temporaryFolder } from "../support/service.ts"

/** Bytes of a page, and how many pages the thread copies at most at once. */
const [PAGE, MOST] = [4_096, 4_000]
const data = temporaryFolder()
const file = join(data, "research-room.db")
const house = await startResearchRoom({ data })
tap.teardown(async () => {
  await house.close()
  rmSync(data, { recursive: true, force: true })
})
const { token } = house.credentials.member_all
const post = async (text: string) => {
  const path = `${house.baseUrl}/api/agent/threads/${house.rooms.empty.openingThreadId}/messages`
  return (await ask(path, { token, body: message(text) })).status
}

const skip = process.platform === "linux" ? false : "only Linux counts the bytes of a thread"
test("a long log is copied by another process once the read that kept it has ended", { skip }, async (t) => {
  const written = () => Number(/wchar: (\d+)/.exec(readFileSync(`/proc/self/task/${process.pid}/io`, "utf8"))?.[1])
  const log = openWatching(file)
  t.teardown(() => log.close())
  const uncopied = () => {
    const { log: frames, checkpointed } = log
      .prepare<{ log: number; checkpointed: number }>("PRAGMA wal_checkpoint(NOOP)")
      .one()
    return frames - checkpointed
  }
  const read = openReadConnection(file)
  const text = "Words that say little. ".repeat(800)
  while (uncopied() < 3 * MOST)
    t.strictSame(
      new Set(await Promise.all(Array.from({ length: 20 }, (_, at) => post(`${at} ${text}`)))),
      new Set([200]),
    )
  read.close()
  const before = written()
  for (let isLong = true; isLong; isLong = uncopied() > MOST) {
    t.equal(await post("Another."), 200)
    await pause(100)
  }
  const bytes = written() - before
  t.ok(bytes < MOST * PAGE, `the serving thread wrote ${bytes} bytes, of ${3 * MOST * PAGE} that were in the log`)
})
