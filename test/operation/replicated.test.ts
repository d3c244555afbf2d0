/**
 * `serve --replicated`: no write is acknowledged before Litestream has confirmed a sync that began after its commit.
 * Here a stand-in speaks as Litestream does; `npm run prove -- --only replicated` uses the real one.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { Litestream } from "../../src/app/replication/replication.ts"
import { startService } from "../../src/app/service.ts"
import { openDatabase } from "../../src/ledger/storage/opening.ts"
import { openLog } from "../../src/log.ts"
import { type Answer, ask } from "../support/ask.ts"
import { freshId, message, thread } from "../support/bodies.ts"
import { type Fate, startStandIn } from "../support/litestream.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"
import { temporaryFolder } from "../support/service.ts"

const data = temporaryFolder()
const file = join(data, "research-room.db")
const { people, rooms, credentials, keys, close } = await startResearchRoom({ data })
await close()
const { token } = credentials.member_all
const keyOf = keys.all.token
const { openingThreadId: threadId, roomId } = rooms.empty

const litestream = await startStandIn({ paths: [file] })
const quiet = { host: "127.0.0.1", port: 0, log: openLog("silent"), repositories: { folders: [], github: null } }
const service = await startService({ ...quiet, data, replicated: litestream.socket })
const { baseUrl } = service
tap.teardown(async () => {
  endAll()
  await service.close()
  await litestream.close()
  rmSync(data, { recursive: true, force: true })
})

const signIn = () =>
  ask(`${baseUrl}/api/session`, {
    body: { username: people.owner.username, password: people.owner.password },
    headers: { origin: baseUrl },
  })
const cookie = (await signIn()).headers.getSetCookie()[0]?.split(";")[0] ?? ""
const inBrowser = (path: string, body: object) =>
  ask(`${baseUrl}${path}`, { body, headers: { origin: baseUrl, cookie } })
const post = (body: object = message()) => ask(`${baseUrl}/api/agent/threads/${threadId}/messages`, { token, body })
const ready = () => ask(`${baseUrl}/api/health/ready`)
const holds = async (text: string) =>
  (await ask(`${baseUrl}/api/research/threads/${threadId}/messages`)).text.includes(text)

/** Waits until the write is committed: a read may see it before it is acknowledged. */
async function committed(text: string): Promise<void> {
  while (!(await holds(text))) await new Promise((resolve) => setImmediate(resolve))
}
/** Whether the answer has arrived. */
const isThere = (answer: Promise<Answer>) =>
  Promise.race([answer.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))])

test("an answer is sent after a sync that began after its commit, and not with one that was under way", async (t) => {
  litestream.hold()
  const before = litestream.syncs.length
  const first = post(message("The first."))
  await litestream.held(1)
  t.ok(await holds("The first."), "it is committed, and a read may see it")
  t.notOk(await isThere(first), "but it is not acknowledged")

  const later = ["The second.", "The third.", "The fourth."].map((text) => post(message(text)))
  for (const text of ["The second.", "The third.", "The fourth."]) await committed(text)
  t.equal(litestream.syncs.length, before + 1, "one sync is under way while later groups commit")
  litestream.letGo()
  litestream.hold()
  t.equal((await first).status, 200)
  await litestream.held(1)
  for (const each of later)
    t.notOk(await isThere(each), "a commit made after the sync had begun waits for the next sync")
  litestream.letGo()
  for (const each of later) t.equal((await each).status, 200)
  t.equal(litestream.syncs.length, before + 2, "which serves all of them")
  t.equal(litestream.mostAtOnce, 1)
  t.strictSame(litestream.syncs.at(-1), { path: file, wait: true })
})

