/** Rate limits over HTTP: the limits are small, and a trusted proxy supplies the addresses. */
import { ResearchRoomClient } from "research-room/client"
import { test } from "tap"
import { schemaVersions } from "../../src/contract/service.ts"
import type { RateNumbers } from "../../src/edge/limits/rate-limits.ts"
import { mintToken } from "../../src/people/tokens.ts"
import { type Asked, ask } from "../support/ask.ts"
import { held } from "../support/contract.ts"
import { message } from "../support/bodies.ts"
import { answersIn, dial, head } from "../support/socket.ts"
import { passwordOf } from "../support/service.ts"
import { plenty, startWatched, type Watched } from "./service.ts"

/** Tokens per minute: none is refilled while a test runs, however slow the machine is. */
const HARDLY_EVER = 0.01

/** A service with a Room credential and a key of ada's. */
async function serviceWith(numbers: Partial<RateNumbers>) {
  const service = await startWatched({ rateLimits: { ...plenty, ...numbers }, trustProxy: "on" })
  await service.instance.accounts.add("ada", passwordOf("ada"))
  const headers = { origin: service.baseUrl }
  const signedIn = await ask(`${service.baseUrl}/api/session`, {
    body: { username: "ada", password: passwordOf("ada") },
    headers,
  })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const send = (path: string, body: object) =>
    ask(`${service.baseUrl}${path}`, {
      body: { schemaVersion: 3, requestId: crypto.randomUUID(), ...body },
      headers: { ...headers, cookie },
    })
  const { roomId, openingThreadId: threadId } = (await send("/api/rooms", { title: "Limits" })).body
    .result as unknown as Record<string, string>
  const { token } = (await send(`/api/rooms/${roomId}/credentials`, { label: "agent", permissions: ["post_thread"] }))
    .body.result as unknown as { token: string }
  return { service, cookie, roomId, threadId, token }
}

/** Sends requests from an address until one is refused. @returns how many passed, and the refusal */
async function untilRefused(service: Watched, path: string, asked: () => Asked, from = "203.0.113.7") {
  for (let through = 0; through < 50; through += 1) {
    const given = asked()
    const answer = await ask(`${service.baseUrl}${path}`, {
      ...given,
      headers: { ...given.headers, "x-forwarded-for": from },
    })
    if (answer.status === 429) return { through, answer }
  }
  throw new Error("nobody was refused")
}

test("an address over its limit gets the envelope of the path's family, with Retry-After", async (t) => {
  const { service } = await serviceWith({ addressRequests: { perMinute: HARDLY_EVER, atOnce: 4 } })
  t.teardown(() => service.close())
  const { through, answer } = await untilRefused(service, "/api/research/rooms", () => ({}))
  t.equal(through, 4)
  t.match(answer.body, {
    refusal: "too_many_requests",
    retryable: true,
    committed: false,
    schemaVersion: schemaVersions.research,
  })
  t.ok(Number(answer.headers.get("retry-after")) > 50)
  const library = await ask(`${service.baseUrl}/api/agent/library/identity`, {
    headers: { "x-forwarded-for": "10.0.0.1, 203.0.113.7" },
  })
  t.match(library.body, { refusal: "too_many_requests", schemaVersion: schemaVersions.library })
  t.equal(
    (await ask(`${service.baseUrl}/api/research/rooms`, { headers: { "x-forwarded-for": "203.0.113.8" } })).status,
    200,
  )
  t.equal(
    (await ask(`${service.baseUrl}/api/research/rooms`)).status,
    200,
    "the machine itself is not counted by address",
  )
  const { status } = await ask(`${service.baseUrl}/api/research/rooms`, {
    headers: { "x-forwarded-for": "203.0.113.8, 203.0.113.7" },
  })
  t.equal(status, 429, "an address that a client puts before the proxy's own changes nothing")
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text()
  t.match(text, /research_room_rate_limited_total\{limit="addressRequests"\} 3\n/)
})

test(
  "too many writes of a credential are refused before their bodies are " + "read, and its reads still work",
  async (t) => {
    const { service, token, threadId } = await serviceWith({ callerWrites: { perMinute: HARDLY_EVER, atOnce: 3 } })
    t.teardown(() => service.close())
    const path = `/api/agent/threads/${threadId}/messages`
    const { through, answer } = await untilRefused(service, path, () => ({ token, body: message() }))
    t.strictSame([through, answer.body.committed], [3, false])
    const line = await dial(service.baseUrl)
    await line.send(
      head(
        "POST",
        path,
        `Host: ${new URL(service.baseUrl).host}`,
        `Authorization: Bearer ${token}`,
        "Content-Type: application/json",
        "Content-Length: 1000",
      ),
    )
    await line.until(/"refusal":"too_many_requests"/)
    t.equal(answersIn(line.received)[0]?.status, 429, "no byte of the body was sent")
    line.hangUp()
    t.equal((await ask(`${service.baseUrl}/api/agent/research/identity`, { token })).status, 200)
  },
)

