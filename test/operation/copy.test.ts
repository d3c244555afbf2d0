/**
 * `serve --follow`: a read-only copy, from a file that a follower writes in place. Here a stand-in does to the file
 * what Litestream's follower does; `npm run prove -- --only replicated` uses the real one.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { type Copy, startCopy } from "../../src/app/replication/follower.ts"
import { startService } from "../../src/app/service.ts"
import { openLog } from "../../src/log.ts"
import { ask } from "../support/ask.ts"
import { message } from "../support/bodies.ts"
import { startFollower } from "../support/follower.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"
import { temporaryFolder } from "../support/service.ts"

const [data, follow] = [temporaryFolder(), temporaryFolder()]
const [file, copied] = [data, follow].map((folder) => join(folder, "research-room.db")) as [string, string]
const { people, rooms, credentials, close } = await startResearchRoom({ data })
await close()
const { token } = credentials.member_all
const { openingThreadId: threadId, roomId } = rooms.empty
const quiet = { host: "127.0.0.1", port: 0, log: openLog("silent") }
const original = await startService({ ...quiet, data, repositories: { folders: [], github: null } })
const follower = await startFollower(file, copied)
const copy = await startCopy({ ...quiet, follow, primary: original.baseUrl })
tap.teardown(async () => {
  endAll()
  await copy.close()
  await original.close()
  await follower.close()
  for (const folder of [data, follow]) rmSync(folder, { recursive: true, force: true })
})

const post = async (text: string) => {
  const { body } = await ask(`${original.baseUrl}/api/agent/threads/${threadId}/messages`, {
    token,
    body: message(text),
  })
  return Number(body.activity?.sequence)
}
const at = (path: string, { baseUrl }: Pick<Copy, "baseUrl"> = copy) =>
  fetch(`${baseUrl}${path}`, { redirect: "manual" })
const activity = (after: number, more = "") => `/api/research/rooms/${roomId}/activity?after=${after}${more}`
const messages = `/api/research/threads/${threadId}/messages`
/** The answer to a read, without the time it was made. */
const told = async (response: Response) => (await response.text()).replace(/"generatedAt":"[^"]*"/, "")

test("it answers public reads as the original does", async (t) => {
  for (const path of [
    `/api/research/rooms/${rooms.main.roomId}/research-context`,
    messages,
    activity(0),
    "/api/research/search?query=loss",
    "/api/research/rooms",
  ])
    t.equal(await told(await at(path)), await told(await at(path, original)), path)
  t.match(await (await at(`/rooms/${roomId}`)).text(), /<html/)
  t.equal((await at("/api/health/ready")).status, 200)
  t.match(await (await at("/metrics")).text(), /research_room_http_requests_total/)
  t.equal((await at("/api/research/rooms/00000000-0000-7000-8000-000000000000")).status, 404)
})

test("other requests are forwarded unchanged", async (t) => {
  const asked: readonly (readonly [string, RequestInit])[] = [
    [
      `/api/agent/threads/${threadId}/messages`,
      { method: "POST", body: JSON.stringify(message()), headers: { "content-type": "application/json" } },
    ],
    [
      "/api/session",
      { method: "POST", body: "{}", headers: { "content-type": "application/json", origin: copy.baseUrl } },
    ],
    ["/sign-in", {}],
    ["/api/agent/research/identity", { headers: { authorization: `Bearer ${token}` } }],
    ["/api/agent/library/papers?offset=50", {}],
    [`/rooms/${roomId}`, { headers: { cookie: "research_room_session=abc" } }],
    [`/api/research/rooms/${roomId}/export`, {}],
    [`/api/research/rooms/${roomId}/brief?at=1`, {}],
    ["/mcp", { method: "POST", body: "{}" }],
  ]
  for (const [path, init] of asked) {
    const answer = await fetch(`${copy.baseUrl}${path}`, { redirect: "manual", ...init })
    t.match([answer.status, answer.headers.get("location")], [307, `${original.baseUrl}${path}`], path)
  }
})

test("a write appears here once the follower has brought it, and wakes a waiting feed", async (t) => {
  const sequence = await post("The baseline is in.")
  t.notMatch(await (await at(messages)).text(), /The baseline is in\./)
  const held = at(activity(sequence - 1, "&wait=20"))
  await follower.apply()
  const began = performance.now()
  t.match(await (await held).json(), { items: [{ sequence }] })
  t.ok(performance.now() - began < 5_000, "long before the wait would have ended")
  t.match(await (await at(messages)).text(), /The baseline is in\./)
})

test(
  "an answer is never older than allowed: " + "the copy waits for the follower, and then forwards the request",
  async (t) => {
    const sequence = await post("The second run diverged.")
    const least = `atLeast=${sequence}`
    const waits = at(`${messages}?${least}`)
    await follower.apply()
    t.match(await (await waits).text(), /The second run diverged\./)
    const later = `${messages}?atLeast=${sequence + 1}`
    const began = performance.now()
    const sentOn = await at(later)
    t.match([sentOn.status, sentOn.headers.get("location")], [307, `${original.baseUrl}${later}`])
    t.ok(performance.now() - began > 1_900, "after two seconds")
    t.equal((await at(later, original)).status, 200, "the original is never too old")
    for (const each of [copy, original]) t.equal((await at(`${messages}?atLeast=soon`, each)).status, 422)
  },
)