const doors: Readonly<Record<string, () => Promise<Answer>>> = {
  "an agent's write": () => post(),
  "a sign-in": signIn,
  "a person's write": () => inBrowser("/api/rooms", { schemaVersion: 3, requestId: freshId(), title: "Another Room" }),
  "a person's action": () => inBrowser("/api/invitations", { schemaVersion: 3, requestId: freshId() }),
  "a personal key's write": () =>
    ask(`${baseUrl}/api/agent/library/create_collection`, {
      token: keyOf,
      body: { schemaVersion: 1, requestId: freshId(), name: "Warm-up" },
    }),
}
for (const [door, send] of Object.entries(doors)) {
  test(`${door} waits for the copy, and is not acknowledged if there is none`, async (t) => {
    litestream.hold()
    const answer = send()
    await litestream.held(1)
    t.notOk(await isThere(answer))
    litestream.letGo()
    t.equal((await answer).status, 200)
    litestream.fate = "failed"
    t.match(await send(), {
      status: 503,
      body: { refusal: "temporarily_unavailable", committed: null, retryable: true, retryAfter: 2 },
    })
    litestream.fate = "confirmed"
  })
}

for (const fate of ["failed", "cut"] satisfies Fate[]) {
  test(`if the sync is ${fate}, a retry gets the stored receipt, and that after a sync as well`, async (t) => {
    const text = `Through a sync that is ${fate}.`
    const body = message(text)
    litestream.fate = fate
    t.match(await post(body), { status: 503, body: { committed: null } })
    t.ok(await holds(text), "reads continue, and may see it")
    t.match(await post(body), { status: 503, body: { committed: null } }, "it is stored, and still not acknowledged")
    litestream.fate = "confirmed"
    const before = litestream.syncs.length
    t.match(await post(body), { status: 200, body: { replayed: true } })
    t.equal(litestream.syncs.length, before + 1)
    const told = await ask(`${baseUrl}/api/research/threads/${threadId}/messages`)
    t.equal(told.text.split(text).length, 2, "it is there once")
  })
}

test("reads that prove a write is kept wait as well: its receipt, and the feed that mirrors copy", async (t) => {
  const body = message()
  const receipt = () =>
    ask(`${baseUrl}/api/agent/receipts?operation=post_message&clientMessageId=${String(body.clientMessageId)}`, {
      token,
    })
  const feed = () => ask(`${baseUrl}/api/research/rooms/${roomId}/activity?after=0`)
  litestream.fate = "failed"
  await post(body)
  for (const read of [receipt, feed])
    t.match(await read(), {
      status: 503,
      body: { refusal: "temporarily_unavailable", committed: false, retryAfter: 2 },
    })
  t.equal((await ask(`${baseUrl}/api/research/rooms/${roomId}`)).status, 200, "other reads continue")
  litestream.fate = "confirmed"
  t.equal((await receipt()).status, 200)
  const before = litestream.syncs.length
  t.equal((await feed()).status, 200)
  t.equal(litestream.syncs.length, before, "what the copy already has is answered at once")
})

test("a request that stores nothing waits for nothing", async (t) => {
  const before = litestream.syncs.length
  t.equal((await ask(`${baseUrl}/api/agent/threads?rehearse=1`, { token, body: thread(roomId) })).status, 200)
  t.equal((await post({ ...message(), text: "" })).status, 422)
  t.equal(litestream.syncs.length, before)
})

test("while Litestream does not copy, the service is not ready; it is ready again without a write", async (t) => {
  t.equal((await ready()).status, 200)
  litestream.fate = "failed"
  await post()
  t.match(await ready(), { status: 503, body: { error: /Litestream does not copy.*connection refused/ } })
  litestream.fate = "confirmed"
  let answer = await ready()
  for (
    const start = performance.now();
    answer.status !== 200 && performance.now() - start < 10_000;
    answer = await ready()
  )
    await new Promise((resolve) => setTimeout(resolve, 100))
  t.equal(answer.status, 200)
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
  for (const sample of [
    /^research_room_replica_syncs_total\{outcome="confirmed"\} \d+/m,
    /^research_room_replica_syncs_total\{outcome="failed"\} \d+/m,
    /^research_room_replica_lag_seconds 0$/m,
    /^research_room_replica_answers_waiting 0$/m,
  ])
    t.match(metrics, sample)
})

