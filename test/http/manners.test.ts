/**
 * HTTP behaviour: compression of public answers, ETags and 304, pages of other origins, OPTIONS, links and file names.
 */
import { request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { actions } from "../../src/contract/operations/actions.ts"
import { discoveryRoutes, metricsRead } from "../../src/discovery/routes.ts"
import { browserPath } from "../../src/contract/definitions/operation.ts"
import { operations } from "../../src/contract/operations/index.ts"
import { browserReadPath } from "../../src/contract/definitions/read.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { addressOf } from "../support/routes.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { roomId, openingThreadId: threadId } = house.rooms.main

interface Raw {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
}

/** Sends a request and leaves the answer compressed. */
const raw = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const asked = request(`${house.baseUrl}${path}`, { method, headers }, (response) => {
      const parts: Buffer[] = []
      const answer = () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(parts) })
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("end", answer)
      // Events never end, so a walk over every path hangs up.
      if (response.headers["content-type"]?.startsWith("text/event-stream"))
        response.once("data", () => (answer(), asked.destroy()))
    })
    asked.on("error", reject).end()
  })

const unpacked = ({ headers, bytes }: Raw): string => {
  const encoding = headers["content-encoding"]
  return String(encoding === "br" ? brotliDecompressSync(bytes) : encoding === "gzip" ? gunzipSync(bytes) : bytes)
}

const context = `/api/research/rooms/${roomId}/research-context`

test("public answers are compressed on request, with the same content", async (t) => {
  const page = `/rooms/${roomId}`
  const { head = "" } = /href="(?<head>\/assets\/style[^"]+)"/.exec(unpacked(await raw(page)))?.groups ?? {}
  for (const path of [
    context,
    "/api/manifest",
    "/api/openapi.json",
    "/llms.txt",
    "/api/research/skill",
    "/research_room.py",
    page,
    head,
  ]) {
    const plain = await raw(path)
    t.equal(plain.headers["content-encoding"], undefined, `${path}: only on request`)
    t.match(plain.headers.vary, /accept-encoding/, `${path}: a cache keeps them apart`)
    for (const encoding of ["br", "gzip"]) {
      const packed = await raw(path, { "accept-encoding": encoding })
      t.equal(packed.headers["content-encoding"], encoding, `${path}: ${encoding}`)
      t.ok(
        packed.bytes.length < plain.bytes.length / 2,
        `${path}: ${packed.bytes.length} of ${plain.bytes.length} bytes`,
      )
      const less = (text: string) => text.replace(/"generatedAt":"[^"]+"/, "")
      t.equal(less(unpacked(packed)), less(unpacked(plain)))
      const headed = await raw(path, { "accept-encoding": encoding }, "HEAD")
      t.equal(headed.headers["content-encoding"], encoding, "HEAD says so too")
      t.equal(headed.bytes.length, 0)
    }
  }
})

test("the encoding is the one that the client prefers", async (t) => {
  for (const [accepted, encoding] of [
    ["gzip, deflate, br", "br"],
    ["br;q=0.5, gzip", "gzip"],
    ["gzip;q=0, br;q=0", undefined],
    ["*", "br"],
    ["*;q=0.1, br;q=0", "gzip"],
    ["identity", undefined],
    ["identity, gzip;q=0.5", undefined],
    ["deflate, zstd", undefined],
    ["br;q=nonsense", undefined],
    [`${"x,".repeat(5_000)}br`, undefined],
  ] as const) {
    const { status, headers } = await raw("/api/manifest", { "accept-encoding": accepted })
    t.strictSame([status, headers["content-encoding"]], [200, encoding], accepted.slice(0, 40))
  }
})

