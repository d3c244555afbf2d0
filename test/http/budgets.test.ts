/**
 * Bodies, connections and open feeds are bounded: a caller over the limit is told to come back, and all others carry
 * on.
 */
import tap, { type Test, test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { Budgets, standardBudgets } from "../../src/edge/limits/budgets.ts"
import { ask } from "../support/ask.ts"
import { message } from "../support/bodies.ts"
import { passwordOf } from "../support/service.ts"
import { answersIn, dial, head, type Line } from "../support/socket.ts"
import { startWatched } from "../security/service.ts"

/** Small enough to reach in a test. */
const service = await startWatched({
  budgets: {
    bodies: { total: 3_000_000, each: 2_000_000 },
    strangersBodies: { total: 200_000, each: 200_000 },
    connections: { total: 12, each: 12 },
    feeds: { total: 3, each: 3 },
    reads: { total: 3, each: 3 },
  },
})
tap.teardown(() => service.close())
const { baseUrl } = service
const { host } = new URL(baseUrl)
const own = { origin: baseUrl }
await service.instance.accounts.add("ada", passwordOf("ada"))
const door = { username: "ada", password: passwordOf("ada") }
const cookie =
  (await ask(`${baseUrl}/api/session`, { body: door, headers: own })).headers.getSetCookie()[0]?.split(";")[0] ?? ""
const send = async (path: string, body: object) =>
  (
    await ask(`${baseUrl}${path}`, {
      body: { schemaVersion: 3, requestId: crypto.randomUUID(), ...body },
      headers: { ...own, cookie },
    })
  ).body.result as unknown as Record<string, string>
const { roomId, openingThreadId } = await send("/api/rooms", { title: "Budgets" })
const credential = async (label: string) =>
  (await send(`/api/rooms/${roomId}/credentials`, { label, permissions: ["post_thread"] })).token
const [one, other] = [await credential("one"), await credential("other")]
const messages = `/api/agent/threads/${openingThreadId}/messages`
const reading = () => ask(`${baseUrl}/api/research/rooms/${roomId}`)

const MANY = 990_000
/** Sends the head of a request and part of its body. */
async function half(path: string, bytes: number, headers: readonly string[], length = bytes + 1): Promise<Line> {
  const line = await dial(baseUrl)
  await line.send(
    head("POST", path, `Host: ${host}`, "Content-Type: application/json", ...headers, `Content-Length: ${length}`),
  )
  await line.send(" ".repeat(bytes))
  return line
}
const asAgent = (token: string | undefined) => [`Authorization: Bearer ${token}`]
const atTheDoor = [`Origin: ${baseUrl}`]

/** Checks a refusal of this kind. */
function isTold(t: Test, what: string, answer: { status: number; body: unknown }): void {
  t.equal(answer.status, 503, what)
  t.match(answer.body, { refusal: "temporarily_unavailable", retryable: true, retryAfter: 1, committed: false }, what)
}
const first = ({ received }: Line) => {
  const [answer] = answersIn(received)
  return { status: answer?.status ?? 0, head: answer?.head ?? "", body: JSON.parse(answer?.body || "null") as unknown }
}

test("the budgets are those in the manifest", async (t) => {
  const { body } = await ask(`${baseUrl}/api/manifest`)
  t.match(body.limits, { bodiesBytes: standardBudgets.bodies.total, callerBodiesBytes: standardBudgets.bodies.each })
  t.match(body.limits, {
    connections: standardBudgets.connections.total,
    heldFeeds: standardBudgets.feeds.total,
    heldReads: standardBudgets.reads.total,
  })
  t.ok(
    limits.bodiesBytes + limits.strangersBodiesBytes <= 64 * 2 ** 20,
    "all bodies together take a small part of a machine's memory",
  )
  t.ok(limits.heldFeeds + limits.strangersBodiesBytes / 4096 <= limits.connections + limits.heldFeeds)
})

test(
  "a caller who is not identified may send little: " + "more is refused before it arrives, or as soon as it has",
  async (t) => {
    const announced = await half("/api/session", 0, atTheDoor, limits.strangerBodyBytes + 1)
    await announced.until(/"refusal":"request_too_large"/)
    t.match(first(announced), { status: 413, head: /connection: close/i })
    announced.hangUp()
    const chunked = await dial(baseUrl)
    const size = limits.strangerBodyBytes / 2
    await chunked.send(
      head(
        "POST",
        "/api/session",
        `Host: ${host}`,
        "Content-Type: application/json",
        ...atTheDoor,
        "Transfer-Encoding: chunked",
      ),
    )
    for (let sent = 0; sent < 3; sent += 1) await chunked.send(`${size.toString(16)}\r\n${" ".repeat(size)}\r\n`)
    t.match(await chunked.closed(), /^HTTP\/1\.1 413 /)
    const wrong = await ask(`${baseUrl}/api/session`, {
      raw: JSON.stringify({ ...door, password: "x".repeat(60_000) }),
      headers: own,
    })
    t.equal(wrong.status, 422, "that much is read")
  },
)

test(
  "bodies that never end make way for new ones, the longest stalled " + "first, and signing in still works",
  async (t) => {
    const stalled: Line[] = []
    for (let count = 0; count < 6; count += 1) stalled.push(await half("/api/session", 60_000, atTheDoor))
    await stalled[0]?.until(/"refusal"/)
    isTold(t, "the first of them", first(stalled[0] as Line))
    t.match(
      first(stalled[0] as Line).head,
      /retry-after: 1\r\n[\s\S]*connection: close|connection: close[\s\S]*retry-after: 1/i,
    )
    t.equal(stalled.at(-1)?.received, "", "the last one is still waited for")
    t.equal((await ask(`${baseUrl}/api/session`, { body: door, headers: own })).status, 200)
    t.equal((await reading()).status, 200, "and reads still work")
    t.equal((await ask(`${baseUrl}${messages}`, { token: one, body: message() })).status, 200, "and so do writes")
    for (const line of stalled) line.hangUp()
  },
)

test("a body in many small pieces takes no more than its length", async (t) => {
  const line = await dial(baseUrl)
  await line.send(
    head(
      "POST",
      messages,
      `Host: ${host}`,
      "Content-Type: application/json",
      ...asAgent(one),
      "Transfer-Encoding: chunked",
    ),
  )
  const text = JSON.stringify(message("In pieces."))
  await line.send([...text].map((sign) => `1\r\n${sign}\r\n`).join(""))
  await line.send("0\r\n\r\n")
  t.match(await line.until(/"operation":"post_message"/), /^HTTP\/1\.1 200 OK/)
  line.hangUp()
})

test("one caller's bodies take no more than its share, and another's get through", async (t) => {
  const lines = [
    await half(messages, MANY, asAgent(one)),
    await half(messages, MANY, asAgent(one)),
    await half(messages, MANY, asAgent(one)),
  ]
  await lines[0]?.until(/"refusal"/)
  isTold(t, "the first body of the one", first(lines[0] as Line))
  const whole = JSON.stringify(message("From another."))
  const padded = whole.replace("{", `{${" ".repeat(MANY)}`)
  t.equal(
    (await ask(`${baseUrl}${messages}`, { token: other, raw: padded })).status,
    200,
    "a large body of the other caller",
  )
  t.equal(
    (await ask(`${baseUrl}${messages}`, { token: one, body: message() })).status,
    200,
    "a small one of the same caller",
  )
  for (const line of lines) line.hangUp()
})

test(
  "only so many readers may wait for a feed, one more is refused, " + "and those who do not wait can still read",
  async (t) => {
    const watermark = (await ask(`${baseUrl}/api/research/rooms/${roomId}/activity?after=0`)).body
      .nextCursor as unknown as number
    const held: Line[] = []
    for (let count = 0; count < 4; count += 1) {
      const line = await dial(baseUrl)
      await line.send(head("GET", `/api/research/rooms/${roomId}/activity?after=${watermark}&wait=20`, `Host: ${host}`))
      held.push(line)
    }
    await Promise.race(held.map((line) => line.until(/"issues":/)))
    const told = held.filter(({ received }) => received !== "")
    t.equal(told.length, 1, "one of four is refused, because three may wait")
    isTold(t, "one too many", first(told[0] as Line))
    t.match(told[0]?.received, /^retry-after: 1\r$/im)
    t.equal((await ask(`${baseUrl}/api/research/rooms/${roomId}/activity?after=${watermark}`)).status, 200)
    t.equal((await ask(`${baseUrl}${messages}`, { token: one, body: message("Something lands.") })).status, 200)
    for (const line of held.filter((line) => line !== told[0]))
      t.match(await line.until(/"items":\[\{/), /^HTTP\/1\.1 200 OK/)
    for (const line of held) line.hangUp()
    const again = await ask(`${baseUrl}/api/research/rooms/${roomId}/activity?after=${watermark}&wait=1`)
    t.equal(again.status, 200, "there is room again")
  },
)

test("a listener to events takes such a place too, and frees it", async (t) => {
  const held: Line[] = []
  for (let count = 0; count < 3; count += 1) {
    const line = await dial(baseUrl)
    await line.send(head("GET", `/api/research/rooms/${roomId}/events`, `Host: ${host}`))
    t.match(await line.until(/retry: 2000/), /^HTTP\/1\.1 200 OK/)
    held.push(line)
  }
  isTold(t, "one too many", await ask(`${baseUrl}/api/research/rooms/${roomId}/events`))
  for (const line of held) line.hangUp()
  const waiting = `${baseUrl}/api/research/rooms/${roomId}/activity?after=0&wait=1`
  let { status } = await ask(waiting)
  for (let tries = 0; status !== 200 && tries < 100; tries += 1) ({ status } = await ask(waiting))
  t.equal(status, 200, "there is room again")
})

test("idle connections make way for new ones", async (t) => {
  const idle: Line[] = []
  for (let count = 0; count < 30; count += 1) idle.push(await dial(baseUrl))
  await idle[0]?.closed()
  t.equal((await reading()).status, 200)
  const slow: Line[] = []
  for (let count = 0; count < 30; count += 1) {
    const line = await dial(baseUrl)
    await line.send(`GET / HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `)
    slow.push(line)
  }
  t.equal((await reading()).status, 200, "half a head does not count as a request")
  for (const line of [...idle, ...slow]) line.hangUp()
})

test("if all connections are busy, one more is refused", async (t) => {
  const lines: Line[] = []
  // Each is under way before the next one begins: the service has asked for its body.
  for (let count = 0; count < 14; count += 1) {
    const line = await half(messages, 0, [...asAgent(other), "Expect: 100-continue"], 10)
    lines.push(line)
    await line.until(/^HTTP\/1\.1 (?:100|503) /)
  }
  const told = lines.map(first).filter(({ status }) => status === 503)
  t.ok(told.length >= 2, `${told.length} of 14 refused; 12 may be open`)
  for (const answer of told) isTold(t, "one too many", answer)
  for (const line of lines) line.hangUp()
})

test("what is freed can be taken again", (t) => {
  const budgets = new Budgets({ ...standardBudgets, feeds: { total: 3, each: 2 } })
  const [mine, mine2] = [budgets.holdFeed("a"), budgets.holdFeed("a")]
  t.throws(() => budgets.holdFeed("a"), { code: "temporarily_unavailable" }, "my share")
  const yours = budgets.holdFeed("b")
  t.throws(() => budgets.holdFeed(null), { code: "temporarily_unavailable" }, "the total")
  for (const letGo of [mine, mine2, yours]) letGo()
  t.equal(budgets.feeds.sum, 0)
  const given: string[] = []
  const bodies = new Budgets({ ...standardBudgets, bodies: { total: 30_000, each: 20_000 } }).bodies
  const stalled = bodies.open("a", () => given.push("stalled"))
  bodies.grow(stalled, 15_000)
  const whole = bodies.open("b", () => given.push("whole"))
  bodies.grow(whole, 14_000)
  bodies.whole(whole)
  const next = bodies.open("c", () => given.push("next"))
  t.strictSame(given, ["stalled"], "a complete body is not given up")
  t.throws(() => bodies.grow(next, 20_000), { code: "temporarily_unavailable" })
  bodies.close(whole)
  bodies.grow(next, 20_000)
  bodies.close(next)
  bodies.close(stalled)
  t.equal(bodies.bytes, 0)
  t.end()
})
