/**
 * What the log contains: who signed in and who failed to, which request it was, and no more lines than a person can
 * read.
 */
import tap, { test } from "tap"
import { RequestLog } from "../../src/edge/telemetry/request-log.ts"
import { RequestContext } from "../../src/edge/limits/request-context.ts"
import { openLog } from "../../src/log.ts"
import { Refusal } from "../../src/contract/refusals.ts"
import { ask } from "../support/ask.ts"
import { message } from "../support/bodies.ts"
import { passwordOf } from "../support/service.ts"
import { answersIn, dial, head } from "../support/socket.ts"
import { type LogLine, startWatched } from "./service.ts"

const quiet = await startWatched({ trustProxy: "on" })
const talkative = await startWatched({ trustProxy: "on", logRequests: "on" })
tap.teardown(() => Promise.all([quiet.close(), talkative.close()]))
for (const { instance } of [quiet, talkative]) await instance.accounts.add("ada", passwordOf("ada"))
const ada = quiet.instance.tables.people.named("ada")

const from = { "x-forwarded-for": "203.0.113.7" }
const signIn = (username: string, password: string) =>
  ask(`${quiet.baseUrl}/api/session`, { body: { username, password }, headers: { origin: quiet.baseUrl, ...from } })
const signInForm = (username: string, password: string) =>
  fetch(`${quiet.baseUrl}/web/sign-in`, {
    method: "POST",
    headers: { origin: quiet.baseUrl, ...from },
    body: new URLSearchParams({ username, password }),
    redirect: "manual",
  })

/** The lines that some work added. */
async function linesOf(service: typeof quiet, work: () => Promise<unknown>): Promise<readonly LogLine[]> {
  const before = service.lines.length
  await work()
  return service.lines.slice(before)
}

test("every answer has an id: the one sent if it is well-formed, otherwise a new one", async (t) => {
  const idOf = async (path: string, given?: string) =>
    (
      await fetch(`${quiet.baseUrl}${path}`, { headers: given === undefined ? {} : { "x-request-id": given } })
    ).headers.get("x-request-id") ?? ""
  for (const path of [
    "/",
    "/api/research/rooms",
    "/api/nowhere",
    "/api/agent/research/identity",
    "/assets/nothing",
    "/metrics",
  ]) {
    t.match(await idOf(path), /^[a-z0-9]{10}$/, path)
    t.equal(await idOf(path, "from-the.Proxy_7"), "from-the.Proxy_7", path)
  }
  for (const bad of ["", "a b", 'a"b', "é", "x".repeat(65), "{}", "a,b"])
    t.match(await idOf("/api/health/live", bad), /^[a-z0-9]{10}$/, `"${bad}"`)
  const ids = await Promise.all(Array.from({ length: 200 }, () => idOf("/api/health/live")))
  t.equal(new Set(ids).size, 200, "no two are equal")
  const line = await dial(quiet.baseUrl)
  const host = `Host: ${new URL(quiet.baseUrl).host}`
  await line.send(head("GET", "/api/health/live", host, "X-Request-Id: one", "X-Request-Id: two", "Connection: close"))
  t.match(answersIn(await line.closed())[0]?.head, /^x-request-id: [a-z0-9]{10}$/im, "two ids count as none")
})

test("every sign-in is logged, by the form and by the route, with its address and its request id", async (t) => {
  for (const enter of [signIn, signInForm]) {
    const [line, ...more] = await linesOf(quiet, () => enter("ada", passwordOf("ada")))
    t.match(line, {
      level: 30,
      msg: "signed in",
      username: "ada",
      address: "203.0.113.7",
      requestId: /^[a-z0-9]{10}$/,
      route: /sign-in|session/,
    })
    t.strictSame(more, [])
    const [refused, ...others] = await linesOf(quiet, () => enter("ada", "not the password"))
    t.match(refused, { level: 40, msg: "not let in", address: "203.0.113.7", route: /sign-in|session/ })
    t.strictSame(others, [])
  }
  const [known] = await linesOf(quiet, () => signIn("ada", "not the password"))
  t.match(
    known,
    { userId: ada?.userId, refusal: "not_authenticated" },
    "a failure with an existing username is logged under that account",
  )
  const [unknown] = await linesOf(quiet, () => signIn("nobody", "not the password"))
  t.notOk(unknown?.userId)
  t.notMatch(JSON.stringify(unknown), /nobody/, "a typed username may be a password, so it is not logged")
})