test("a person is limited like a credential, on pages and routes together", async (t) => {
  const { service, cookie } = await serviceWith({ callerReads: { perMinute: HARDLY_EVER, atOnce: 6 } })
  t.teardown(() => service.close())
  let through = 0
  while (through < 50) {
    const path = through % 2 ? "/account" : "/api/library/collections"
    const { status } = await fetch(`${service.baseUrl}${path}`, { headers: { cookie } })
    if (status === 429) break
    t.equal(status, 200, path)
    through += 1
  }
  t.equal(through, 6)
  t.equal((await fetch(`${service.baseUrl}/`)).status, 200, "signed out they can still read")
})

test("tokens cannot be guessed quickly, and a right one gets the same answer as a wrong one", async (t) => {
  const { service, token } = await serviceWith({ refusedCredentials: { perMinute: HARDLY_EVER, atOnce: 5 } })
  t.teardown(() => service.close())
  const path = "/api/agent/research/identity"
  let tries = 0
  const guess = () => ({ token: mintToken("credential", (count) => Buffer.alloc(count, (tries += 1))) })
  const { through, answer } = await untilRefused(service, path, guess)
  t.equal(through, 5)
  const right = await ask(`${service.baseUrl}${path}`, { token, headers: { "x-forwarded-for": "203.0.113.7" } })
  t.strictSame([right.status, right.body.error], [429, answer.body.error], "the right one, which was never used")
  t.equal(
    (await ask(`${service.baseUrl}${path}`, { token, headers: { "x-forwarded-for": "203.0.113.8" } })).status,
    200,
    "from another address it works",
  )
  t.equal(
    (await ask(`${service.baseUrl}${path}`, { token, headers: { "x-forwarded-for": "203.0.113.7" } })).status,
    200,
    "and from then on it is known",
  )
  t.equal(
    (await ask(`${service.baseUrl}/api/research/rooms`, { headers: { "x-forwarded-for": "203.0.113.7" } })).status,
    200,
    "public reads need none",
  )
  const cookies = await untilRefused(
    service,
    "/api/library/collections",
    () => ({ headers: { cookie: `research_room_session=${mintToken("session", (count) => Buffer.alloc(count, 9))}` } }),
    "203.0.113.9",
  )
  t.equal(cookies.through, 5, "made-up sessions are counted too")
})

test("nor can set-up links be guessed", async (t) => {
  const service = await startWatched({
    rateLimits: { ...plenty, refusedCredentials: { perMinute: HARDLY_EVER, atOnce: 5 } },
    trustProxy: "on",
  })
  t.teardown(() => service.close())
  const body = { token: "rru_made-up", username: "eve", password: passwordOf("eve") }
  const { through } = await untilRefused(service, "/api/setup", () => ({ body, headers: { origin: service.baseUrl } }))
  t.equal(through, 5)
  for (const from of ["203.0.113.7", "203.0.113.8"]) {
    const byForm: number[] = []
    for (let tries = 0; tries < 7; tries += 1) {
      const headers = { origin: service.baseUrl, "x-forwarded-for": from }
      byForm.push(
        (await fetch(`${service.baseUrl}/web/setup`, { method: "POST", headers, body: new URLSearchParams(body) }))
          .status,
      )
    }
    const let5through = from === "203.0.113.7" ? 0 : 5
    t.strictSame(
      byForm,
      [...Array(let5through).fill(401), ...Array(7 - let5through).fill(429)],
      `the form shares the count, from ${from}`,
    )
  }
})

test("the typed client waits as long as it is told before it sends the request again", async (t) => {
  const { service } = await serviceWith({ addressRequests: { perMinute: 1, atOnce: 1 } })
  t.teardown(() => service.close())
  const waits: number[] = []
  let address = "203.0.113.7"
  const client = new ResearchRoomClient({
    baseUrl: service.baseUrl,
    fetch: (url, init) =>
      held(url, { ...init, headers: { ...(init.headers as Record<string, string>), "x-forwarded-for": address } }),
    // No time passes: the wait is recorded, and the next attempt comes from an unused address.
    sleep: async (seconds) => {
      waits.push(seconds)
      address = `203.0.113.${10 + waits.length}`
    },
  })
  const first = await client.read("rooms", {})
  const second = await client.read("rooms", {})
  t.match(second, { items: (first as { items: unknown }).items as never })
  t.ok(
    waits.length === 1 && (waits[0] ?? 0) > 0 && (waits[0] ?? 0) <= 60,
    `waited ${waits.join(", ")} s, as it was told`,
  )
})
