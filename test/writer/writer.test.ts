/** The writing thread when things go wrong: it ends in the middle of a write, or another process writes beside it. */
import { renameSync, rmSync } from "node:fs"
import { once } from "node:events"
import { join } from "node:path"
import type { Worker } from "node:worker_threads"
import tap, { test } from "tap"
import { postMessage } from "../../src/contract/operations/threads.ts"
import { Refusal } from "../../src/contract/refusals/refusal.ts"
import type { Delivery } from "../../src/ledger/journal/delivery.ts"
import { CommitQueue } from "../../src/ledger/write/commit-queue.ts"
import { openLog } from "../../src/log.ts"
import { startService } from "../../src/app/service.ts"
import { Writer } from "../../src/app/threads/writer.ts"
import { ask } from "../support/ask.ts"
import { freshId, message } from "../support/bodies.ts"
import { openHouse } from "../support/house.ts"
import { temporaryFolder } from "../support/service.ts"

const house = await openHouse()
tap.teardown(() => house.close())
const { db, folder, instance, ada, threadId } = house

/** A thread on the house's data, and the events of its end. */
function startWriter() {
  const failures: Error[] = []
  const landed: string[] = []
  const writer = new Writer(
    {
      file: join(folder, "research-room.db"),
      index: null,
      instanceId: instance.instanceId,
      repositories: { folders: [], github: null },
    },
    {
      grouped: (_writes, _milliseconds, _failed, roomIds) => landed.push(...roomIds),
      notIndexed: (why) => failures.push(new Error(why)),
      failed: (error) => failures.push(error),
    },
  )
  return { writer, failures, landed }
}
const delivery = (): Delivery => {
  const body = message()
  return {
    operation: postMessage,
    behaviour: {} as Delivery["behaviour"],
    actor: ada,
    params: { threadId },
    body,
    content: JSON.stringify(body),
    contentDigest: `sha256:${"0".repeat(64)}`,
    requestDigest: freshId(),
    deliveryId: String(body.clientMessageId),
    client: undefined,
  }
}
const outcome = (write: Promise<unknown>) =>
  write.then(
    () => "accepted",
    (error: unknown) =>
      error instanceof Refusal ? [error.code, error.details.committed === null ? null : false] : String(error),
  )
const messages = () =>
  db.prepare<{ held: number }>("SELECT count(*) AS held FROM timeline_entries WHERE kind = 'message'").get()?.held

test("a write is stored once it is answered, and its Room is notified", async (t) => {
  const { writer, failures, landed } = startWriter()
  const before = messages() ?? 0
  t.equal(await outcome(writer.admit(delivery(), false)), "accepted")
  t.equal(messages(), before + 1)
  t.strictSame(landed, [house.roomId])
  await writer.close()
  t.strictSame(failures, [], "a requested end is not a failure")
})

test("a job from another thread is written before those that waited meanwhile, and is tried again if another process has written", async (t) => {
  const { writer } = startWriter()
  await writer.admit(delivery(), false)
  const before = messages() ?? 0
  let waiting: Promise<unknown> | undefined
  db.exec("CREATE TABLE tried (turn INTEGER, seen INTEGER, bytes BLOB)")
  const queue = new CommitQueue(db)
  const note = db.prepare("INSERT INTO tried VALUES (+?, +?, +?)")
  const seenWith = db.prepare<{ seen: number; bytes: Buffer }>("SELECT seen, bytes FROM tried WHERE turn = +?")
  let told = 0
  const trying = (turn: number, meanwhile = () => {}) =>
    writer.transact(() => {
      meanwhile()
      return queue.tryOut(() => {
        queue.afterCommit(() => (told += 1))
        note.run(turn, messages() ?? 0, Buffer.from("bytes"))
        return seenWith.get(turn)?.seen
      })
    })
  const seen = await trying(0, () => {
    waiting ??= Promise.all([writer.admit(delivery(), false), writer.admit(delivery(), false)])
    t.equal(seenWith.get(0), undefined, "what was tried is rolled back")
  })
  t.equal(seen, before, "nothing was written in between")
  t.strictSame(seenWith.get(0), { seen: before, bytes: Buffer.from("bytes") }, "and is there once it is answered")
  t.equal(told, 1)
  await waiting
  t.equal(messages(), before + 2)

  let tries = 0
  const others = () => {
    tries += 1
    if (tries === 1) db.exec("INSERT INTO tried VALUES (7, 7, NULL)")
  }
  await trying(1, others)
  t.equal(tries, 2, "a job tried on data that has changed is tried again")
  t.equal(told, 2)
  t.equal(db.prepare<{ held: number }>("SELECT count(*) AS held FROM tried WHERE turn = 1").get()?.held, 1)

  const order: number[] = []
  await Promise.all([2, 3, 4].map((turn) => trying(turn, () => void order.push(turn))))
  t.strictSame(order, [2, 3, 4], "one after the other")
  await t.rejects(
    writer.transact(() => {
      throw new Error("a fault")
    }),
    { message: "a fault" },
  )
  db.exec("DROP TABLE tried")
  t.equal(await outcome(writer.admit(delivery(), false)), "accepted", "after a fault the others continue")
  await writer.close()
})

test("a thread that ends by itself leaves no caller waiting: for its jobs it is unknown whether they were stored", async (t) => {
  const ends = once(process, "worker").then(([worker]: Worker[]) => worker)
  const { writer, failures } = startWriter()
  const before = messages() ?? 0
  const writes = [writer.admit(delivery(), false), writer.admit(delivery(), false)].map(outcome)
  // The thread ends before the job has begun.
  await (await ends)?.terminate()
  const outcomes = await Promise.all(writes)
  t.strictSame(outcomes, [
    ["temporarily_unavailable", null],
    ["temporarily_unavailable", null],
  ])
  t.match(failures, [/The writer thread ended/])
  t.strictSame(
    await outcome(writer.admit(delivery(), false)),
    ["temporarily_unavailable", false],
    "later ones are refused",
  )
  t.strictSame(await outcome(writer.transact(() => ({ value: "written", changes: [], notify: () => {} }))), [
    "temporarily_unavailable",
    false,
  ])
  t.equal(messages(), before)
  await writer.close()
})

test("a service whose thread cannot start says that it is broken, refuses writes, and can still be read and closed", async (t) => {
  const data = temporaryFolder()
  t.teardown(() => rmSync(data, { recursive: true, force: true }))
  const told: string[] = []
  const log = Object.assign(openLog("silent"), { fatal: (_: unknown, text: string) => void told.push(text) })
  const service = await startService({
    data,
    host: "127.0.0.1",
    port: 0,
    log,
    repositories: { folders: [], github: null },
    writer: "thread",
    // The service has the file open by then; the thread no longer finds it.
    prepare: async () => renameSync(join(data, "research-room.db"), join(data, "taken-away.db")),
  })
  await service.broken
  t.match(told, [/writing thread ended/])
  const token = new URL(service.setUpLink ?? "").searchParams.get("token")
  const setUp = await ask(`${service.baseUrl}/api/setup`, {
    body: { token, username: "ada", password: "a sentence long enough" },
    headers: { origin: service.baseUrl },
  })
  t.match(setUp, { status: 503, body: { refusal: "temporarily_unavailable", committed: false } })
  t.equal((await ask(`${service.baseUrl}/api/research/rooms`)).status, 200)
  await service.close()
})
