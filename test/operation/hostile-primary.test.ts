/**
 * `serve --follow --forward` before a hostile service: whatever that service answers, the copy passes on only answers
 * that a research-room gives, sends credentials nowhere else, and continues to answer from its own data.
 */
import { rmSync } from "node:fs"
import { request } from "node:http"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { startCopy } from "../../src/app/replication/follower.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { openLog } from "../../src/log.ts"
import { startFollower } from "../support/follower.ts"
import { temporaryFolder } from "../support/service.ts"

const [data, follow] = [temporaryFolder(), temporaryFolder()]
const { rooms, credentials, close } = await startResearchRoom({ data })
await close()
const follower = await startFollower(join(data, "research-room.db"), join(follow, "research-room.db"))

/** The requests that the hostile service received, and its next answer: complete, or written by a function. */
let sent = ""
let next: string | ((socket: Socket) => void) = ""
const listening = async (answer: (socket: Socket, received: string) => void) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let received = ""
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1")
      if (received.includes("\r\n\r\n")) answer(socket, received)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  tap.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const primary = await listening((socket, received) => {
  sent = received
  if (typeof next === "function") next(socket)
  else socket.end(next)
})
let reached = 0
const elsewhere = await listening((socket) => {
  reached += 1
  socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
})
const settings = { host: "127.0.0.1", port: 0, log: openLog("silent"), follow, forward: true }
const copy = await startCopy({ ...settings, primary })
tap.teardown(async () => {
  await copy.close()
  await follower.close()
  for (const folder of [data, follow]) rmSync(folder, { recursive: true, force: true })
})