test("a sync that takes too long is abandoned", async (t) => {
  const slow = await startStandIn({ paths: [file] })
  t.teardown(() => slow.close())
  const asking = new Litestream(slow.socket, 0)
  await asking.mustHaveStarted(file)
  slow.hold()
  await t.rejects(asking.sync(), { message: /in time/ })
  slow.letGo()
  asking.close()
})

test("it is served only by the Litestream that started it and copies this data", async (t) => {
  const place = newPlace()
  const elsewhere = await startStandIn({ paths: [join(place.folder, "data", "research-room.db")], pid: 1 })
  const other = await startStandIn({ paths: ["/srv/other.db"], pid: process.pid })
  const own = await startStandIn({ paths: [join(place.folder, "data", "research-room.db")], pid: process.pid })
  t.teardown(async () => {
    for (const each of [elsewhere, other, own]) await each.close()
    place.remove()
  })
  const replicated = (socket: string) => ["--data", "data", "--replicated", socket]
  const refused = async (socket: string) => run(executable(), ["serve", "--port", "0", ...replicated(socket)], place)
  t.match(await refused(elsewhere.socket), {
    code: 1,
    err: /^research-room: Litestream \(process 1\) did not start this service\. .*exec.*\n$/,
  })
  t.match(await refused(other.socket), { code: 1, err: /Litestream keeps no copy of .*it has \/srv\/other\.db\.\n$/ })
  t.match(await refused(join(place.folder, "nothing.sock")), {
    code: 1,
    err: /Litestream does not answer at its control socket.*ENOENT/,
  })

  const served = await serve(executable(), replicated(own.socket), place)
  t.equal((await ask(`${served.baseUrl}/api/health/ready`)).status, 200)
  t.ok(own.syncs.length > 0, "a sync was tried")
  served.signal("SIGTERM")
  t.match(await served.ended(), { code: 0 })

  t.strictSame(own.turns, [], "a service that ended cleanly continues with the copy it had")

  const killed = await serve(executable(), replicated(own.socket), place)
  killed.signal("SIGKILL")
  await killed.ended()
  const next = await serve(executable(), replicated(own.socket), place)
  t.strictSame(own.turns, ["stopped", "started"], "after a killed service the copy is started anew")
  next.signal("SIGKILL")
  await next.ended()
  const holder = openDatabase(join(place.folder, "data", "research-room.db"))
  holder.prepare("BEGIN IMMEDIATE").run()
  t.match(await refused(own.socket), {
    code: 1,
    err: /was killed, and Litestream could not start a new copy of .*: it did not release the file\.\n$/,
  })
  holder.close()
  own.fate = "failed"
  const last = await serve(executable(), replicated(own.socket), place)
  last.signal("SIGTERM")
  t.match(await last.ended(), { code: 0 }, "a store that does not answer at that moment does not prevent the start")

  const mark = join(place.folder, "data", "replicated")
  t.equal(readFileSync(mark, "utf8"), `${own.socket}\n`)
  const alone = () => run(executable(), ["serve", "--port", "0", "--data", "data"], place)
  t.match(await alone(), {
    code: 1,
    err: /Litestream keeps a copy .* Start Litestream, .* or delete .*replicated to serve/,
  })
  rmSync(mark)
  const plain = await serve(executable(), ["--data", "data"], place)
  plain.signal("SIGTERM")
  t.match(await plain.ended(), { code: 0 }, "the remedy is allowed")

  writeFileSync(join(place.folder, "data", "research-room.db-txid"), "0000000000000001\n")
  t.match(await alone(), { code: 1, err: /is a copy that Litestream's follower writes.*serve --follow/ })
  const added = await run(executable(), ["user", "add", "ada", "--data", "data"], place)
  t.match(added, { code: 1, err: /is a copy that Litestream's follower writes/ }, "commands that write are refused too")
  t.notOk(existsSync(join(place.folder, "data", "research-room.db-shm")), "and nothing was created beside it")
})
