/** A page of another origin, in a real browser, can read what is public and nothing else, whatever it tries. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { launch } from "./browser.ts"
import { signIn } from "./pages.ts"

const house = await startResearchRoom()
const elsewhere = createServer((_request, response) => {
  response.setHeader("content-type", "text/html")
  response.end("<!doctype html><title>A notebook of somebody</title>")
}).listen(0, "127.0.0.1")
const browser = await launch()
t.teardown(async () => {
  await browser.close()
  elsewhere.close()
  await house.close()
})
const { port } = elsewhere.address() as AddressInfo
const { roomId } = house.rooms.main

const page = await browser.newPage()
// Their cookie is in the browser: no page of another origin can use it.
await signIn(page, house, "owner")
await page.goto(`http://127.0.0.1:${port}/`)

interface Try {
  readonly method?: string
  readonly credentials?: "include"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}
/** What the page gets from its attempts. */
const tried = (path: string, init: Try = {}) =>
  page.evaluate(
    async ([url, options]) => {
      try {
        const response = await fetch(url, options)
        return {
          status: response.status,
          link: response.headers.get("link"),
          text: (await response.text()).slice(0, 100_000),
        }
      } catch (error) {
        return { blocked: String(error) }
      }
    },
    [house.baseUrl + path, init] as const,
  )

t.test("It reads what is public, compressed or not, with the headers it needs", async (t) => {
  for (const path of [
    "/api/manifest",
    `/api/research/rooms/${roomId}/research-context`,
    "/api/research/skill",
    `/api/research/attempts?roomId=${roomId}&format=csv`,
  ])
    t.match(await tried(path), { status: 200 }, path)
  t.match(await tried("/api/agent/library/schema"), { status: 200 }, "the Library's schemas are public too")
  const list = await tried(`/api/research/rooms/${roomId}/threads?limit=1`)
  t.match(list, { status: 200, link: /rel="next"/ }, "when a list has another page")
  t.match(
    await tried("/api/manifest", { headers: { "if-none-match": '"no such"' } }),
    { status: 200 },
    "after a preflight",
  )
  const missing = await tried("/api/research/records/0198f3a0-0000-7000-8000-000000000001")
  t.match(missing, { status: 404, text: /unknown_record/ }, "refusals can be read too")
})

t.test("It reads nothing else and writes nothing", async (t) => {
  const json = { "content-type": "application/json" }
  const token = house.credentials.main_member_all.token
  for (const [path, init] of [
    ["/", {}],
    [`/rooms/${roomId}`, { credentials: "include" }],
    ["/account", { credentials: "include" }],
    ["/api/session", { credentials: "include" }],
    ["/api/library/papers", { credentials: "include" }],
    ["/api/library/papers", {}],
    [`/api/research/rooms/${roomId}`, { credentials: "include" }],
    ["/api/agent/research/identity", { headers: { authorization: `Bearer ${token}` } }],
    [`/api/research/rooms/${roomId}`, { headers: { authorization: `Bearer ${token}` } }],
    ["/api/agent/threads", { method: "POST", headers: json, body: "{}" }],
    ["/api/rooms", { method: "POST", headers: json, body: "{}", credentials: "include" }],
    ["/api/session", { method: "POST", headers: { "content-type": "text/plain" }, body: "{}", credentials: "include" }],
    ["/api/session", { method: "DELETE", credentials: "include" }],
    ["/metrics", {}],
  ] as const)
    t.match(
      await tried(path, init),
      { blocked: /Failed to fetch/ },
      `${init === undefined ? "" : JSON.stringify(init)} ${path}`.slice(0, 120),
    )
  await page.goto(`${house.baseUrl}/account`)
  t.match(await page.textContent("h1"), /\S/, "and the session still works")
  t.notMatch(page.url(), /sign-in/)
})
