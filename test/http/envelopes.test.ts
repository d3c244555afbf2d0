/**
 * The refusal envelope on every route: each write and each read of the registry, requested with the common mistakes.
 * `ask` checks each refusal's envelope: its eight members, its status, its headers.
 */
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { browserPath, type Operation } from "../../src/contract/definitions/operation.ts"
import { operations } from "../../src/contract/operations/index.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { mintToken, type TokenKind } from "../../src/people/tokens.ts"
import { type Asked, ask } from "../support/ask.ts"
import { addressOf } from "../support/routes.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { roomId, openingThreadId: threadId } = house.rooms.empty
const { member_all, member_expired, member_revoked } = house.credentials

/** Requests a path of the registry and returns the answer. */
async function told(path: string, asked: Asked): Promise<string> {
  const { status, body } = await ask(`${house.baseUrl}${addressOf(path, { roomId, threadId })}`, asked)
  return `${status} ${String(body?.refusal)}`
}

const unknownOf = (kind: TokenKind) => mintToken(kind, (count) => Buffer.alloc(count, 7))
const mistyped = `${member_all.token.slice(0, -1)}${member_all.token.endsWith("x") ? "y" : "x"}`
const ada = await house.browser("owner")
const cookie = await (async () => {
  const { username, password } = house.people.owner
  const answer = await ask(`${house.baseUrl}/api/session`, {
    body: { username, password },
    headers: { origin: house.baseUrl },
  })
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? ""
})()

/** Invalid authentication on a route that takes a Room credential. */
const nobodies: Readonly<Record<string, Asked>> = {
  "no credential": {},
  "another scheme": { headers: { authorization: `Basic ${member_all.token}` } },
  "no token after the scheme": { headers: { authorization: "Bearer" } },
  "two tokens": { headers: { authorization: `Bearer ${member_all.token} ${member_all.token}` } },
  "a mistyped token": { token: mistyped },
  "a token cut off": { token: member_all.token.slice(0, 20) },
  "an unknown token": { token: unknownOf("credential") },
  "a personal key": { token: unknownOf("personalKey") },
  "a session's token": { token: cookie.split("=")[1] },
  "an invitation's token": { token: unknownOf("invitation") },
  "a word": { token: "let-me-in" },
  "an expired credential": { token: member_expired.token },
  "a revoked credential": { token: member_revoked.token },
  "the cookie of somebody signed in": { headers: { cookie } },
  "the cookie, and a wrong token": { headers: { cookie }, token: mistyped },
}

/** The Library has its own codes for these refusals. */
const research = operations.filter(({ family }) => family === "research")
const agentWrites = research.filter(({ surface }) => surface === "agent")
const agentReads = reads.filter(({ surface }) => surface === "credential")
const browserWrites: readonly Operation[] = research

// shows: Agent routes take a living Room credential, as bearer, and nothing else; no cookie is a fallback.
// shows: skill: agent_routes
// shows: Research routes refuse a personal key and Library routes a Room credential: 401.
// shows: 401 for a missing, unknown, expired or revoked credential, or the wrong kind.
test("every agent route answers 401 without a valid Room credential", async (t) => {
  for (const [what, asked] of Object.entries(nobodies)) {
    for (const { name, path } of agentWrites)
      t.equal(await told(path, { ...asked, body: {} }), "401 not_authenticated", `${name}: ${what}`)
    for (const { name, path } of agentReads)
      t.equal(await told(path, asked), "401 not_authenticated", `${name}: ${what}`)
  }
})

test("the sentence says what was wrong, as far as the holder may know", async (t) => {
  const sentences: Record<string, RegExp> = {
    "a mistyped token": /mistyped/,
    "a token cut off": /cut off/,
    "an unknown token": /unknown here/,
    "a personal key": /personal key opens the Library only/,
    "an expired credential": /expired at 20/,
    "a revoked credential": /revoked at 20/,
    "no credential": /Send a Room credential/,
  }
  for (const [what, sentence] of Object.entries(sentences)) {
    const { body, headers, text } = await ask(`${house.baseUrl}/api/agent/research/identity`, nobodies[what])
    t.match(body.error, sentence, what)
    t.match(headers.get("www-authenticate"), /^Bearer/)
    t.notMatch(text, /rr[crks]_[0-9A-Za-z]{10}/, "no token is repeated")
  }
})

