/**
 * A request that Node cannot parse is also answered with the envelope, in the family of its path, and the connection
 * ends.
 */
import tap, { type Test, test } from "tap"
import * as v from "valibot"
import { refusal } from "../../src/contract/answers/receipts.ts"
import { type RefusalCode, refusals } from "../../src/contract/refusals.ts"
import { schemaVersions } from "../../src/contract/service.ts"
import { commonHeaders } from "../../src/edge/answers/answer.ts"
import { answersIn, dial, head } from "../support/socket.ts"
import { message } from "../support/bodies.ts"
import { startResearchRoom } from "research-room/testing"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { host } = new URL(house.baseUrl)
const token = house.credentials.member_all.token
const { openingThreadId: threadId } = house.rooms.empty
const messages = `/api/agent/threads/${threadId}/messages`
const asAgent = [`Host: ${host}`, `Authorization: Bearer ${token}`, "Content-Type: application/json"]

type Told = ReturnType<typeof answersIn>[number]

/** Sends some bytes and returns what is received until the other side closes. */
async function sent(...parts: readonly (string | Uint8Array)[]): Promise<Told[]> {
  const line = await dial(house.baseUrl)
  for (const part of parts) await line.send(part)
  return answersIn(await line.closed())
}

const headerOf = ({ head: text }: Told, name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(text)?.[1]

/** Checks an answer against what every refusal has. */
function holds(
  t: Test,
  what: string,
  answer: Told | undefined,
  status: number,
  code: RefusalCode,
  family: "research" | "library" = "research",
) {
  if (answer === undefined) return t.fail(`${what}: no answer`)
  t.equal(answer.status, status, what)
  const body = v.parse(refusal, JSON.parse(answer.body))
  t.match(body, { refusal: code, committed: false, schemaVersion: schemaVersions[family] }, what)
  t.ok(
    (refusals[code].status as readonly number[]).includes(status),
    `${what}: the registry has ${code} with ${status}`,
  )
  for (const [name, value] of Object.entries(commonHeaders)) t.equal(headerOf(answer, name), value, `${what}: ${name}`)
  t.equal(headerOf(answer, "content-type"), "application/json; charset=utf-8", what)
  t.match(headerOf(answer, "x-request-id"), /^[A-Za-z0-9._-]{1,64}$/, what)
}

test("bytes that are not a request, and requests that contradict themselves", async (t) => {
  const broken: Record<string, string | Uint8Array> = {
    "no HTTP": "hello, is anybody there?\r\n\r\n",
    "TLS on a plain port": Uint8Array.of(0x16, 3, 1, 0, 0xf4, 1, 0, 0, 0xf0, 3, 3),
    "a method that is none": head("G3T", "/api/manifest", `Host: ${host}`),
    "another protocol": `GET / HTTP/9.9\r\nHost: ${host}\r\n\r\n`,
    "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a header without a colon": head("GET", "/api/manifest", `Host: ${host}`, "nonsense"),
    "a header name with a space": head("GET", "/api/manifest", `Host: ${host}`, "X Y: z"),
    "a null in a header": head("GET", "/api/manifest", `Host: ${host}`, "X: a\0b"),
    "a folded header": head("GET", "/api/manifest", `Host: ${host}`, "X: a", " b"),
    "two lengths": head("POST", messages, ...asAgent, "Content-Length: 2", "Content-Length: 3"),
    "a length that is none": head("POST", messages, ...asAgent, "Content-Length: two"),
    "a negative length": head("POST", messages, ...asAgent, "Content-Length: -1"),
    "a length and chunks": head("POST", messages, ...asAgent, "Content-Length: 2", "Transfer-Encoding: chunked"),
    "chunks, and then something else": head("POST", messages, ...asAgent, "Transfer-Encoding: chunked, identity"),
    "an encoding that does not tell the end": head("POST", messages, ...asAgent, "Transfer-Encoding: gzip"),
    "a chunk of no size": `${head("POST", messages, ...asAgent, "Transfer-Encoding: chunked")}zz\r\n{}\r\n0\r\n\r\n`,
    "no Host": "GET /api/manifest HTTP/1.1\r\n\r\n",
    "an address that is none": head("GET", "api/manifest", `Host: ${host}`),
    "an address of another kind": head("GET", "ftp://127.0.0.1/api/manifest", `Host: ${host}`),
    "an address with a user in it": head("GET", `http://ada:secret@${host}/api/manifest`, `Host: ${host}`),
  }
  for (const [what, bytes] of Object.entries(broken)) {
    const answers = await sent(bytes)
    t.equal(answers.length, 1, `${what}: one answer`)
    holds(t, what, answers[0], 400, "malformed_request")
  }
})

test("the family is that of the path, if the path was received", async (t) => {
  const broken = "X Y: z"
  for (const path of ["/api/agent/library/identity", "/api/library/collections", `http://${host}/api/library`])
    holds(t, path, (await sent(head("GET", path, `Host: ${host}`, broken)))[0], 400, "malformed_request", "library")
  holds(
    t,
    "elsewhere",
    (await sent(head("GET", "/api/libraryish", `Host: ${host}`, broken)))[0],
    400,
    "malformed_request",
  )
})

test("endless addresses and headers are 431, also on a connection that was answered before", async (t) => {
  const long = "x".repeat(20_000)
  for (const [what, request] of Object.entries({
    "a long address": head("GET", `/api/research/search?query=${long}`, `Host: ${host}`),
    "a long header": head("GET", "/api/manifest", `Host: ${host}`, `X-Long: ${long}`),
    "many headers": head(
      "GET",
      "/api/manifest",
      `Host: ${host}`,
      ...Array.from({ length: 5_000 }, (_, n) => `X-${n}: y`),
    ),
    "a long cookie": head("GET", "/api/session", `Host: ${host}`, `Cookie: research_room_session=${long}`),
  }))
    holds(t, what, (await sent(request))[0], 431, "malformed_request")
  const line = await dial(house.baseUrl)
  await line.send(head("GET", "/api/health/live", `Host: ${host}`))
  await line.until(/"status":"live"/)
  await line.send(head("GET", "/api/manifest", `Host: ${host}`, `X-Long: ${long}`))
  const [first, second] = answersIn(await line.closed())
  t.equal(first?.status, 200)
  holds(t, "the second request", second, 431, "malformed_request")
})

test("no header is dropped because there are many: the last of thousands counts", async (t) => {
  const many = Array.from({ length: 2_100 }, (_, n) => `${n.toString(36)}: `)
  const [answer] = await sent(
    head("GET", "/api/agent/research/identity", ...asAgent, ...many, "Origin: null", "Connection: close"),
  )
  holds(t, "an Origin behind 2,100 headers", answer, 403, "browser_origin")
})

test("garbage after a write is not taken for the write's answer", async (t) => {
  const body = JSON.stringify(message())
  const line = await dial(house.baseUrl)
  await line.send(
    `${head("POST", messages, ...asAgent, `Content-Length: ${Buffer.byteLength(body)}`)}${body}rubbish\r\n\r\n`,
  )
  const answers = answersIn(await line.closed())
  t.equal(answers.length, 1)
  t.equal(answers[0]?.status, 200, "the write is answered with its receipt, and the connection ends")
  t.match(JSON.parse(answers[0]?.body ?? "{}"), { operation: "post_message" })
})

test("an expectation that cannot be met is 417", async (t) => {
  const [answer] = await sent(head("POST", messages, ...asAgent, "Expect: the-unexpected", "Content-Length: 2"))
  holds(t, "417", answer, 417, "malformed_request")
})

test("a body that the client holds back is asked for only when it is needed", async (t) => {
  const body = JSON.stringify(message())
  const held = [`Content-Length: ${Buffer.byteLength(body)}`, "Expect: 100-continue"]
  const line = await dial(house.baseUrl)
  await line.send(head("POST", messages, ...asAgent, ...held))
  await line.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
  await line.send(body)
  await line.until(/"operation":"post_message"/)
  line.hangUp()
  const last = await dial(house.baseUrl)
  await last.send(head("POST", messages, ...asAgent, ...held, "Connection: close"))
  await last.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
  await last.send(body)
  t.match(
    await last.closed(),
    /\r\nConnection: close\r\n/i,
    "a client that ends the connection is told that it ends, and it does",
  )
  const [refused] = await sent(head("POST", messages, `Host: ${host}`, "Content-Type: application/json", ...held))
  holds(t, "nobody's body", refused, 401, "not_authenticated")
  const [tooLarge] = await sent(head("POST", messages, ...asAgent, "Content-Length: 9999999", "Expect: 100-continue"))
  holds(t, "a body too large", tooLarge, 413, "request_too_large")
})

test("no tunnel, no other protocol", async (t) => {
  holds(t, "CONNECT", (await sent(head("CONNECT", "example.org:443", `Host: ${host}`)))[0], 405, "method_not_allowed")
  holds(
    t,
    "OPTIONS *",
    (await sent(head("OPTIONS", "*", `Host: ${host}`, "Connection: close")))[0],
    405,
    "method_not_allowed",
  )
  for (const protocol of ["websocket", "h2c"]) {
    const [answer] = await sent(
      head("GET", "/api/health/live", `Host: ${host}`, "Connection: Upgrade, close", `Upgrade: ${protocol}`),
    )
    t.equal(answer?.status, 200, `${protocol}: the offer is ignored`)
  }
})

test("an absolute URL is read as its path, if it is this service's", async (t) => {
  const own = await sent(head("GET", `http://${host}/api/research/rooms?limit=1`, `Host: ${host}`, "Connection: close"))
  t.equal(own[0]?.status, 200)
  t.match(JSON.parse(own[0]?.body ?? "{}"), { links: { self: "/api/research/rooms?limit=1" } })
  const foreign = await sent(
    head("GET", "http://evil.example/api/research/rooms", `Host: ${host}`, "Connection: close"),
  )
  holds(t, "a foreign one", foreign[0], 421, "wrong_host")
})

test("HTTP/1.0 is answered, and told to send a Host", async (t) => {
  const [named] = await sent(`GET /api/health/live HTTP/1.0\r\nHost: ${host}\r\n\r\n`)
  t.equal(named?.status, 200)
  holds(t, "without Host", (await sent("GET /api/health/live HTTP/1.0\r\n\r\n"))[0], 421, "wrong_host")
})

test("an answer has the reason phrase of its status", async (t) => {
  const closing = [`Host: ${host}`, "Connection: close"]
  for (const [path, first] of [
    ["/api/health/live", "HTTP/1.1 200 OK"],
    ["/", "HTTP/1.1 200 OK"],
    ["/account", "HTTP/1.1 303 See Other"],
    ["/api/nowhere", "HTTP/1.1 404 Not Found"],
  ] as const)
    t.equal((await sent(head("GET", path, ...closing)))[0]?.head.split("\r\n")[0], first, path)
})

test("after all of that the service still works", async (t) => {
  const live = await fetch(`${house.baseUrl}/api/health/live`)
  t.equal(live.status, 200)
})
