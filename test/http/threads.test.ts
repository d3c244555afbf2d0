/**
 * Pages and costly reads are made by reader threads, as with `serve`. Nobody outside can tell, except that a long
 * answer delays nobody else.
 */
import { setImmediate as turn } from "node:timers/promises"
import type { Worker } from "node:worker_threads"
import tap, { type Test, test } from "tap"
import { createApp } from "../../src/app/serving/surface.ts"
import { ReaderPool } from "../../src/app/threads/reader-pool.ts"
import { standardBudgets } from "../../src/edge/limits/budgets.ts"
import type { OffloadedResponse } from "../../src/edge/edge.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { ask } from "../support/ask.ts"
import { softwareVersion } from "../../src/packaged.ts"
import { message } from "../support/bodies.ts"
import { addressOf } from "../support/routes.ts"
import { textOf } from "../support/streams.ts"
import { onReady, onTask } from "../support/threads.ts"
import { pagesOf } from "../web/pages.ts"

/** The reader threads, in the order in which they became ready. */
const workers: Worker[] = []
onReady((worker) => workers.push(worker))
/** Counts the requests for threads and those given to one, and is called each time one is given. */
let [came, given] = [0, 0]
let onGiven = () => {}
/** The last response from a thread. */
let last: OffloadedResponse | undefined
const { answer } = ReaderPool.prototype
ReaderPool.prototype.answer = function (...asked) {
  came += 1
  const made = answer.apply(this, asked)
  made?.then(
    (response) => (last = response),
    () => {},
  )
  return made
}
onTask(() => {
  given += 1
  // After the thread has the task.
  queueMicrotask(onGiven)
})
/** Waits until that many more requests have arrived. */
async function coming(count: number): Promise<void> {
  for (const until = came + count; came < until; ) await turn()
}

const options = {
  host: "127.0.0.1",
  port: 0,
  kept: process.env.TOLD_DEMO,
  threads: 2,
  budgets: { ...standardBudgets, reads: { total: 60, each: 60 } },
}
let log = ""
const house = await startDemo({
  ...options,
  log: openLog("info", { to: { write: (text: string) => void (log += text) } }),
})
tap.teardown(() => house.close())
const { baseUrl, instance, rooms } = house
const { roomId, openingThreadId: threadId } = rooms.main
const room = `/api/research/rooms/${roomId}`
const graph = `${room}/provenance`

const { owner } = house.people
const door = { body: { username: owner.username, password: owner.password }, headers: { origin: baseUrl } }
const signIn = async () => (await ask(`${baseUrl}/api/session`, door)).headers.getSetCookie()[0]?.split(";")[0] ?? ""