// shows: An Origin header on an agent route is refused 403.
// shows: skill: agent_routes
test("an Origin header on an agent route is refused before anything else: 403", async (t) => {
  for (const origin of [house.baseUrl, "https://elsewhere.example", "null"]) {
    for (const { name, path } of agentWrites)
      t.equal(
        await told(path, { token: member_all.token, body: {}, headers: { origin } }),
        "403 browser_origin",
        `${name} from ${origin}`,
      )
    for (const { name, path } of agentReads)
      t.equal(
        await told(path, { token: member_all.token, headers: { origin } }),
        "403 browser_origin",
        `${name} from ${origin}`,
      )
  }
})

// shows: Browser routes take writes with the exact Origin and a session only.
test("a browser route takes writes from its own pages only, and from people only", async (t) => {
  const foreign = [
    {},
    { origin: "https://elsewhere.example" },
    { origin: "null" },
    { origin: house.baseUrl.replace("http:", "https:") },
    { origin: `${house.baseUrl}.elsewhere.example` },
  ]
  for (const operation of browserWrites) {
    const path = browserPath(operation)
    for (const headers of foreign) {
      const asked = { method: operation.method, body: {}, headers: { cookie, ...headers } as Record<string, string> }
      t.equal(
        await told(path, asked),
        "403 browser_origin",
        `${operation.name} from ${asked.headers.origin ?? "nowhere"}`,
      )
    }
    const origin = house.baseUrl
    t.equal(
      await told(path, { method: operation.method, body: {}, headers: { origin } }),
      "401 not_authenticated",
      `${operation.name}: not signed in`,
    )
    t.equal(
      await told(path, { method: operation.method, body: {}, headers: { origin, cookie: `${cookie}x` } }),
      "401 not_authenticated",
      `${operation.name}: an invalid cookie`,
    )
    t.equal(
      await told(path, { method: operation.method, body: {}, token: member_all.token, headers: { origin } }),
      "401 not_authenticated",
      `${operation.name}: a credential is not a session`,
    )
  }
})

// shows: Every refusal has the envelope, with committed, retryable, retryAfter, current and issues.
// shows: skill: refused
test("a body that is not JSON, or has another shape, is refused on every write", async (t) => {
  const bodies: readonly [Asked, string][] = [
    [{ raw: "{}", headers: { "content-type": "text/plain" } }, "415 not_json"],
    [{ raw: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } }, "415 not_json"],
    [{ raw: "{" }, "422 invalid_schema"],
    [{ raw: "" }, "422 invalid_schema"],
    [{ body: {} }, "422 invalid_schema"],
    [{ body: [] }, "422 invalid_schema"],
    [{ body: null }, "422 invalid_schema"],
    [{ body: "a string" }, "422 invalid_schema"],
    [{ body: { schemaVersion: 2 } }, "422 invalid_schema"],
  ]
  for (const [asked, expected] of bodies) {
    const what = JSON.stringify(asked)
    for (const { name, path } of agentWrites)
      t.equal(await told(path, { ...asked, method: "POST", token: member_all.token }), expected, `${name}: ${what}`)
    for (const operation of browserWrites) {
      const headers = { ...asked.headers, origin: house.baseUrl, cookie }
      t.equal(
        await told(browserPath(operation), { ...asked, method: operation.method, headers }),
        expected,
        `${operation.name} in the browser: ${what}`,
      )
    }
  }
})

test("the reads of people need a signed-in person", async (t) => {
  for (const { name, path } of reads.filter(({ surface, family }) => surface === "session" && family === "research")) {
    t.equal(await told(path, {}), "401 not_authenticated", name)
    t.equal(
      await told(path, { token: member_all.token }),
      "401 not_authenticated",
      `${name}: a credential is not a session`,
    )
  }
  t.match(await ada.read("members", { roomId }), { items: [{ username: "ada" }, { username: "grace" }] })
})
