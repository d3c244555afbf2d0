/** The metrics: counted correctly, in Prometheus' text format, for the operator and nobody else. */
import tap, { test } from "tap"
import { metricsRead } from "../../src/discovery/routes.ts"
import { ask } from "../support/ask.ts"
import { message } from "../support/bodies.ts"
import { startResearchRoom } from "research-room/testing"
import { answersIn, dial, head } from "../support/socket.ts"
import { startWatched } from "../security/service.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { openingThreadId: threadId, roomId } = house.rooms.empty
const token = house.credentials.member_all.token
const metricsToken = "a-secret-of-the-operator"

/** Reads the samples at an address, by name and labels. */
async function samples(baseUrl = house.baseUrl): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text()
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  )
}

/** The same, once no other request is under way: a request is counted when its answer has been sent. */
async function settled(): Promise<ReadonlyMap<string, number>> {
  for (;;) {
    const found = await samples()
    if (found.get("research_room_http_requests_under_way") === 1) return found
  }
}

/** How much each sample grew while something was done. */
async function growth(work: () => Promise<unknown>): Promise<(name: string) => number> {
  const before = await settled()
  await work()
  const after = await settled()
  return (name) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
}

test("the text follows the format, each metric with its help and type before its samples", async (t) => {
  const response = await fetch(`${house.baseUrl}/metrics`)
  t.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
  t.equal(response.headers.get("cache-control"), "no-store")
  const described = new Set<string>()
  let family = ""
  for (const line of (await response.text()).split("\n").filter((each) => each !== "")) {
    const [, word, name = ""] = /^# (HELP|TYPE) (\S+) \S.*$/.exec(line) ?? []
    if (word === "HELP") {
      t.notOk(described.has(name), `${name} appears once`)
      described.add((family = name))
    } else if (word === "TYPE")
      t.match(line, new RegExp(`^# TYPE ${family} ${family.endsWith("_total") ? "counter" : "(gauge|histogram)"}$`))
    else
      t.match(
        line,
        new RegExp(
          `^${family}(_bucket|_sum|_count)?(\\{[a-z_]+="[^"\\n]*"(,[a-z_]+="[^"\\n]*")*\\})? (NaN|[-+0-9.e]+)$`,
        ),
        line,
      )
  }
  t.ok(described.size > 10)
})

test("requests are counted under their route's pattern, never under their path", async (t) => {
  const grew = await growth(async () => {
    for (const room of [roomId, house.rooms.main.roomId, "no-such-room"])
      await ask(`${house.baseUrl}/api/research/rooms/${room}`)
    await ask(`${house.baseUrl}/api/nowhere/at/all`)
    await ask(`${house.baseUrl}/api/research/rooms`, { method: "DELETE" })
  })
  t.equal(grew('research_room_http_requests_total{route="/api/research/rooms/{roomId}",method="GET",status="2xx"}'), 2)
  t.equal(grew('research_room_http_requests_total{route="/api/research/rooms/{roomId}",method="GET",status="4xx"}'), 1)
  t.equal(
    grew('research_room_http_request_duration_seconds_count{route="/api/research/rooms/{roomId}",method="GET"}'),
    3,
  )
  t.equal(grew('research_room_http_requests_total{route="none",method="GET",status="4xx"}'), 1)
  t.equal(grew('research_room_http_requests_total{route="/api/research/rooms",method="DELETE",status="4xx"}'), 1)
  t.notOk([...(await samples()).keys()].some((name) => name.includes(roomId)))
})

test("made-up methods do not create metrics of their own", async (t) => {
  const grew = await growth(async () => {
    for (const method of ["PROPFIND", "SEARCH", "PURGE"]) {
      const line = await dial(house.baseUrl)
      await line.send(head(method, "/api/research/rooms", `Host: ${new URL(house.baseUrl).host}`, "Connection: close"))
      t.equal(answersIn(await line.closed())[0]?.status, 405)
    }
  })
  t.equal(grew('research_room_http_requests_total{route="/api/research/rooms",method="other",status="4xx"}'), 3)
})