/** The same application over the same data, without reader threads. */
const alone = createApp({ instance, baseUrl, softwareVersion, log: openLog("silent") })
const ofTheMoment =
  /"generatedAt":"[^"]*"|name="(?:\/says)?\/?(?:~id|requestId|clientMessageId|attemptId)" value="[^"]*"/g
const ofTheConnection = [
  "date",
  "x-request-id",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "content-encoding",
]
async function whole(answer: Response) {
  const headers = [...answer.headers].filter(([name]) => !ofTheConnection.includes(name))
  return { status: answer.status, headers, text: (await textOf(answer)).replace(ofTheMoment, "") }
}

test("every page and every read is the same as with one thread", async (t) => {
  const cookie = await signIn()
  const first = async (path: string, member: string) => {
    const [item] = (await ask(`${baseUrl}${path}`)).body.items as unknown as Record<string, string>[]
    return String(item?.[member])
  }
  const experimentId = await first(`/api/research/experiments?roomId=${roomId}`, "experimentId")
  const attemptId = await first(`/api/research/attempts?roomId=${roomId}`, "attemptId")
  const versionId = await first(`/api/research/hypotheses?roomId=${roomId}`, "versionId")
  const ids = { roomId, threadId, experimentId, attemptId, versionId }
  const query: Readonly<Record<string, string>> = {
    search: "query=ways",
    attempt_table: `roomId=${roomId}`,
    attempt_curves: `attemptIds=${attemptId}&metric=loss`,
  }
  const asked = [
    ...(await pagesOf(house)).map(({ path, as }) => ({ path, headers: as === "owner" ? { cookie } : {} })),
    ...reads
      .filter(({ surface }) => surface === "public")
      .map(({ name, path }) => ({
        path: `${addressOf(path, ids)}${query[name] === undefined ? "" : `?${query[name]}`}`,
        headers: {},
      })),
    ...["feed.atom", "feed.json", "sitemap.xml"].map((name) => ({ path: `/rooms/${roomId}/${name}`, headers: {} })),
    { path: `/rooms/${roomId}.md`, headers: {} },
    { path: `/rooms/${roomId}`, headers: { accept: "text/markdown" } },
    { path: `${graph}?focus=nothing`, headers: {} },
    { path: `${room}/brief`, headers: { accept: "text/markdown" } },
    // The one is a file that is made anew each time; on the other stands what the service alone knows of its disk.
  ].filter(({ path }) => !path.includes("/export") && path !== "/admin")
  // The first costly read waits for the threads.
  t.equal((await fetch(`${baseUrl}${graph}`)).status, 200)
  let pasts = 0
  const before = given
  for (const { path, headers } of asked) {
    const [there, here] = await Promise.all([
      fetch(`${baseUrl}${path}`, { headers, redirect: "manual" }).then(whole),
      Promise.resolve(
        alone.request(`${baseUrl}${path}`, { headers: { ...headers, host: new URL(baseUrl).host } }),
      ).then(whole),
    ])
    t.strictSame(there, here, path)
  }
  t.ok(given - before > 60, `${given - before} of ${asked.length} were made by the threads`)
  const between = given
  // At entry 30 some of these objects did not exist yet.
  for (const { path, headers } of asked) {
    const then = `${path}${path.includes("?") ? "&" : "?"}at=30`
    const there = await fetch(`${baseUrl}${then}`, { headers, redirect: "manual" }).then(whole)
    const here = await whole(
      await alone.request(`${baseUrl}${then}`, { headers: { ...headers, host: new URL(baseUrl).host } }),
    )
    t.strictSame(there, here, then)
    pasts += Number(there.text.includes('"asOf"') || there.text.includes("As of entry"))
  }
  t.ok(
    given - between > 60,
    `${given - between} of ${asked.length} were made by the threads as of an earlier entry; ${pasts} answers name it`,
  )
  const packed = await fetch(`${baseUrl}/rooms/${roomId}`, { headers: { "accept-encoding": "br" } })
  t.equal(packed.headers.get("content-encoding"), "br")
  t.match(await packed.text(), "</html>")
  const head = await fetch(`${baseUrl}${graph}`, { method: "HEAD" })
  t.strictSame([head.status, await head.text()], [200, ""])
  const feed = `${baseUrl}/rooms/${roomId}/feed.atom`
  const tag = (await fetch(feed)).headers.get("etag") ?? ""
  t.equal((await fetch(feed, { headers: { "if-none-match": tag } })).status, 304)
})

test("the next read sees what was written, and a signed-out person is signed out", async (t) => {
  const { roomId, openingThreadId: threadId } = rooms.empty
  const page = async (headers = {}) => (await fetch(`${baseUrl}/threads/${threadId}`, { headers })).text()
  for (let n = 0; n < 20; n += 1) {
    const text = `Said as number ${n}.`
    const path = `${baseUrl}/api/agent/threads/${threadId}/messages`
    t.equal((await ask(path, { token: house.credentials.member_all.token, body: message(text) })).status, 200)
    t.match(await page(), text)
  }
  const { activityWatermark: watermark } = (await ask(`${baseUrl}/api/research/rooms/${roomId}`)).body
  const waits = fetch(`${baseUrl}/api/research/rooms/${roomId}/activity?after=${watermark}&wait=20`)
  const text = "Heard by who waits."
  await ask(`${baseUrl}/api/agent/threads/${threadId}/messages`, {
    token: house.credentials.member_all.token,
    body: message(text),
  })
  t.equal(((await (await waits).json()) as { items: unknown[] }).items.length, 1, "feeds wake as before")
  const cookie = await signIn()
  t.match(await page({ cookie }), owner.username)
  t.equal((await fetch(`${baseUrl}/api/session`, { method: "DELETE", headers: { cookie, origin: baseUrl } })).ok, true)
  t.notMatch(await page({ cookie }), "/account")
})

test("a small read is answered while long ones run and wait, and so is a page", async (t) => {
  let answered = 0
  const long = Array.from({ length: 50 }, async () => {
    const answer = await fetch(`${baseUrl}${graph}`)
    await answer.arrayBuffer()
    answered += 1
    return answer.status
  })
  await coming(50)
  t.equal((await fetch(`${baseUrl}${room}`)).status, 200)
  t.ok(answered < 50, `${answered} of 50 before a small read`)
  t.equal((await fetch(`${baseUrl}/rooms/${rooms.empty.roomId}`)).status, 200)
  t.ok(answered < 50, `${answered} of 50 before a page`)
  t.strictSame(new Set(await Promise.all(long)), new Set([200]))
})

test("the OpenAPI document, which takes a second to make, is made by a thread", async (t) => {
  const [before, used] = [given, process.threadCpuUsage()]
  const response = await fetch(`${baseUrl}/api/openapi.json`)
  t.equal(response.status, 200)
  t.ok((await response.text()).length > 100_000)
  const { user, system } = process.threadCpuUsage(used)
  t.equal(given, before + 1, "the serving thread gives it away")
  t.ok(user + system < 250_000, `and works ${Math.round((user + system) / 1_000)} ms for it`)
})

test("the memory of an answer is freed as soon as it has been sent", async (t) => {
  t.ok(await (await fetch(`${baseUrl}${graph}`)).text())
  const body = last?.body
  t.ok(body, "it came from a thread")
  for (let turns = 0; body?.byteLength !== 0 && turns < 1_000; turns += 1) await turn()
  t.equal(body?.byteLength, 0)
})

test("requests over the limit of waiting ones are told to come back", async (t) => {
  const answers = await Promise.all(Array.from({ length: 70 }, () => ask(`${baseUrl}${graph}`)))
  const refused = answers.filter(({ status }) => status !== 200)
  t.ok(refused.length > 0 && refused.length <= 10, `${refused.length} of 70`)
  for (const { status, body, headers } of refused) {
    t.equal(status, 503)
    t.match(body, { refusal: "temporarily_unavailable", retryable: true, retryAfter: 1, committed: false })
    t.equal(headers.get("access-control-allow-origin"), "*")
  }
})

/** A page that says why it cannot be shown, as every other such page does. */
async function isPageOf(t: Test, answer: Response, says: RegExp) {
  t.equal(answer.status, 503)
  t.match(answer.headers.get("content-type"), "text/html")
  const text = await answer.text()
  t.match(text, says)
  t.match(text, `<a href="/"`, "it has links to go on")
}

test("at that limit, a request for a page gets a page, and a request for a document gets that format", async (t) => {
  const many = (path: string) => Promise.all(Array.from({ length: 70 }, () => fetch(`${baseUrl}${path}`)))
  const answers = await Promise.all([many(`/rooms/${roomId}/graph`), many(`/rooms/${roomId}.md`)])
  const [pages, documents] = answers.map((each) => each.filter(({ status }) => status !== 200)) as [
    Response[],
    Response[],
  ]
  t.ok(pages.length > 0, `${pages.length} of 70 pages`)
  for (const page of pages) await isPageOf(t, page, /Too many clients are waiting for a page or a long answer/)
  t.ok(documents.length > 0, `${documents.length} of 70 documents`)
  for (const document of documents) {
    t.equal(document.status, 503)
    t.match(document.headers.get("content-type"), "text/markdown")
    t.match(await document.text(), /^# 503: temporarily_unavailable/)
  }
})

test("if threads cannot start, the serving thread does the work", async (t) => {
  let told = ""
  const settings = { file: "/nothing/here.db", follows: false, instanceId: "", lineage: [], baseUrl, entrance: null }
  const threads = new ReaderPool({
    threads: 2,
    settings,
    log: openLog("info", { to: { write: (text: string) => void (told += text) } }),
  })
  const order = { method: "GET", target: graph, headers: [], address: "", id: "", person: null, past: null } as const
  const { signal } = new AbortController()
  await t.rejects(async () => void (await threads.answer(order, "expensive", signal)))
  t.match(told, "a reader thread ended")
  t.equal(threads.answer(order, "expensive", signal), null, "and is not started again at once")
  await threads.close()
})

test("a thread that ends takes only its own request with it; another takes its place", async (t) => {
  const before = workers.length
  let ended: Promise<unknown> = Promise.resolve()
  onGiven = () => {
    onGiven = () => {}
    ended = Promise.all(workers.map((worker) => worker.terminate()))
  }
  const { status, body } = await ask(`${baseUrl}${graph}`)
  t.equal(status, 503)
  t.match(body, { refusal: "temporarily_unavailable", committed: false })
  await ended
  t.match(log, "a reader thread ended; another replaces it")
  t.equal((await ask(`${baseUrl}${graph}`)).status, 200)
  t.equal((await fetch(`${baseUrl}/rooms/${roomId}`)).status, 200)
  t.ok(workers.length > before, "started anew")
})

test("a page whose thread ends is answered with a page", async (t) => {
  let ended: Promise<unknown> = Promise.resolve()
  onGiven = () => {
    onGiven = () => {}
    ended = Promise.all(workers.map((worker) => worker.terminate()))
  }
  await isPageOf(t, await fetch(`${baseUrl}/rooms/${roomId}/graph`), /failed while it made this page/)
  await ended
  t.equal((await ask(`${baseUrl}${graph}`)).status, 200)
})

test("requests of clients that leave are dropped, and those under way at shutdown are answered", async (t) => {
  const gone = new AbortController()
  const asked = Array.from({ length: 40 }, () => fetch(`${baseUrl}${graph}`, { signal: gone.signal }).catch(() => null))
  const before = given
  await coming(40)
  gone.abort()
  await Promise.all(asked)
  t.equal((await fetch(`${baseUrl}${graph}`)).status, 200)
  t.ok(given - before < 41, `${given - before} of 41 were given to a thread`)
  const last = Array.from(
    { length: 6 },
    async () => (await fetch(`${baseUrl}${graph}`)).json() as Promise<{ nodes: unknown[] }>,
  )
  await coming(6)
  await house.close()
  for (const { nodes } of await Promise.all(last)) t.ok(nodes.length > 0)
})
