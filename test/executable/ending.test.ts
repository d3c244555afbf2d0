/**
 * The end: SIGTERM and Ctrl-C finish what is under way and close the data; every acknowledged write survives any end.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { ask } from "../support/ask.ts"
import { freshId, message } from "../support/bodies.ts"
import { endAll, executable, newPlace, run, type Running, serve } from "../support/program.ts"
import { answersIn, dial, head } from "../support/socket.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
await run(program, ["user", "add", "ada", "--data", "data", "--password", "a long password"], place)

/** Signs in ada and makes a Room with a credential in it. */
async function roomAt(baseUrl: string) {
  const origin = baseUrl
  const signedIn = await ask(`${baseUrl}/api/session`, {
    body: { username: "ada", password: "a long password" },
    headers: { origin },
  })
  const headers = { origin, cookie: signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "" }
  const { body: room } = await ask(`${baseUrl}/api/rooms`, {
    body: { schemaVersion: 3, requestId: freshId(), title: "To the end" },
    headers,
  })
  const { body: issued } = await ask(`${baseUrl}/api/rooms/${room.roomId}/credentials`, {
    body: { schemaVersion: 3, requestId: freshId(), label: "one", permissions: ["post_thread"] },
    headers,
  })
  return { roomId: String(room.roomId), threadId: String(room.threadId), token: String(issued.result?.token) }
}
async function endedWithin(service: Running, seconds: number) {
  const start = performance.now()
  const ended = await service.ended()
  return { ...ended, inTime: performance.now() - start < seconds * 1_000 }
}
const clean = { code: 0, signal: null, inTime: true }

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`${signal} answers a waiting reader, and leaves one whole file`, async (t) => {
    const service = await serve(program, ["--data", "data"], place)
    const { roomId } = await roomAt(service.baseUrl)
    const reader = await dial(service.baseUrl)
    await reader.send(
      head("GET", `/api/research/rooms/${roomId}/activity?after=1&wait=25`, `Host: ${new URL(service.baseUrl).host}`),
    )
    // An idle keep-alive connection must not delay the end either.
    const idle = await dial(service.baseUrl)
    await idle.send(head("GET", "/api/health/live", `Host: ${new URL(service.baseUrl).host}`))
    await idle.until(/"live"/)

    service.signal(signal)
    t.match(await endedWithin(service, 9), clean)
    const [answer] = answersIn(await reader.closed())
    t.equal(answer?.status, 200, "the reader is answered, not cut off")
    t.match(JSON.parse(answer?.body ?? "{}"), { items: [], hasMore: false, nextCursor: 1 })
    t.strictSame(
      readdirSync(join(place.folder, "data")).filter((name) => name.startsWith("research-room.db")),
      ["research-room.db"],
      "the log is worked off",
    )
    t.notOk(existsSync(join(place.folder, "data", "serve.pid")))
  })
}

test("a write under way is accepted and answered; a new one is not", async (t) => {
  const service = await serve(program, ["--data", "data"], place)
  const { threadId, token } = await roomAt(service.baseUrl)
  const { host } = new URL(service.baseUrl)
  const body = JSON.stringify(message("The last words."))
  const writer = await dial(service.baseUrl)
  await writer.send(
    head(
      "POST",
      `/api/agent/threads/${threadId}/messages`,
      `Host: ${host}`,
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
    ),
  )
  await writer.send(body.slice(0, 20))
  // Until the head is read the service does not know about the request.
  await ask(`${service.baseUrl}/api/health/live`)
  service.signal("SIGTERM")
  await new Promise((resolve) => setTimeout(resolve, 100))
  await writer.send(body.slice(20))
  const [answer] = answersIn(await writer.closed())
  t.equal(answer?.status, 200)
  t.match(await endedWithin(service, 9), clean)
  await t.rejects(fetch(`${service.baseUrl}/api/health/live`), "nobody listens any more")

  const again = await serve(program, ["--data", "data"], place)
  const { body: timeline } = await ask(`${again.baseUrl}/api/research/threads/${threadId}/messages`)
  t.strictSame(timeline.items?.[0]?.message?.text, "The last words.")
  again.signal("SIGTERM")
  await again.ended()
})

test("a second signal ends it at once", async (t) => {
  const service = await serve(program, ["--data", "data"], place)
  const stalled = await dial(service.baseUrl)
  await stalled.send(
    `${head(
      "POST",
      "/api/session",
      `Host: ${new URL(service.baseUrl).host}`,
      "Content-Type: application/json",
      `Origin: ${service.baseUrl}`,
      "Content-Length: 100",
    )}{`,
  )
  await ask(`${service.baseUrl}/api/health/live`)
  service.signal("SIGTERM")
  await new Promise((resolve) => setTimeout(resolve, 300))
  service.signal("SIGINT")
  const { code, inTime } = await endedWithin(service, 8)
  t.ok(inTime)
  t.not(code, null, "it ends by itself")
})

test("acknowledged writes survive a kill without warning", async (t) => {
  const service = await serve(program, ["--data", "data"], place)
  const { roomId, threadId, token } = await roomAt(service.baseUrl)
  const answered: string[] = []
  let going = true
  const writers = Array.from({ length: 8 }, async () => {
    while (going) {
      const sent = message()
      const answer = await ask(`${service.baseUrl}/api/agent/threads/${threadId}/messages`, {
        token,
        body: sent,
      }).catch(() => null)
      if (answer?.status === 200) answered.push(String(answer.body.targetId))
      else if (answer === null) return
    }
  })
  while (answered.length < 100) await new Promise((resolve) => setTimeout(resolve, 10))
  service.signal("SIGKILL")
  going = false
  await service.ended()
  await Promise.all(writers)

  t.match(await run(program, ["check", "--data", "data"], place), { code: 0, err: "", out: /all whole/ })
  const again = await serve(program, ["--data", "data"], place)
  const found = new Set<string>()
  for (let after = 0; ; ) {
    const { body } = await ask(`${again.baseUrl}/api/research/threads/${threadId}/messages?after=${after}`)
    for (const item of body.items as unknown as { entryId: string }[]) found.add(item.entryId)
    after = Number(body.nextCursor)
    if (String(body.hasMore) === "false") break
  }
  t.strictSame(
    answered.filter((id) => !found.has(id)),
    [],
    `all ${answered.length} that were acknowledged`,
  )
  t.ok(found.size - answered.length <= 8, "and at most one more from each writer")
  t.ok(Number((await ask(`${again.baseUrl}/api/research/rooms/${roomId}`)).body.activityWatermark) >= answered.length)
  again.signal("SIGTERM")
  await again.ended()
})