test("a private answer is never compressed: its length would reveal its content", async (t) => {
  const { username, password } = house.people.owner
  const signedIn = await fetch(`${house.baseUrl}/api/session`, {
    method: "POST",
    headers: { origin: house.baseUrl, "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  })
  const cookie = (signedIn.headers.getSetCookie()[0] ?? "").split(";")[0] ?? ""
  const token = house.credentials.main_member_all.token
  const key = house.keys.all.token
  for (const [path, headers] of [
    [`/rooms/${roomId}`, { cookie }],
    ["/account", { cookie }],
    ["/library", { cookie }],
    ["/api/library/papers", { cookie }],
    ["/api/agent/research/identity", { authorization: `Bearer ${token}` }],
    ["/api/agent/library/papers", { authorization: `Bearer ${key}` }],
    ["/sign-in?next=/", {}],
    ["/setup?token=x", {}],
    ["/invitations/none", {}],
  ] as const) {
    const answer = await raw(path, { ...headers, "accept-encoding": "br, gzip" })
    t.equal(answer.headers["content-encoding"], undefined, path)
  }
  const { bytes, headers } = await raw("/api/health/live", { "accept-encoding": "br" })
  t.ok(bytes.length < 1_024)
  t.equal(headers["content-encoding"], undefined, "nor is a small one")
})

test("an unchanged answer is not sent again", async (t) => {
  const style = /href="(\/assets\/[^"]+\.css)"/.exec(unpacked(await raw("/")))?.[1] ?? ""
  for (const path of [
    "/api/openapi.json",
    "/api/manifest",
    "/api/research/skill",
    "/api/research/research-schema?bundle=1",
    style,
  ]) {
    const { headers, bytes } = await raw(path)
    const tag = String(headers.etag)
    t.match(tag, /^W\/"[^"]+"$/, path)
    for (const held of [tag, tag.replace("W/", ""), `"another", ${tag}`, "*"])
      for (const encoding of ["br", "identity"]) {
        const again = await raw(path, { "if-none-match": held, "accept-encoding": encoding })
        t.strictSame([again.status, again.bytes.length], [304, 0], `${path}: ${held}`)
        t.equal(again.headers.etag, tag)
      }
    const changed = await raw(path, { "if-none-match": '"another"' })
    t.strictSame([changed.status, changed.bytes.length], [200, bytes.length])
  }
  const one = await raw("/api/research/research-schema?operation=create_thread")
  const other = await raw("/api/research/research-schema?operation=create_thread&example=1")
  t.not(one.headers.etag, other.headers.etag, "each answer has its own tag")
  t.equal((await raw(context)).headers.etag, undefined, "a changing answer has none")
})

interface Route {
  readonly method: string
  readonly path: string
}
/** What pages of other origins may read. */
const isOpen = ({ surface }: { surface: string }) => surface === "public" || surface === "discovery"
const open: Route[] = [...reads, ...discoveryRoutes].filter(isOpen)
const closed: Route[] = [
  ...[...reads, ...discoveryRoutes].filter((read) => !isOpen(read)),
  ...reads.flatMap((read) => ({ method: read.method, path: browserReadPath(read) ?? "/" })),
  { ...metricsRead, path: "/metrics" },
  ...actions,
  ...operations,
  ...operations.map((operation) => ({ method: operation.method, path: browserPath(operation) })),
  ...["/", `/rooms/${roomId}`, "/sign-in", "/account", "/nowhere", "/api/nowhere", "/assets/none.js"].map((path) => ({
    method: "GET",
    path,
  })),
]

test("public reads, and their refusals, can be read by pages of every origin; nothing else can", async (t) => {
  const origin = { origin: "https://notebook.example" }
  const asked = { ...origin, "access-control-request-headers": "if-none-match" }
  for (const { method, path } of open) {
    const address = addressOf(path, { roomId, threadId })
    const { headers } = await raw(address, origin, method)
    t.equal(headers["access-control-allow-origin"], "*", path)
    t.equal(headers["access-control-allow-credentials"], undefined, "never with cookies")
    const before = await raw(address, { ...asked, "access-control-request-method": method }, "OPTIONS")
    const methods = method === "GET" ? "GET, HEAD" : method
    t.match(before, {
      status: 204,
      headers: {
        allow: `${methods}, OPTIONS`,
        "access-control-allow-origin": "*",
        "access-control-allow-methods": methods,
      },
    })
    t.equal(
      (await raw(address, origin, "PUT")).headers["access-control-allow-origin"],
      undefined,
      `${path}: not by another method`,
    )
  }
  for (const { method, path } of closed) {
    const address = addressOf(path, { roomId, threadId })
    const direct = await raw(address, origin, method)
    const before = await raw(address, { ...asked, "access-control-request-method": method }, "OPTIONS")
    for (const { status, headers } of [direct, before])
      t.strictSame(
        Object.keys(headers).filter((name) => name.startsWith("access-control-")),
        [],
        `${method} ${path}: ${status}`,
      )
    if (path.startsWith("/api/agent/")) t.equal(before.status, 403, `${path} can be read by no page`)
  }
})

test("a page of another origin reads the Library's schemas, without a key", async (t) => {
  const origin = "https://notebook.example"
  const path = "/api/agent/library/schema?operation=save_papers"
  t.match(await raw(path, { origin }), { status: 200, headers: { "access-control-allow-origin": "*" } })
  t.equal((await raw(path, { origin, authorization: `Bearer ${house.keys.all.token}` })).status, 403)
  t.equal((await raw(path, { authorization: `Bearer ${house.credentials.main_member_all.token}` })).status, 401)
})

test("OPTIONS lists the methods of a path", async (t) => {
  for (const [path, allow] of [
    [`/api/research/rooms/${roomId}`, "GET, HEAD, OPTIONS"],
    ["/api/agent/threads", "POST, OPTIONS"],
    ["/api/session", "POST, DELETE, GET, HEAD, OPTIONS"],
    ["/", "GET, HEAD, OPTIONS"],
  ] as const) {
    const { status, headers, bytes } = await raw(path, {}, "OPTIONS")
    t.strictSame([status, bytes.length], [204, 0], path)
    t.same(String(headers.allow).split(", ").sort(), allow.split(", ").sort())
  }
  t.equal((await raw("/api/nowhere", {}, "OPTIONS")).status, 404)
})

test("a list with another page names it in Link, as in its body", async (t) => {
  let path: string | null = `/api/research/rooms/${roomId}/threads?limit=1`
  let pages = 0
  for (; path !== null && pages < 100; pages += 1) {
    const { headers, bytes } = await raw(path)
    const body = JSON.parse(String(bytes)) as { links: { next: string | null }; hasMore: boolean }
    t.equal(headers.link, body.hasMore ? `<${body.links.next}>; rel="next"` : undefined)
    path = body.hasMore ? body.links.next : null
  }
  t.ok(pages > 1)
  const feed = await raw(`/api/research/rooms/${roomId}/activity?after=1000000`)
  t.equal(feed.headers.link, undefined, "nor does the end of a feed")
  const library = await raw("/api/agent/library/papers", { authorization: `Bearer ${house.keys.all.token}` })
  t.equal(library.headers.link, undefined, "the last page names none")
})

test("a downloaded file has a name", async (t) => {
  const { items } = JSON.parse(String((await raw(`/api/research/rooms/${roomId}/publications?limit=1`)).bytes))
  const record = `/api/research/records/${items[0].versionId}`
  const attempts = JSON.parse(String((await raw(`/api/research/attempts?roomId=${roomId}&limit=1`)).bytes))
  const { attemptId } = attempts.items[0]
  for (const [path, name] of [
    [`${record}?format=bibtex`, `${items[0].versionId}.bib`],
    [`${record}?format=csl`, `${items[0].versionId}.json`],
    [`/api/research/attempts?roomId=${roomId}&format=csv`, `attempts-${roomId}.csv`],
    [`/api/research/attempts/${attemptId}/metrics?format=jsonl`, `metrics-${attemptId}.jsonl`],
  ] as const) {
    const { status, headers } = await raw(path)
    t.strictSame([status, headers["content-disposition"]], [200, `attachment; filename="${name}"`], path)
  }
})
