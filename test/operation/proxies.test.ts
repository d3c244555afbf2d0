/**
 * Behind an https proxy, as the page for operators says: with the page's own blocks, in nginx and Caddy if this machine
 * has them (in the `PATH`, or named by NGINX and CADDY), and everywhere in a small proxy of our own that does what the
 * page requires.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import tap, { type Test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { freshId } from "../support/bodies.ts"
import { passwordOf, temporaryFolder } from "../support/service.ts"
import { type Watched, startWatched } from "../security/service.ts"
import { type Behind, caddy, found, freePort, nginx, ownProxy, type RunningProxy } from "./proxies/proxies.ts"
import { type Got, Through } from "./proxies/through.ts"

const HOSTS = { root: "rooms.example.org", lab: "example.org", other: "example.org" } as const
type Where = keyof typeof HOSTS

interface House {
  readonly proxy: RunningProxy
  readonly browser: Through
  readonly services: Readonly<Record<Where, Watched>>
  readonly at: (where: Where, path: string) => string
}

/** Three services behind a proxy: one on its own host, two side by side below another host. */
async function behind(start: (behind: Behind) => Promise<RunningProxy>): Promise<House> {
  const port = await freePort()
  const at = (where: Where, path: string) =>
    `https://${HOSTS[where]}:${port}${where === "root" ? "" : `/${where}`}${path}`
  const service = (where: Where) => startWatched({ baseUrl: at(where, ""), trustProxy: "on" })
  const services = { root: await service("root"), lab: await service("lab"), other: await service("other") }
  const { root, lab, other } = services
  const proxy = await start({ port, folder: temporaryFolder(), root: root.port, lab: lab.port, other: other.port })
  return { proxy, services, at, browser: new Through(port, proxy.ca()) }
}

const json = ({ bytes }: Got) =>
  JSON.parse(bytes.toString()) as Record<string, never> & { error: string; items: Record<string, never>[] }

/** Signs in the first person where they were set up. */
async function setUp({ services, at, browser }: House, where: Where): Promise<Got> {
  const token = new URL(services[where].setUpLink ?? "").searchParams.get("token")
  const body = JSON.stringify({ token, username: "ada", password: passwordOf("ada") })
  return browser.send(at(where, "/api/setup"), { body, headers: { origin: new URL(at(where, "")).origin } })
}
const write = ({ at, browser }: House, where: Where, path: string, body: object) =>
  browser.send(at(where, path), {
    body: JSON.stringify({ schemaVersion: 3, ...body }),
    headers: { origin: new URL(at(where, "")).origin },
  })
const whoIs = async ({ at, browser }: House, where: Where) =>
  (json(await browser.send(at(where, "/api/session"))).person as unknown as { username: string } | null)?.username ??
  null

