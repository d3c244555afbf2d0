/**
 * Methods: each path accepts those of the registry and lists them when another is used; HEAD is GET without its body.
 */
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { actions } from "../../src/contract/operations/actions.ts"
import { discoveryRoutes } from "../../src/discovery/routes.ts"
import { browserPath } from "../../src/contract/definitions/operation.ts"
import { operations } from "../../src/contract/operations/index.ts"
import { browserReadPath } from "../../src/contract/definitions/read.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { commonHeaders } from "../../src/edge/answers/answer.ts"
import { ask } from "../support/ask.ts"
import { answersIn, dial, head } from "../support/socket.ts"
import { addressOf } from "../support/routes.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { roomId, openingThreadId: threadId } = house.rooms.main
const token = house.credentials.main_member_all.token
const inMain = { roomId, threadId }

const all = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const

/** The methods of each path, from the registry. */
const taken = new Map<string, Set<string>>()
const takes = (path: string, method: string) => {
  const known = taken.get(path) ?? new Set()
  taken.set(path, known.add(method))
  if (method === "GET") known.add("HEAD")
}
// Paths of operators answer 404 to everybody else, with any method (test/people/administration.test.ts).
const forEverybody = actions.filter(({ by }) => by !== "operator")
const readByOthers = reads.filter(({ surface }) => surface !== "operator")
for (const { path, method } of [...readByOthers, ...discoveryRoutes, ...forEverybody]) takes(path, method)
for (const read of reads) {
  const inBrowser = browserReadPath(read)
  if (inBrowser !== null) takes(inBrowser, read.method)
}
for (const operation of operations) {
  takes(browserPath(operation), operation.method)
  if (operation.surface === "agent") takes(operation.path, operation.method)
}

test("a path requested with a method that it does not accept answers 405 and lists those it does", async (t) => {
  for (const [path, methods] of taken) {
    const url = `${house.baseUrl}${addressOf(path, inMain)}`
    for (const method of all.filter((each) => !methods.has(each))) {
      const { status, headers, body } = await ask(url, { method, token })
      t.equal(status, 405, `${method} ${path}`)
      const allowed = headers.get("allow")?.split(", ") ?? []
      t.ok(
        [...methods, "OPTIONS"].every((each) => allowed.includes(each)),
        `${path} allows ${allowed.join(", ")}`,
      )
      t.notOk(allowed.includes(method))
      if (method !== "HEAD") t.match(body, { refusal: "method_not_allowed" })
    }
  }
})

test("HEAD answers what GET answers, headers and all, without a body", async (t) => {
  const paths = reads
    .filter(({ surface }) => surface === "public" || surface === "credential")
    .map(({ path }) => addressOf(path, inMain))
  for (const path of [...paths, "/api/manifest", "/llms.txt", "/api/health/ready", "/api/research/skill"]) {
    const get = await ask(`${house.baseUrl}${path}`, { token })
    const headed = await ask(`${house.baseUrl}${path}`, { method: "HEAD", token })
    t.equal(headed.status, get.status, path)
    t.equal(headed.text, "", `${path}: no body`)
    for (const name of ["content-type", "cache-control", "retry-after", "allow"])
      t.equal(headed.headers.get(name), get.headers.get(name), `${path}: ${name}`)
  }
  const line = await dial(house.baseUrl)
  await line.send(head("HEAD", "/api/research/rooms", `Host: ${new URL(house.baseUrl).host}`))
  await line.send(head("GET", "/api/health/live", `Host: ${new URL(house.baseUrl).host}`, "Connection: close"))
  const received = await line.closed()
  t.match(received, /\r\n\r\nHTTP\/1\.1 200 /, "on a persistent connection the next answer follows at once")
})

test("TRACE, CONNECT and made-up methods are not accepted", async (t) => {
  for (const method of ["TRACE", "PROPFIND", "QUERY"]) {
    const line = await dial(house.baseUrl)
    await line.send(
      head(
        method,
        "/api/research/rooms",
        `Host: ${new URL(house.baseUrl).host}`,
        "X-Secret: tell nobody",
        "Connection: close",
      ),
    )
    const [answer] = answersIn(await line.closed())
    t.ok([400, 405].includes(answer?.status ?? 0), `${method}: ${answer?.status}`)
    t.notMatch(answer?.body, /tell nobody/)
  }
})

// shows: 404 for what is not there, each kind under its own code.
test("an unknown path is 404 in the same envelope, however it is written", async (t) => {
  for (const path of [
    "/api",
    "/api/agent",
    "/api/agent/research",
    "/api/agent/research/fly",
    "/api/research/fly",
    "/api/research/rooms/x/y/z",
    "/api/%",
    "/api/%zz/%ff",
    "/api/..%2f..%2fetc/passwd",
    "/api/research/rooms%2f",
  ]) {
    const { status, body } = await ask(`${house.baseUrl}${path}`)
    t.strictSame([status, body?.refusal], [404, "unknown_operation"], path)
  }
  for (const { path, name, method } of reads.filter(
    ({ surface, path: pattern }) => surface === "public" && pattern.includes("{") && !pattern.includes("{arxivId}"),
  )) {
    for (const id of ["no-id", "%00", "%zz", "x".repeat(300), "'; DROP TABLE rooms; --"]) {
      const url = `${house.baseUrl}${path.replace(
        /\{[a-zA-Z]+\}/g,
        id.startsWith("%") ? id : encodeURIComponent(id),
      )}${name === "thread_replies" ? `?targetEntryId=${roomId}` : ""}`
      const sent = method === "POST" ? { body: { text: "1" } } : {}
      t.equal((await ask(url, sent)).status, 404, `${name} of ${id.slice(0, 30)}`)
    }
  }
})

// shows: Public reads are anonymous and cached nowhere.
// shows: skill: public_reads
test("every answer carries the security headers, and none is kept in a cache", async (t) => {
  const answers = [
    await ask(`${house.baseUrl}/api/research/rooms`),
    await ask(`${house.baseUrl}/api/manifest`),
    await ask(`${house.baseUrl}/llms.txt`),
    await ask(`${house.baseUrl}/api/nowhere`),
    await ask(`${house.baseUrl}/api/agent/research/identity`, { token }),
    await ask(`${house.baseUrl}/api/agent/research/identity`),
    await ask(`${house.baseUrl}/api/research/rooms`, { method: "DELETE" }),
    await ask(`${house.baseUrl}/api/session`),
  ]
  for (const { headers, status } of answers) {
    for (const [name, value] of Object.entries(commonHeaders)) t.equal(headers.get(name), value, `${status}: ${name}`)
    t.equal(headers.get("cache-control"), "no-store")
    t.equal(headers.get("x-content-type-options"), "nosniff")
    t.match(headers.get("content-security-policy"), /default-src 'none'.*frame-ancestors 'none'/)
    t.match(headers.get("content-type"), /; charset=utf-8$/)
    t.equal(headers.get("x-powered-by"), null)
    t.equal(headers.get("access-control-allow-credentials"), null, "no page of another site can read it with a session")
  }
})