test("every refused credential is logged with the reason; a request without one is not an attempt", async (t) => {
  const identity = `${quiet.baseUrl}/api/agent/research/identity`
  const [line, ...more] = await linesOf(quiet, () => ask(identity, { token: "rrc_mistyped", headers: from }))
  t.match(line, {
    level: 40,
    msg: "not let in",
    why: /mistyped/,
    route: "/api/agent/research/identity",
    address: "203.0.113.7",
  })
  t.strictSame(more, [])
  t.strictSame(await linesOf(quiet, () => ask(identity)), [])
  t.strictSame(await linesOf(quiet, () => ask(`${quiet.baseUrl}/api/library/collections`)), [])
})

test("successes are logged only on request", async (t) => {
  t.strictSame(await linesOf(quiet, () => ask(`${quiet.baseUrl}/api/research/rooms`)), [])
  t.strictSame(await linesOf(quiet, () => ask(`${quiet.baseUrl}/api/nowhere`)), [])
})

test("on request, every request is a line: its route, never its path, and whose it was", async (t) => {
  const { instance, baseUrl } = talkative
  const headers = { origin: baseUrl }
  const signedIn = await ask(`${baseUrl}/api/session`, {
    body: { username: "ada", password: passwordOf("ada") },
    headers,
  })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const send = (path: string, body: object) =>
    ask(`${baseUrl}${path}`, {
      body: { schemaVersion: 3, requestId: crypto.randomUUID(), ...body },
      headers: { ...headers, cookie },
    })
  const { roomId, openingThreadId } = (await send("/api/rooms", { title: "Logs" })).body.result as unknown as Record<
    string,
    string
  >
  const issued = (await send(`/api/rooms/${roomId}/credentials`, { label: "agent", permissions: ["post_thread"] })).body
    .result as unknown as Record<string, string>
  const { token, credentialId } = issued
  const path = `${baseUrl}/api/agent/threads/${openingThreadId}/messages`
  await ask(path, {
    ...(token === undefined ? {} : { token }),
    body: message(),
    headers: { ...from, "x-request-id": "mine" },
  })
  await ask(path, { ...(token === undefined ? {} : { token }), body: {} })
  await ask(`${baseUrl}/api/research/rooms/${roomId}?secret=1`)
  await ask(`${baseUrl}/api/nowhere/${roomId}`)
  const written = () => talkative.lines.filter(({ msg }) => msg === "request")
  // A line is written after its answer, so the test waits for the last one, one turn of the event loop at a time.
  while (!written().some(({ status }) => status === 404)) await new Promise((resolve) => setImmediate(resolve))
  const requests = written()
  const userId = instance.tables.people.named("ada")?.userId
  t.match(
    requests.find(({ requestId }) => requestId === "mine"),
    {
      level: 30,
      method: "POST",
      route: "/api/agent/threads/{threadId}/messages",
      operation: "post_message",
      status: 200,
      address: "203.0.113.7",
      credentialId,
      userId,
      ms: Number,
      bytes: Number,
    },
  )
  t.match(
    requests.find(({ status, operation }) => status === 422 && operation === "post_message"),
    { refusal: "invalid_schema", credentialId },
  )
  t.match(
    requests.find(({ route }) => route === "/api/research/rooms/{roomId}"),
    { status: 422, refusal: "invalid_parameter" },
  )
  const nowhere = requests.find(({ status }) => status === 404)
  t.match(nowhere, { refusal: "unknown_operation" })
  t.notOk(nowhere?.route)
  t.notOk(
    requests.some((line) => JSON.stringify(line).includes(roomId ?? "-")),
    "no id from a path is in the log",
  )
  t.ok(requests.every(({ bytes, ms }) => Number(bytes) > 100 && Number(ms) > 0))
})

test("a flood of refused credentials leaves some lines, and then a count of those omitted", (t) => {
  const lines: LogLine[] = []
  const requestLog = new RequestLog(
    openLog("info", { to: { write: (text: string) => void lines.push(JSON.parse(text) as LogLine) } }),
  )
  for (let n = 0; n < 10_000; n += 1)
    requestLog.authenticationFailed(new RequestContext("203.0.113.7"), "This credential is unknown here.")
  t.ok(lines.length >= 100 && lines.length < 1_000, `${lines.length} lines of 10,000`)
  t.equal(lines[0]?.linesLeftOut, undefined)
  t.end()
})

test("a failed request is logged with its cause, which the answer does not contain", (t) => {
  const lines: LogLine[] = []
  const requestLog = new RequestLog(
    openLog("info", { to: { write: (text: string) => void lines.push(JSON.parse(text) as LogLine) } }),
  )
  const cause = new Error("A process for costly work ended with SIGKILL.")
  const refusal = new Refusal("temporarily_unavailable", "The process that made the export ended.", { cause })
  requestLog.couldNotServe(new RequestContext("203.0.113.7"), refusal)
  t.match(lines, [{ why: refusal.message, cause: cause.message }])
  t.notMatch(JSON.stringify(refusal.envelope("research")), /SIGKILL/)
  t.end()
})