const { token } = credentials.member_all
const identity = "/api/agent/research/identity"
const bearing = { authorization: `Bearer ${token}` }
const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${copy.baseUrl}${path}`, {
    redirect: "manual",
    headers: bearing,
    signal: AbortSignal.timeout(10_000),
    ...init,
  })
const answers = (head: readonly string[], body: string) =>
  [...head, `content-length: ${Buffer.byteLength(body)}`, "connection: close", "", body].join("\r\n")
const json = "content-type: application/json; charset=utf-8"
const isNotPassed = { status: 503, text: /gave an answer that no research-room gives|does not answer/ }
const told = async (response: Response) => ({
  status: response.status,
  headers: response.headers,
  text: await response.text(),
})

test("a redirect is neither followed nor passed on to a sender of a credential or a body", async (t) => {
  for (const status of [301, 302, 303, 305, 307, 308, 399]) {
    next = answers([`HTTP/1.1 ${status} Gone`, `location: ${elsewhere}/steal`, json], "{}")
    t.match(await told(await ask(identity)), isNotPassed, `${status} to an agent`)
    if (status === 303) continue
    const body = JSON.stringify({ username: "ada", password: "correct horse" })
    const headers = { "content-type": "application/json", origin: copy.baseUrl }
    t.match(
      await told(await ask("/sign-in", { headers: { cookie: "research_room_session=abc" } })),
      isNotPassed,
      `${status} to a page`,
    )
    t.match(
      await told(await ask("/api/session", { method: "POST", body, headers })),
      isNotPassed,
      `${status} to a sign-in`,
    )
  }
  t.equal(reached, 0, "no redirect was followed")
  t.match(sent, /^POST \/api\/session HTTP\/1\.1\r\n/)
})

test("a page's redirect is passed on only where it leads to the original", async (t) => {
  const page = { headers: { cookie: "research_room_session=abc" } }
  for (const location of ["/rooms/1", `${primary}/rooms/1`]) {
    next = answers(["HTTP/1.1 303 See Other", `location: ${location}`], "")
    t.match(await told(await ask("/sign-in", page)), { status: 303 }, location)
  }
  for (const location of [`${elsewhere}/steal`, "//evil.example/", "/\\evil.example/", "javascript:alert(1)"]) {
    next = answers(["HTTP/1.1 303 See Other", `location: ${location}`], "")
    t.match(await told(await ask("/sign-in", page)), isNotPassed, location)
  }
})

test("every kind of answer that a read has is passed on", async (t) => {
  const types = reads.flatMap(({ mediaType, formats }) => [
    mediaType,
    ...Object.values(formats).map((each) => each.mediaType),
  ])
  for (const type of new Set([...types, "image/png", "image/webp", "application/vnd.sqlite3", "text/event-stream"])) {
    next = answers(["HTTP/1.1 200 OK", `content-type: ${type}`], "{}")
    t.match(await told(await ask(identity)), { status: 200, text: "{}" }, type)
  }
})

test("neither bodies that do not come nor agents that wait take the places of others", async (t) => {
  const { host, port } = { host: "127.0.0.1", port: copy.port }
  const sockets = Array.from({ length: 70 }, () =>
    connect({ host, port }).once("connect", function (this: Socket) {
      this.write(`POST ${identity} HTTP/1.1\r\nhost: ${host}:${port}\r\ncontent-length: 100\r\n\r\n{`)
    }),
  )
  t.teardown(() => sockets.forEach((socket) => socket.destroy()))
  next = (socket) => void (sent.includes("wait=") || socket.end(answers(["HTTP/1.1 200 OK", json], "{}")))
  const stopping = new AbortController()
  t.teardown(() => stopping.abort())
  const inbox = "/api/agent/research/inbox?wait=20"
  const waiting = Array.from({ length: 80 }, () =>
    fetch(`${copy.baseUrl}${inbox}`, { headers: bearing, signal: stopping.signal }).catch(() => undefined),
  )
  await new Promise((resolve) => setTimeout(resolve, 500))
  t.match(await told(await ask(identity)), { status: 200 }, "another request has a place")
  stopping.abort()
  await Promise.all(waiting)

  next = (socket) => void (sent.includes("slow") || socket.end(answers(["HTTP/1.1 200 OK", json], "{}")))
  const busy = new AbortController()
  t.teardown(() => busy.abort())
  let refused = 0
  const taken = Array.from({ length: 70 }, () =>
    fetch(`${copy.baseUrl}${identity}`, { headers: { authorization: "Bearer slow" }, signal: busy.signal }).then(
      ({ status }) => {
        refused += 1
        return status
      },
      () => 0,
    ),
  )
  for (const until = Date.now() + 30_000; refused < 70 - 16 && Date.now() < until; )
    await new Promise((resolve) => setTimeout(resolve, 50))
  t.match(await told(await ask(identity)), { status: 200 }, "one caller takes only its share")
  busy.abort()
  t.equal((await Promise.all(taken)).filter((status) => status === 503).length, 70 - 16)
})

test("its headers are the copy's, whatever the primary sets", async (t) => {
  next = answers(
    [
      "HTTP/1.1 200 OK",
      json,
      `set-cookie: research_room_session=wide;${" ".repeat(10)}Domain=example.org`,
      "set-cookie: research_room_session=good; Path=/; HttpOnly",
      "set-cookie: other=1",
      "set-cookie: research_room_session=wide; Domain=example.org",
      `set-cookie: research_room_session=wide;${" ".repeat(10)}Domain =example.org`,
      "access-control-allow-origin: http://evil.example",
      "access-control-allow-credentials: true",
      "content-security-policy: default-src *",
      "x-content-type-options: none",
      "strict-transport-security: max-age=31536000",
      "clear-site-data: *",
      "refresh: 0;url=http://evil.example",
      "service-worker-allowed: /",
      "link: </rooms>; rel=next",
      "connection: x-secret",
      "x-secret: 1",
      "keep-alive: timeout=900",
    ],
    '{"a":1}',
  )
  const { status, headers, text } = await told(await ask(identity))
  t.match([status, text], [200, '{"a":1}'])
  t.strictSame(headers.getSetCookie(), ["research_room_session=good; Path=/; HttpOnly"])
  t.match(headers.get("content-security-policy"), /^default-src 'none'; script-src 'self'/)
  t.equal(headers.get("x-content-type-options"), "nosniff")
  t.equal(headers.get("link"), "</rooms>; rel=next", "the headers that a service does send are passed on")
  for (const name of [
    "access-control-allow-origin",
    "access-control-allow-credentials",
    "strict-transport-security",
    "clear-site-data",
  ])
    t.notOk(headers.has(name), name)
  for (const name of ["refresh", "service-worker-allowed", "x-secret"]) t.notOk(headers.has(name), name)
})

test("nothing that a browser would run as a script is passed through", async (t) => {
  for (const type of [
    "text/javascript",
    "application/javascript",
    "module",
    "application/wasm",
    "image/svg+xml",
    "text/css",
    "text/html-x",
  ]) {
    next = answers(["HTTP/1.1 200 OK", `content-type: ${type}`], "alert(document.cookie)")
    t.match(await told(await ask("/account")), isNotPassed, type)
  }
  next = answers(["HTTP/1.1 200 OK", json, "content-encoding: br"], "not brotli")
  t.match(await told(await ask(identity)), isNotPassed, "an encoding that was not requested")
})

test("hop-by-hop headers are not forwarded, and the credential goes to the primary alone", async (t) => {
  next = answers(["HTTP/1.1 200 OK", json], "{}")
  const headers = {
    ...bearing,
    connection: "keep-alive, x-internal",
    "x-internal": "1",
    forwarded: "for=1.2.3.4",
    "x-forwarded-for": "9.9.9.9",
  }
  await new Promise<void>((resolve, reject) =>
    request(`${copy.baseUrl}${identity}`, { headers }, (answer) => answer.resume().once("end", resolve))
      .once("error", reject)
      .end(),
  )
  t.match(sent, new RegExp(`authorization: Bearer ${token}`, "i"))
  t.match(sent, /x-forwarded-for: 127\.0\.0\.1\r\n/)
  for (const other of [/x-internal/i, /^forwarded/im, /9\.9\.9\.9/]) t.notMatch(sent, other)
  t.equal(reached, 0)
})

test("rubbish, floods and truncated answers become refusals or failures, never whole answers", async (t) => {
  const rubbish: Record<string, string> = {
    nothing: "",
    "no HTTP": "SSH-2.0-OpenSSH\r\n\r\n",
    "an upgrade": "HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    "a status of its own": answers(["HTTP/1.1 600 Odd", json], "{}"),
    "two lengths": "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}x",
    "both framings": "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "a line end in a header": "HTTP/1.1 200 OK\r\nx: a\rset-cookie: b\r\n\r\n",
  }
  for (const [name, text] of Object.entries(rubbish)) {
    next = text
    t.match(await told(await ask(identity)), isNotPassed, name)
  }
  const broken: Record<string, string> = {
    "cut short": `HTTP/1.1 200 OK\r\n${json}\r\ncontent-length: 100\r\n\r\n{"a":`,
    "bad chunks": `HTTP/1.1 200 OK\r\n${json}\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\nzz\r\n`,
  }
  for (const [name, text] of Object.entries(broken)) {
    next = text
    await t.rejects(
      ask(identity).then((response) => response.text()),
      name,
    )
  }
})

test("a flood of headers or of body uses no memory, and the copy keeps serving", async (t) => {
  let flooded = 0
  const flood = (start: string, piece: Buffer) => (socket: Socket) => {
    socket.write(start)
    const more = () => {
      while (!socket.destroyed && flooded < 100e6) {
        flooded += piece.length
        if (!socket.write(piece)) return socket.once("drain", more)
      }
      return socket
    }
    more()
  }
  next = flood("HTTP/1.1 200 OK\r\nx: ", Buffer.alloc(65_536, "a"))
  t.match(await told(await ask(identity)), isNotPassed, "headers without an end")
  t.ok(flooded < 20e6, `${flooded} bytes of headers`)
  flooded = 0
  const before = process.memoryUsage().rss
  next = flood(`HTTP/1.1 200 OK\r\n${json}\r\n\r\n`, Buffer.alloc(65_536, "1"))
  const endless = await ask(identity)
  const reader = endless.body?.getReader()
  await reader?.read()
  // The client has stopped reading, so nothing more may be read from the primary.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const taken = flooded
  t.ok(taken < 50e6, `${taken} bytes of an endless body were read while the client did not read`)
  t.ok(process.memoryUsage().rss - before < 200e6)
  t.equal((await fetch(`${copy.baseUrl}/api/research/rooms/${rooms.main.roomId}/research-context`)).status, 200)
  await reader?.cancel()
})

test("headers that drip in do not hold a request open for ever", async (t) => {
  const slow = await listening((socket) => {
    const drip = setInterval(() => socket.write("x-a: b\r\n"), 50)
    socket.write("HTTP/1.1 200 OK\r\n")
    socket.on("close", () => clearInterval(drip))
  })
  const impatient = await startCopy({ ...settings, primary: slow, headersWithinMs: 300 })
  t.teardown(() => impatient.close())
  t.match(await told(await fetch(`${impatient.baseUrl}${identity}`, { headers: bearing })), isNotPassed)
})
