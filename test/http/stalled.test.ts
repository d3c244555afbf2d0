/**
 * Clients that start a request and never finish it do not hold a connection for ever; those that only wait are left
 * alone.
 */
import tap, { test } from "tap"
import { listen, patience, serveOn } from "../../src/http/server.ts"
import { ask } from "../support/ask.ts"
import { appOf, openLedger } from "../support/lab.ts"
import { dial, head } from "../support/socket.ts"

/** The service's own HTTP server with shorter timeouts, so that the test is short. */
const lab = await openLedger(tap)
const { server, port } = await listen("127.0.0.1", 0, {
  headersTimeout: 300,
  requestTimeout: 700,
  connectionsCheckingInterval: 50,
})
const baseUrl = `http://127.0.0.1:${port}`
const stop = serveOn(server, appOf(lab.instance, baseUrl), baseUrl)
tap.teardown(stop)
const { token } = await lab.agent("grace")
const path = `/api/agent/threads/${lab.threadId}/messages`
const headers = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`, "Content-Type: application/json"]
const closing = async (send: readonly string[]): Promise<{ received: string; after: number }> => {
  const start = performance.now()
  const line = await dial(baseUrl)
  for (const text of send) await line.send(text)
  const received = await line.closed()
  return { received, after: performance.now() - start }
}

test("timeouts are bounded: a quarter of a minute for headers, a minute for a request", (t) => {
  t.ok(
    patience.headersTimeout <= 15_000 &&
      patience.requestTimeout <= 60_000 &&
      patience.connectionsCheckingInterval <= 5_000,
  )
  t.end()
})

test("headers that do not end", async (t) => {
  for (const send of [[], ["GET / HT"], [`GET /api/health/live HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Slow: `]]) {
    const { received, after } = await closing(send)
    t.ok(after < 5_000, `closed after ${Math.round(after)} ms`)
    t.match(received, /^HTTP\/1\.1 408 /)
  }
})

test("a body that does not end, announced or in chunks", async (t) => {
  const before = lab.db.prepare("SELECT count(*) AS entries FROM timeline_entries").get()
  for (const send of [
    [head("POST", path, ...headers, "Content-Length: 100"), '{"schemaVersion":3'],
    [head("POST", path, ...headers, "Transfer-Encoding: chunked"), '5\r\n{"sch\r\n'],
  ]) {
    const { received, after } = await closing(send)
    t.ok(after < 5_000, `closed after ${Math.round(after)} ms`)
    t.notMatch(received, /HTTP\/1\.1 200/)
  }
  t.strictSame(lab.db.prepare("SELECT count(*) AS entries FROM timeline_entries").get(), before)
})

test("a reader who waits for the feed has sent a whole request, and may wait longer than that", async (t) => {
  const { activityWatermark } = (await ask(`${baseUrl}/api/research/rooms/${lab.roomId}`)).body
  const start = performance.now()
  const response = await fetch(`${baseUrl}/api/research/rooms/${lab.roomId}/activity?after=${activityWatermark}&wait=1`)
  t.equal(response.status, 200)
  t.ok(performance.now() - start > 950)
})