test("writes are counted by outcome", async (t) => {
  const path = `${house.baseUrl}/api/agent/threads/${threadId}/messages`
  const body = message()
  const fate = (name: string, refusal = "") =>
    `research_room_writes_total{operation="post_message",fate="${name}",refusal="${refusal}"}`
  const grew = await growth(async () => {
    await ask(path, { token, body })
    await ask(path, { token, body })
    await ask(path, { token, body: { ...body, text: 'No other text says "replayed":true of itself.' } })
    await ask(path, { token, body: message('Nor does this: "replayed":true, "rehearsed":true.') })
    await ask(`${path}?rehearse=1`, { token, body: message() })
    await ask(path, { token, body: {} })
    await ask(path, { token, raw: "{" })
  })
  t.strictSame(
    [
      fate("accepted"),
      fate("replayed"),
      fate("rehearsed"),
      fate("refused", "request_conflict"),
      fate("refused", "invalid_schema"),
    ].map(grew),
    [2, 1, 1, 1, 2],
  )
  t.ok(grew("research_room_commit_group_writes_count") >= 2, "and the groups they were committed in")
  t.ok(grew("research_room_commit_duration_seconds_sum") > 0)
})

test("gauges show the current values", async (t) => {
  const controller = new AbortController()
  const watermark = (await ask(`${house.baseUrl}/api/research/rooms/${roomId}`)).body.activityWatermark
  const waiting = fetch(`${house.baseUrl}/api/research/rooms/${roomId}/activity?after=${watermark}&wait=25`, {
    signal: controller.signal,
  }).catch(() => null)
  let now = await samples()
  for (let looks = 0; now.get("research_room_feed_waits_open") !== 1 && looks < 1_000; looks += 1) now = await samples()
  t.equal(now.get("research_room_feed_waits_open"), 1, "one reader waits")
  t.equal(now.get("research_room_feeds_held"), 1, "and counts against the limit of open feeds")
  t.ok((now.get("research_room_connections_open") ?? 0) >= 2, "on a connection beside that of the metrics request")
  t.equal(now.get("research_room_bodies_bytes"), 0)
  t.equal(now.get("research_room_strangers_bodies_bytes"), 0)
  t.ok((now.get("research_room_http_requests_under_way") ?? 0) >= 2, "that one, and this request")
  controller.abort()
  await waiting
  for (const name of ["research_room_database_bytes", "research_room_free_disk_bytes", "process_resident_memory_bytes"])
    t.ok((now.get(name) ?? 0) > 0, name)
  t.ok(now.has("research_room_wal_bytes"))
})

test("the path accepts what every read accepts, and is documented like one", async (t) => {
  const wrong = await fetch(`${house.baseUrl}/metrics`, { method: "POST" })
  t.strictSame([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD, OPTIONS"])
  t.equal((await fetch(`${house.baseUrl}/metrics`, { method: "HEAD" })).status, 200)
  t.equal((await fetch(`${house.baseUrl}/metrics?all=1`)).status, 422)
  const { paths } = (await (await fetch(`${house.baseUrl}/api/openapi.json`)).json()) as {
    paths: Record<string, object>
  }
  t.ok(paths[metricsRead.path])
})

test("requests through a proxy, and all requests to a published service, need the operator's token", async (t) => {
  const published = await startWatched({ baseUrl: "https://rooms.example.org/lab", metricsToken })
  const withoutToken = await startWatched({ baseUrl: "https://rooms.example.org" })
  t.teardown(() => Promise.all([published.close(), withoutToken.close()]))
  const at = async (port: number | string, headers: Record<string, string> = {}) => {
    const { status, body } = await ask(`http://127.0.0.1:${port}/metrics`, { headers, fetch })
    return status === 200 ? "200" : `${status} ${String(body.refusal)}`
  }
  const missing = "404 unknown_operation"
  const bearer = { authorization: `Bearer ${metricsToken}` }
  const local = new URL(house.baseUrl).port
  for (const name of ["x-forwarded-for", "forwarded", "via", "x-real-ip"])
    t.equal(await at(local, { [name]: "127.0.0.1" }), missing, name)
  t.equal(await at(published.port), missing)
  t.equal(await at(published.port, bearer), "200")
  t.equal(await at(published.port, { ...bearer, "x-forwarded-for": "203.0.113.7" }), "200")
  for (const authorization of [
    `Bearer ${metricsToken}x`,
    `Bearer ${metricsToken.slice(1)}`,
    "Bearer",
    `Basic ${metricsToken}`,
    `Bearer ${token}`,
  ])
    t.equal(await at(published.port, { authorization }), missing, authorization)
  t.equal(await at(withoutToken.port), missing)
  t.equal(await at(withoutToken.port, { authorization: "Bearer undefined" }), missing)
})
