/**
 * Time limits of reader threads: an answer that takes too long is abandoned with its thread, and a thread that is still
 * starting is not idle.
 */
import { once } from "node:events"
import { setTimeout as turn } from "node:timers/promises"
import type { Worker } from "node:worker_threads"
import { type Test, test } from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { ask } from "../support/ask.ts"
import { message } from "../support/bodies.ts"
import { onTask, preload } from "../support/threads.ts"

preload("./costly-texts.ts")

const workers: Worker[] = []
/** The first event of each thread: `ready`, or its end. */
const first: Promise<unknown>[] = []
process.on("worker", (worker) => {
  workers.push(worker)
  first.push(Promise.race([once(worker, "message").then(() => "ready"), once(worker, "exit").then(() => "ended")]))
})

/** Called just before a task is given to a thread. */
let onGiven = () => {}
let given = 0
onTask(() => {
  onGiven()
  given += 1
})

/** A service with one reader thread. */
async function house(
  t: Test,
  times: { readonly seconds?: number; readonly rendering?: number; readonly idle?: number },
) {
  let log = ""
  const options = {
    host: "127.0.0.1",
    port: 0,
    kept: process.env.TOLD_DEMO,
    threads: 1,
    times,
    log: openLog("info", { to: { write: (text) => void (log += text) } }),
  }
  const demo = await startDemo(options)
  t.teardown(() => demo.close())
  workers.length = first.length = 0
  const { baseUrl, rooms, credentials } = demo
  const graph = `/api/research/rooms/${rooms.main.roomId}/provenance`
  return { baseUrl, rooms, credentials, graph, log: () => log }
}

test("a read that takes too long is refused, and the next one is answered by another thread", async (t) => {
  const { baseUrl, graph, log } = await house(t, { seconds: 2 })
  t.equal((await ask(`${baseUrl}${graph}`)).status, 200)
  onGiven = () => {
    onGiven = () => {}
    // Simulates a thread that is too busy to receive the task.
    if (workers[0] !== undefined) workers[0].postMessage = () => {}
  }
  const began = performance.now()
  const late = await fetch(`${baseUrl}${graph}`, { signal: AbortSignal.timeout(20_000) })
  const took = performance.now() - began
  t.equal(late.status, 503)
  const body = (await late.json()) as { error: string }
  t.match(body, { refusal: "temporarily_unavailable", retryable: true, retryAfter: 5, committed: false })
  t.match(body.error, /Ask again in a moment/)
  t.equal(late.headers.get("access-control-allow-origin"), "*", "like other public reads")
  t.ok(took >= 1_990, `after ${took} ms`)
  t.match(log(), `took more than 2 seconds for ${graph}`)
  t.equal((await ask(`${baseUrl}${graph}`)).status, 200)
  t.equal(workers.length, 2, "by a thread that was started for it")
})

test("so is a page, with a page", async (t) => {
  const { baseUrl, graph, rooms, credentials, log } = await house(t, { seconds: 2 })
  const threadId = rooms.empty.openingThreadId
  const said = { token: credentials.member_all.token, body: message("This takes for ever.") }
  t.equal((await ask(`${baseUrl}/api/agent/threads/${threadId}/messages`, said)).status, 200)
  t.equal((await ask(`${baseUrl}${graph}`)).status, 200)
  const signal = AbortSignal.timeout(20_000)
  const page = await fetch(`${baseUrl}/threads/${threadId}`, { signal })
  t.equal(page.status, 503)
  t.match(page.headers.get("content-type"), "text/html")
  t.match(await page.text(), /failed while it made this page/)
  t.match(log(), `took more than 2 seconds for /threads/${threadId}`)
  t.equal((await ask(`${baseUrl}${graph}`)).status, 200)
  t.equal((await fetch(`${baseUrl}/rooms/${rooms.main.roomId}`, { signal })).status, 200)
  t.equal(workers.length, 2)
})

for (const [what, rendering] of [
  ["takes for ever", 3_000],
  ["takes all memory", 60_000],
] as const)
  test(`a text that ${what} to render ends its thread once, and then shows as written on a page`, async (t) => {
    const { baseUrl, graph, rooms, credentials, log } = await house(t, { rendering })
    const threadId = rooms.empty.openingThreadId
    const post = (text: string) =>
      ask(`${baseUrl}/api/agent/threads/${threadId}/messages`, {
        token: credentials.member_all.token,
        body: message(text),
      })
    for (const text of ["This is *set*.", `This ${what}.`, "And so is **this**."])
      t.equal((await post(text)).status, 200)
    t.equal((await ask(`${baseUrl}${graph}`)).status, 200)
    let isDone = false
    const page = fetch(`${baseUrl}/threads/${threadId}`).finally(() => (isDone = true))
    while (workers.length < 2) await turn(10)
    if (what === "takes for ever") t.notOk(isDone, "another thread takes its place meanwhile")
    t.equal((await fetch(`${baseUrl}/rooms/${rooms.main.roomId}`)).status, 200)
    const text = await (await page).text()
    t.equal((await page).status, 200)
    t.match(text, `This ${what}.`)
    t.match(text, /Shown as written: it takes too long to render/)
    t.match(text, /This is <em>set<\/em>/)
    t.match(text, /so is <strong>this<\/strong>/)
    t.match(log(), "a reader thread ended; another replaces it")
    const started = workers.length
    t.equal((await fetch(`${baseUrl}/threads/${threadId}`)).status, 200)
    t.equal((await fetch(`${baseUrl}/rooms/${rooms.empty.roomId}`)).status, 200)
    t.equal(workers.length, started, "it ends no other thread")
  })

test("a page that the serving thread makes while no reader thread is ready is bounded in the same way", async (t) => {
  const { baseUrl, rooms, credentials } = await house(t, { rendering: 500 })
  const threadId = rooms.empty.openingThreadId
  const said = { token: credentials.member_all.token, body: message("This takes for ever.") }
  t.equal((await ask(`${baseUrl}/api/agent/threads/${threadId}/messages`, said)).status, 200)
  t.equal(workers.length, 0, "no reader thread is ready yet")
  const page = fetch(`${baseUrl}/threads/${threadId}`)
  const before = performance.now()
  t.equal((await ask(`${baseUrl}/api/research/rooms/${rooms.main.roomId}`)).status, 200)
  t.ok(performance.now() - before < 500, "nobody else waits for it")
  t.equal((await page).status, 200)
  t.match(await (await page).text(), /Shown as written: it takes too long to render/)
})

test("a thread that is still starting is not idle, however short its idle time", async (t) => {
  const { baseUrl, graph } = await house(t, { idle: 1 })
  const before = given
  t.equal((await fetch(`${baseUrl}/help`)).status, 200)
  t.equal(given, before, "the serving thread makes a page at once, and another thread begins to start")
  t.equal(workers.length, 1)
  t.equal(await first[0], "ready", "it becomes ready")
  t.equal((await ask(`${baseUrl}${graph}`)).status, 200)
  t.equal(given, before + 1, "and it answers a request that waited for it")
})