/** The service behind a proxy, as a signed-in user sees it. */
async function asThePageSays(t: Test, house: House, patience: number): Promise<void> {
  const { at, browser, services } = house
  for (const where of ["root", "lab", "other"] as const) {
    const came = await setUp(house, where)
    t.equal(came.status, 200, `${where}: ${came.bytes.toString().slice(0, 200)}`)
    const cookie = String(came.headers["set-cookie"])
    t.match(
      cookie,
      new RegExp(`; Path=/${where === "root" ? "" : where}(?:;|$)`),
      `${where}: the cookie is sent nowhere else`,
    )
    t.match(cookie, "; Secure")
    t.match(came.headers["strict-transport-security"], /max-age=31536000/)
    const first = await browser.send(at(where, "/"))
    t.equal(first.status, 200)
    const page = first.bytes.toString()
    for (const [, path = ""] of page.matchAll(/(?:href|src|action)="(\/[^"]*)"/g))
      t.ok(where === "root" || path === `/${where}` || path.startsWith(`/${where}/`), `${where} leads to ${path}`)
    const [, style = ""] = /href="(\/[^"]*\.css)"/.exec(page) ?? []
    t.equal((await browser.send(new URL(style, at(where, "")).href)).status, 200, `${where}: its style is there`)
  }
  for (const where of ["root", "lab", "other"] as const)
    t.equal(await whoIs(house, where), "ada", `${where}: the neighbouring service signed nobody out`)
  await browser.send(at("other", "/api/session"), {
    method: "DELETE",
    headers: { origin: new URL(at("other", "")).origin },
  })
  t.strictSame([await whoIs(house, "lab"), await whoIs(house, "other")], ["ada", null], "nor did signing out there")

  const made = json(await write(house, "root", "/api/rooms", { requestId: freshId(), title: "Behind a proxy" }))
  const { roomId, openingThreadId } = made.result as unknown as { roomId: string; openingThreadId: string }
  const path = `/api/research/rooms/${roomId}/activity`
  const { activityWatermark: watermark } = json(await browser.send(at("root", `/api/research/rooms/${roomId}`)))

  // Eight waiting requests on one connection, more than the six connections of HTTP/1.1; a ninth request is answered
  // meanwhile.
  const waiting = Array.from({ length: 8 }, () =>
    browser.send(at("root", `${path}?after=${watermark}&wait=${patience}`)),
  )
  const held = () => services.root.instance.ledger.watch.waiting
  while (held() < 8) await new Promise((resolve) => setTimeout(resolve, 10))
  t.equal((await browser.send(at("root", "/api/health/ready"))).status, 200, "a ninth is answered while eight wait")
  const old = browser.sendOld(at("root", `${path}?after=${watermark}&wait=${patience}`))
  while (held() < 9) await new Promise((resolve) => setTimeout(resolve, 10))
  await write(house, "root", `/api/threads/${openingThreadId}/messages`, {
    clientMessageId: freshId(),
    text: "It landed.",
  })
  for (const feed of [...waiting, old]) {
    const told = await feed
    t.equal(told.status, 200)
    t.equal(json(told).items.length, 1, "each hears of a new entry at once, over HTTP/2 and HTTP/1.1")
  }
  const end = Number(watermark) + 1
  const began = performance.now()
  const nothing = await browser.send(at("root", `${path}?after=${end}&wait=${patience}`))
  t.strictSame(
    [nothing.status, json(nothing).items],
    [200, []],
    `a wait of ${patience} seconds without data is not cut off: ${nothing.bytes.toString().slice(0, 100)}`,
  )
  t.ok(performance.now() - began > patience * 1_000 - 200)

  for (const [encoding, unpack] of [
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const) {
    const packed = await browser.send(at("lab", "/api/openapi.json"), { headers: { "accept-encoding": encoding } })
    t.equal(packed.headers["content-encoding"], encoding, "compressed by the service, and passed on as it is")
    t.match(JSON.parse(unpack(packed.bytes).toString()), { openapi: /^3\.1/, servers: [{ url: at("lab", "") }] })
  }

  const large = await write(house, "root", "/api/rooms", {
    requestId: freshId(),
    title: "x".repeat(limits.requestBodyBytes),
  })
  t.strictSame(
    [large.status, json(large).refusal],
    [413, "request_too_large"],
    "a body that is too large is refused by the service, in its words",
  )

  const origin = new URL(at("root", "")).origin
  await browser.send(at("root", "/api/session"), {
    body: JSON.stringify({ username: "ada", password: "not it at all" }),
    headers: { origin, "x-forwarded-for": "203.0.113.9" },
  })
  const [line] = services.root.instance.tables.audit.page({ kind: "sign_in_failed" }, null, 1)
  t.equal(line?.address, "127.0.0.1", "an address that a client claims to speak for is not believed")

  const zip = await browser.send(at("root", `/api/research/rooms/${roomId}/export`))
  t.equal(zip.status, 200)
  t.equal(zip.bytes.subarray(0, 2).toString(), "PK", "an export comes whole")
  t.equal(zip.bytes.subarray(-22, -18).toString("hex"), "504b0506")
}

async function tried(t: Test, start: (behind: Behind) => Promise<RunningProxy>, patience: number): Promise<void> {
  const house = await behind(start)
  try {
    await asThePageSays(t, house, patience)
  } finally {
    house.browser.close()
    for (const service of Object.values(house.services)) await service.close()
    await house.proxy.close()
  }
}

// With a real proxy the longest wait is tried in full: its own timeout is what matters.
for (const [name, start] of [
  ["nginx", nginx],
  ["caddy", caddy],
] as const) {
  const program = found(name)
  const missing =
    program === undefined && `this machine has no ${name} in its PATH, and none is named by ${name.toUpperCase()}`
  tap.test(`${name}, with the block of the page`, { skip: missing, timeout: 90_000 }, (t) =>
    tried(t, (behind) => start(program ?? "", behind), limits.activityWaitSeconds),
  )
}

tap.test("a proxy that does what the page requires, and no more", (t) => tried(t, ownProxy, 1))

tap.test("the page requires more of a proxy than the service needs", (t) => {
  const page = readFileSync(join(import.meta.dirname, "../../.github/operation.md"), "utf8")
  t.match(page, new RegExp(`wait for an answer for more than ${limits.activityWaitSeconds} seconds:`))
  t.ok(Number(/proxy_read_timeout (\d+)s;/.exec(page)?.[1]) > limits.activityWaitSeconds)
  t.ok(Number(/client_max_body_size (\d+)m;/.exec(page)?.[1]) * 1024 * 1024 > limits.requestBodyBytes)
  t.end()
})