test("no answer mixes two moments, however much of the file was cached before", async (t) => {
  // A reader continues from `next`: an entry that is missing, repeated or different would show.
  const whole = async (service: Pick<Copy, "baseUrl">) => {
    const entries: unknown[] = []
    for (let next = 0, hasMore = true; hasMore; ) {
      const page = (await (await at(activity(next), service)).json()) as {
        items: unknown[]
        nextCursor: number
        hasMore: boolean
      }
      entries.push(...page.items)
      ;({ nextCursor: next, hasMore } = page)
    }
    return entries
  }
  let changed = 0
  for (let round = 1; round <= 40; round += 1) {
    await post(`Step ${round} of a long run. ${"The loss went down. ".repeat(round)}`)
    changed += await follower.apply()
    t.strictSame(await whole(copy), await whole(original), `round ${round}`)
    t.equal(
      await told(await at("/api/research/search?query=loss&limit=5")),
      await told(await at("/api/research/search?query=loss&limit=5", original)),
    )
  }
  t.ok(changed > 200, `${changed} pages changed during the reads`)
})

test(
  "a follower that ends in the middle of an update leaves no torn reads: " + "until it is back, the original answers",
  async (t) => {
    const sequence = await post("A message of which half the pages arrive.")
    await follower.applyHalf()
    const answer = await at(messages)
    t.match([answer.status, answer.headers.get("location")], [307, `${original.baseUrl}${messages}`])
    t.match(await (await at("/api/health/ready")).json(), { refusal: "temporarily_unavailable" })
    await follower.apply()
    t.match(await (await at(activity(sequence - 1))).json(), { items: [{ sequence }] })
    t.equal((await at("/api/health/ready")).status, 200)
  },
)

test("with --forward it passes on the original's answers", async (t) => {
  const place = newPlace()
  t.teardown(() => place.remove())
  const through = await serve(executable(), ["--follow", follow, "--primary", original.baseUrl, "--forward"], place)
  const { baseUrl } = through
  const { username, password } = people.owner
  const signedIn = await ask(`${baseUrl}/api/session`, { body: { username, password }, headers: { origin: baseUrl } })
  t.match(signedIn, { status: 200, body: { person: { username } } })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  t.match(await (await fetch(`${baseUrl}/account`, { headers: { cookie } })).text(), new RegExp(username))
  t.match(
    await ask(`${baseUrl}/api/session`, { body: { username, password }, headers: { origin: "http://evil.example" } }),
    {
      status: 403,
      body: { refusal: "browser_origin" },
    },
  )
  const body = message("By way of the copy.")
  const send = (sent: object = body) => ask(`${baseUrl}/api/agent/threads/${threadId}/messages`, { token, body: sent })
  t.equal((await send()).status, 200)
  t.match(await send(), { status: 200, body: { replayed: true } })
  t.equal((await send({ ...body, text: "x".repeat(1_100_000) })).status, 413)
  t.notMatch(
    await (await fetch(`${baseUrl}${messages}`)).text(),
    /By way of the copy/,
    "it answers a read itself, from what it has",
  )
  const sequence = Number((await send()).body.activity?.sequence)
  for (const [what, path, headers] of [
    ["the agent that wrote it", messages, { authorization: `Bearer ${token}` }],
    ["a person with a session", `/threads/${threadId}`, { cookie }],
    ["anybody who says how far it must be", `${messages}?atLeast=${sequence}`, {}],
    ["a reader of the feed from there on", activity(sequence, "&wait=1"), {}],
  ] as const) {
    const read = await fetch(`${baseUrl}${path}`, { headers: { ...headers } })
    t.equal(read.status, 200, what)
    if (!path.includes("/activity")) t.match(await read.text(), /By way of the copy/, `${what} reads it at once`)
  }
  await follower.apply()
  t.match(await (await fetch(`${baseUrl}${messages}`)).text(), /By way of the copy/, "then everybody does")
  through.signal("SIGTERM")
  t.match(await through.ended(), { code: 0 })

  const alone = await serve(executable(), ["--follow", follow, "--primary", "http://127.0.0.1:9", "--forward"], place)
  const unsent = await ask(`${alone.baseUrl}/api/agent/threads/${threadId}/messages`, { token, body })
  t.match(unsent, { status: 503, body: { refusal: "temporarily_unavailable", committed: null, retryAfter: 2 } })
  t.equal((await fetch(`${alone.baseUrl}${messages}`)).status, 200, "and continues to when the original is gone")
  alone.signal("SIGTERM")
  await alone.ended()
})

test("a call that makes no sense is refused with one sentence", async (t) => {
  const place = newPlace()
  t.teardown(() => place.remove())
  const refused = (...flags: string[]) => run(executable(), ["serve", "--port", "0", ...flags], place)
  t.match(await refused("--follow", follow), { code: 2, err: /--primary/ })
  t.match(await refused("--primary", original.baseUrl), { code: 2, err: /--follow/ })
  t.match(await refused("--follow", "nothing", "--primary", original.baseUrl), {
    code: 1,
    err: /litestream restore -f/,
  })
  t.match(await refused("--data", follow), { code: 1, err: /serve --follow/ })
})
