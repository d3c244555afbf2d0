/** Requests refused before routing: a page of another origin can read the reason on paths that it may read. */
import { test } from "tap"
import { plenty, startWatched } from "../security/service.ts"
import { dial, head } from "../support/socket.ts"

const HARDLY_EVER = 0.01
const origin = { origin: "https://notebook.example" }

test("a page over its limit can read when to ask again, on paths that it may read and on no others", async (t) => {
  const service = await startWatched({
    rateLimits: { ...plenty, addressRequests: { perMinute: HARDLY_EVER, atOnce: 1 } },
    trustProxy: "on",
  })
  t.teardown(() => service.close())
  const asked = (path: string, method = "GET") =>
    fetch(service.baseUrl + path, { method, headers: { ...origin, "x-forwarded-for": "203.0.113.7" } })
  await asked("/api/manifest")
  for (const [path, method, isOpen] of [
    ["/api/manifest", "GET", true],
    ["/api/research/rooms?limit=1", "HEAD", true],
    ["/api/research/rooms/0198f3a0-0000-7000-8000-000000000001/research-context", "GET", true],
    ["/api/research/rooms", "POST", false],
    ["/api/agent/research/identity", "GET", false],
    ["/api/agent/threads", "POST", false],
    ["/api/session", "GET", false],
    ["/", "GET", false],
    ["/nowhere", "GET", false],
  ] as const) {
    const { status, headers } = await asked(path, method)
    const open = headers.get("access-control-allow-origin")
    t.strictSame([status, open], [429, isOpen ? "*" : null], `${method} ${path}`)
    if (isOpen) t.match(headers.get("access-control-expose-headers"), "retry-after")
    t.ok(Number(headers.get("retry-after")) > 0)
    t.equal(headers.get("access-control-allow-credentials"), null)
  }
})

for (const [baseUrl, below] of [
  [undefined, ""],
  ["https://rooms.example.org/lab", "/lab"],
] as const)
  test(
    "a name that is not the service's is refused in a sentence that a page can " +
      `read${below && ", below a base path too"}`,
    async (t) => {
      const service = await startWatched(baseUrl === undefined ? {} : { baseUrl })
      t.teardown(() => service.close())
      for (const [path, isOpen] of [
        ["/api/research/rooms", true],
        ["/api/health/ready", true],
        ["/api/agent/research/identity", false],
        ["/account", false],
      ] as const) {
        const line = await dial(`http://127.0.0.1:${service.port}`)
        await line.send(
          head("GET", below + path, "Host: elsewhere.example", `Origin: ${origin.origin}`, "Connection: close"),
        )
        const answer = await line.closed()
        t.match(answer, /^HTTP\/1\.1 421 /, path)
        t.equal(/^access-control-allow-origin: \*\r$/im.test(answer), isOpen, path)
      }
    },
  )
