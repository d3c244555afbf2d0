/** The security headers on every answer of every route: the routes come from the registry and the pages themselves. */
import { startResearchRoom } from "research-room/testing"
import tap, { type Test, test } from "tap"
import { actions } from "../../src/contract/operations/actions.ts"
import { discoveryRoutes, metricsRead } from "../../src/discovery/routes.ts"
import { browserPath } from "../../src/contract/definitions/operation.ts"
import { operations } from "../../src/contract/operations/index.ts"
import { browserReadPath, isText, openOf } from "../../src/contract/definitions/read.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { commonHeaders } from "../../src/edge/answers/answer.ts"
import type { Edge } from "../../src/edge/edge.ts"
import type { Routes } from "../../src/edge/requests/routes.ts"
import { pageRoutes } from "../../src/web/pages/index.ts"
import { addressOf } from "../support/routes.ts"
import { held } from "../support/contract.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { roomId, openingThreadId: threadId } = house.rooms.main
const token = house.credentials.main_member_all.token
const key = house.keys.all.token

interface Route {
  readonly method: string
  readonly path: string
}

const pages: Route[] = []
pageRoutes(
  {} as Edge,
  { add: (method: string, path: string) => void pages.push({ method, path }) } as unknown as Routes,
)
const described: readonly Route[] = [
  ...reads,
  ...reads.flatMap((read) => ({ method: read.method, path: browserReadPath(read) ?? read.path })),
  ...discoveryRoutes,
  metricsRead,
  ...actions,
  ...operations,
  ...operations.map((operation) => ({ method: operation.method, path: browserPath(operation) })),
]
/** Reads that pages of other origins may use; `test/http/manners.test.ts` tests them. */
const open = new Set(
  [...reads, ...discoveryRoutes]
    .filter((read) => openOf(read) !== undefined)
    .map(({ method, path }) => `${method} ${path}`),
)
const nowhere: readonly Route[] = [
  "/nowhere",
  "/api",
  "/api/nowhere",
  "/api/agent/library/nowhere",
  "/assets/none.js",
  "/%ff",
].map((path) => ({ method: "GET", path }))
const pathOf = ({ path }: Route) => addressOf(path, { roomId, threadId, operation: "create_thread" })

const content = /^(?:text|application)\/[a-z.+-]+(?:; version=0\.0\.4)?; charset=utf-8$/

/** Types of files that are served as stored. */
const files: readonly string[] = [...reads, ...discoveryRoutes]
  .map(({ mediaType }) => mediaType)
  .filter((type) => !isText(type))

/** Pages that set a cookie with the reader's last visit, and that cookie. */
const section = /^\/rooms\/\{roomId\}\/\w+$/
const seen = /^research_room_seen=[\w.~-]+; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/

/** Requests every route and checks what all answers have in common. */
async function all(t: Test, routes: readonly Route[], headers: Record<string, string>): Promise<Set<number>> {
  const statuses = new Set<number>()
  for (const route of routes) {
    const { method, path } = route
    const response = await fetch(`${house.baseUrl}${pathOf(route)}`, { method, headers, redirect: "manual" })
    const what = `${method} ${path} ${response.status}`
    statuses.add(response.status)
    await response.body?.cancel()
    for (const [name, value] of Object.entries(commonHeaders))
      t.equal(response.headers.get(name), value, `${what}: ${name}`)
    const type = response.headers.get("content-type")
    if (type !== null && !files.includes(type)) t.match(type, content, `${what}: its charset is UTF-8`)
    if (type === null) t.equal(response.status, 303, `${what}: only a redirect has no content`)
    t.match(response.headers.get("x-request-id"), /^[a-z0-9]{10}$/, what)
    const shared = open.has(`${method} ${path}`) ? "*" : null
    t.equal(
      response.headers.get("access-control-allow-origin"),
      shared,
      `${what}: pages of other origins can read public answers only`,
    )
    for (const name of ["access-control-allow-credentials", "x-powered-by", "server"])
      t.equal(response.headers.get(name), null, `${what}: no ${name}`)
    const remembered = response.headers.getSetCookie()
    t.ok(
      remembered.length === 0 ||
        (headers.cookie !== undefined &&
          section.test(path) &&
          remembered.length === 1 &&
          seen.test(remembered[0] ?? "")),
      `${what}: no set-cookie, except how far a signed-in person has read a Room`,
    )
    t.not(response.status, 500)
  }
  return statuses
}

test("the values of these headers", (t) => {
  const policy = commonHeaders["content-security-policy"] ?? ""
  const directives = new Map(
    policy.split("; ").map((directive) => [directive.split(" ")[0], directive.split(" ").slice(1).join(" ")]),
  )
  t.equal(directives.get("default-src"), "'none'", "nothing is loaded unless it is named")
  for (const name of ["script-src", "style-src", "img-src", "font-src", "connect-src", "form-action"])
    t.equal(directives.get(name), "'self'", name)
  t.equal(directives.get("frame-ancestors"), "'none'", "no other page frames this one")
  t.equal(directives.get("base-uri"), "'none'")
  t.notMatch(policy, /unsafe|data:|https?:|\*/, "and no exception weakens that")
  t.match(commonHeaders, {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
  })
  t.end()
})

test("answers to anonymous requests", async (t) => {
  const statuses = await all(
    t,
    [...described, ...pages.filter(({ path }) => !/^\/(?:assets\/|favicon)/.test(path)), ...nowhere],
    {},
  )
  for (const status of [200, 303, 401, 403, 404]) t.ok(statuses.has(status), `${status} was among the answers`)
})

test("answers to agents", async (t) => {
  await all(t, described, { authorization: `Bearer ${token}`, "content-type": "application/json" })
  await all(t, described, { authorization: `Bearer ${key}`, "content-type": "application/json" })
})

test("answers to people", async (t) => {
  const { owner } = house.people
  const signedIn = await fetch(`${house.baseUrl}/api/session`, {
    method: "POST",
    headers: { origin: house.baseUrl, "content-type": "application/json" },
    body: JSON.stringify({ username: owner.username, password: owner.password }),
  })
  const cookie = (signedIn.headers.getSetCookie()[0] ?? "").split(";")[0] ?? ""
  // Signing out and in are checked with their cookies.
  const others = (route: Route) => !/sign-out|\/api\/session|\/assets\/|favicon/.test(route.path)
  await all(t, [...described, ...pages].filter(others), { cookie, origin: house.baseUrl })
  t.ok(await house.browser("owner", { fetch: held }))
})

test("only what never changes and is public may be cached", async (t) => {
  const page = await (await fetch(`${house.baseUrl}/`)).text()
  const assets = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((match) => match[1] as string)
  t.ok(assets.length > 1)
  for (const path of assets) {
    const response = await fetch(`${house.baseUrl}${path}`)
    await response.body?.cancel()
    t.equal(response.headers.get("cache-control"), "public, max-age=31536000, immutable", path)
    t.match(path, /-[A-Za-z0-9]{8}\./, "its name contains its digest")
    for (const name of ["content-security-policy", "x-content-type-options", "referrer-policy"])
      t.equal(response.headers.get(name), commonHeaders[name], `${path}: ${name}`)
  }
})
