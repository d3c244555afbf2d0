/**
 * Room credentials: issued by a member for themselves, shown once, stored as a digest, rotated, revoked, and expired.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { type Answer, ask } from "../support/ask.ts"
import { action, type Body, freshId, message } from "../support/bodies.ts"
import { openOwn } from "../support/lab.ts"
import { DAY } from "../support/service.ts"

const lab = await openOwn(tap, { people: ["ada", "grace"] })
const { ada, grace } = lab
const { roomId, threadId } = await lab.place("Warm-up")

const route = `/api/rooms/${roomId}/credentials`
const sent = async (
  browser: typeof ada,
  path: string,
  body: Body,
): Promise<{ status: number; body: Answer["body"]; text: string }> => {
  const response = await browser.request("POST", path, body)
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) as Answer["body"] }
}
const issue = (browser: typeof ada, more: Body = {}) =>
  sent(browser, route, action({ label: `sweep agent ${freshId()}`, permissions: ["post_thread"], ...more }))
const identity = (token: unknown) => ask(`${lab.baseUrl}/api/agent/research/identity`, { token: String(token) })
const post = (token: unknown) =>
  ask(`${lab.baseUrl}/api/agent/threads/${threadId}/messages`, { token: String(token), body: message() })

// shows: Identity, status and access are read with a credential, of its own Room.
test("a member issues a credential that acts for her and names its permissions", async (t) => {
  const asked = {
    label: "sweep agent",
    permissions: ["publish_records", "post_thread"],
    threadIds: [threadId.toUpperCase()],
  }
  const { body } = await issue(grace, asked)
  t.match(body, {
    target: { kind: "credential", label: null },
    entry: null,
    activity: null,
    result: { label: "sweep agent", threadIds: [threadId], token: /^rrc_[0-9A-Za-z]{36}$/ },
  })
  const { body: who } = await identity(body.result?.token)
  t.match(who, {
    username: "grace",
    grants: ["publish_records", "post_thread"],
    credential: { id: body.target?.id, label: "sweep agent", threadIds: [threadId] },
    room: { id: roomId, title: "Warm-up", archived: false },
    assignments: [],
  })
})

test("two live credentials of a member in a Room cannot share a name", async (t) => {
  const first = await issue(ada, { label: "mcp" })
  for (const label of ["mcp", "MCP", " mcp", "\uff4d\uff43\uff50", "m\u200bcp"])
    t.match(
      await issue(ada, { label }),
      { status: 409, body: { refusal: "state_conflict", error: /Nothing was stored/, current: { suggestion: /-2$/ } } },
      `${label} looks like it`,
    )
  t.equal((await issue(ada, { label: "mcp-2" })).status, 200, "the suggestion is free")
  t.match((await issue(ada, { label: "mcp" })).body.current, { suggestion: "mcp-3" })
  t.equal((await issue(grace, { label: "mcp" })).status, 200, "another member's agent may have that name")
  const rotated = await sent(ada, `${route}/${first.body.target?.id}/rotate`, action())
  t.match(rotated.body.result, { label: "mcp" }, "a rotation keeps the name")
  await sent(ada, `${route}/${rotated.body.target?.id}/revoke`, action())
  t.equal((await issue(ada, { label: "mcp" })).status, 200, "a revoked credential frees its name")
})

test("an agent's name uses one script, one line and one reading direction", async (t) => {
  for (const label of [
    "сweep",
    "sweeр agent",
    "αgent",
    "sωeep",
    "ѕweep",
    "sweeep\u200b\u043e",
    "аgent-мcp",
    "ｍсp",
    "Ꭺgent",
    "ագent",
  ])
    t.match(
      await issue(ada, { label }),
      {
        status: 422,
        body: { refusal: "invalid_schema", error: /several scripts.*Nothing was stored/, issues: [{ path: "/label" }] },
      },
      encodeURIComponent(label),
    )
  for (const label of ["\u202emcp\u202c", "mcp\nada", "mcp\u2028ada", "a\u2066b", "mcp\u0007", "mcp\u200f"])
    t.match(
      await issue(ada, { label }),
      { status: 422, body: { issues: [{ path: "/label", message: /one line/ }] } },
      encodeURIComponent(label),
    )
  for (const label of [
    "агент 7",
    "πράκτορας",
    "エージェント mcp 二",
    "代理 agent",
    "에이전트 gpt",
    "सहायक",
    "וכיל",
    "вычислитель-2 🤖",
    "Café №4 — 90 %",
  ])
    t.equal((await issue(ada, { label })).status, 200, label)
})

test("the token is in the first answer only: a replay omits it", async (t) => {
  const body = action({ label: "once", permissions: ["post_thread"] })
  const first = await sent(ada, route, body)
  t.match(first.body.result, { token: String })
  const again = await sent(ada, route, body)
  t.match(again.body, { replayed: true, target: first.body.target })
  t.notHas(again.body.result, { token: String })
  const rotation = action()
  const path = `${route}/${first.body.target?.id}/rotate`
  const rotated = await sent(ada, path, rotation)
  t.match(rotated.body.result, { token: String })
  t.notHas((await sent(ada, path, rotation)).body.result, { token: String })
  const rehearsed = await sent(ada, `${route}?rehearse=1`, action({ label: "tried", permissions: ["post_thread"] }))
  t.match(
    (await identity(rehearsed.body.result?.token)).body,
    { refusal: "not_authenticated" },
    "a rehearsed one opens nothing",
  )
})

test("every data file holds only the digest of a token", async (t) => {
  const tokens = await Promise.all(
    [ada, grace].map(async (browser) => String((await issue(browser)).body.result?.token)),
  )
  for (const token of tokens) t.equal((await post(token)).status, 200)
  const files = readdirSync(lab.folder).filter((name) => name.startsWith("research-room.db"))
  t.ok(files.includes("research-room.db-wal"), "the log is among them")
  for (const file of files) {
    const bytes = readFileSync(join(lab.folder, file)).toString("latin1")
    for (const token of tokens) {
      t.notOk(bytes.includes(token), `${file} does not hold the token`)
      t.notOk(bytes.includes(token.slice(4, 34)), `nor its random part alone`)
    }
    t.notOk(/rr[csiku]_[0-9A-Za-z]{36}/.test(bytes), `${file} holds no token of any kind`)
  }
})

test("ninety days by default, at most 366, and always in the future", async (t) => {
  const now = Date.now()
  const { body } = await issue(ada)
  t.ok(Math.abs(Date.parse(String(body.result?.expiresAt)) - now - limits.credentialDaysDefault * DAY) < 60_000)
  const chosen = new Date(now + 366 * DAY - 60_000).toISOString()
  t.strictSame((await issue(ada, { expiresAt: chosen })).body.result?.expiresAt, chosen)
  t.strictSame(
    (await issue(ada, { expiresAt: chosen.replace("Z", "+00:00") })).body.result?.expiresAt,
    chosen,
    "any offset is accepted and returned in UTC",
  )
  for (const expiresAt of [new Date(now + 367 * DAY), new Date(now - 1_000), new Date(0)].map((at) =>
    at.toISOString(),
  )) {
    t.match(
      await issue(ada, { expiresAt }),
      { status: 422, body: { refusal: "invalid_schema", issues: [{ path: "/expiresAt" }] } },
      expiresAt,
    )
  }
  for (const expiresAt of ["tomorrow", "2027-02-30T00:00:00Z", "2027-01-01", 1_900_000_000])
    t.match(
      await issue(ada, { expiresAt }),
      { status: 422, body: { issues: [{ path: "/expiresAt" }] } },
      String(expiresAt),
    )
})

test("permissions and Threads are named once each, and must exist", async (t) => {
  const faults: readonly [Body, string][] = [
    [{ permissions: [] }, "/permissions"],
    [{ permissions: ["post_thread", "post_thread"] }, "/permissions"],
    [{ permissions: ["everything"] }, "/permissions/0"],
    [{ threadIds: [] }, "/threadIds"],
    [{ threadIds: [threadId, threadId] }, "/threadIds"],
    [{ label: " " }, "/label"],
    [{ label: "x".repeat(101) }, "/label"],
  ]
  for (const [more, path] of faults)
    t.match(
      await issue(ada, more),
      { status: 422, body: { refusal: "invalid_schema", issues: [{ path }] } },
      JSON.stringify(more),
    )
  t.match(await issue(ada, { threadIds: [threadId, freshId()] }), {
    status: 422,
    body: { refusal: "unknown_reference", issues: [{ path: "/threadIds/1" }] },
  })
})

// shows: Old credentials acquire no new grants.
test("a rotation gives a new token for the same work, and ends the old one at once", async (t) => {
  const { body: first } = await issue(grace, { permissions: ["post_thread"], threadIds: [threadId] })
  const { body: rotated } = await sent(grace, `${route}/${first.target?.id}/rotate`, action())
  t.not(String(rotated.target?.id), String(first.target?.id))
  t.match(rotated.result, {
    label: first.result?.label,
    permissions: first.result?.permissions,
    threadIds: first.result?.threadIds,
  })
  t.equal((await post(rotated.result?.token)).status, 200)
  const old = await post(first.result?.token)
  t.strictSame([old.status, old.body.refusal], [401, "not_authenticated"])
  t.match(
    await sent(grace, `${route}/${first.target?.id}/rotate`, action()),
    { status: 409, body: { refusal: "state_conflict", current: { credentialId: first.target?.id } } },
    "a revoked credential cannot be rotated",
  )
  const both = await Promise.all([1, 2].map(() => sent(grace, `${route}/${rotated.target?.id}/rotate`, action())))
  t.strictSame(both.map(({ status }) => status).sort(), [200, 409], "of two simultaneous rotations one succeeds")
})

test("a revoked credential stops working at once, and its owner and the Room's owner may revoke it", async (t) => {
  for (const by of [grace, ada]) {
    const { body } = await issue(grace)
    t.equal((await post(body.result?.token)).status, 200)
    const revoked = await sent(by, `${route}/${body.target?.id}/revoke`, action())
    t.match(revoked.body.result, { credentialId: body.target?.id, revokedAt: /^20/ })
    t.match((await post(body.result?.token)).body, { refusal: "not_authenticated", error: /revoked/ })
    t.match(await sent(by, `${route}/${body.target?.id}/revoke`, action()), { status: 409 })
  }
  const adas = await issue(ada)
  t.match(await sent(grace, `${route}/${adas.body.target?.id}/revoke`, action()), {
    status: 403,
    body: { refusal: "role_required" },
  })
  t.match(await sent(ada, `${route}/${freshId()}/revoke`, action()), { status: 404 })
  const other = (await ada.write("create_room", { title: "Another" })).result.roomId
  t.match(
    await sent(ada, `/api/rooms/${other}/credentials/${adas.body.target?.id}/revoke`, action()),
    { status: 404 },
    "under another Room's path it does not exist",
  )
})

test("members see their own credentials, the owner everybody's, nobody a token", async (t) => {
  const [graces, adas] = [await grace.read("credentials", { roomId }), await ada.read("credentials", { roomId })]
  t.ok(graces.items.length > 0 && graces.items.every(({ owner }) => owner.username === "grace"))
  t.strictSame(new Set(adas.items.map(({ owner }) => owner.username)), new Set(["ada", "grace"]))
  t.notMatch(JSON.stringify([graces, adas]), /rrc_\w{5}/, "except its first characters")
  const { body } = await issue(grace)
  const used = async () =>
    (await grace.read("credentials", { roomId })).items.find(
      ({ credentialId }) => credentialId === String(body.target?.id),
    )?.lastUsedAt
  t.equal(await used(), null)
  await post(body.result?.token)
  t.match(await used(), /^20/)
})

test("the use of a credential that only reads is recorded too, after the answer", async (t) => {
  const { body } = await issue(grace)
  const used = async () =>
    (await grace.read("credentials", { roomId })).items.find(
      ({ credentialId }) => credentialId === String(body.target?.id),
    )?.lastUsedAt
  t.equal((await identity(String(body.result?.token))).status, 200)
  for (let look = 0; look < 200 && (await used()) === null; look += 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
  t.match(await used(), /^20/)
})

test(
  "a credential that only reads public data over MCP counts as used too; " + "once revoked it reads nothing there",
  async (t) => {
    const { body } = await issue(grace)
    const id = String(body.target?.id)
    const own = async () =>
      (await grace.read("credentials", { roomId })).items.find(({ credentialId }) => credentialId === id)?.lastUsedAt
    const call = () =>
      fetch(`${lab.baseUrl}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${String(body.result?.token)}`,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "rooms", arguments: {} } }),
      })
    t.equal(await own(), null)
    const answer = await call()
    t.match([answer.status, await answer.text()], [200, /Warm-up/])
    for (let look = 0; look < 200 && (await own()) === null; look += 1)
      await new Promise((resolve) => setTimeout(resolve, 20))
    t.match(await own(), /^20/)
    await sent(grace, `${route}/${id}/revoke`, action())
    const refused = await call()
    t.match([refused.status, await refused.text()], [401, /was revoked/])
  },
)

// shows: 401 for a missing, unknown, expired or revoked credential, or the wrong kind.
test("a credential expires, to the millisecond, for reads and writes", async (t) => {
  const { body } = await issue(grace, { expiresAt: new Date(Date.now() + 2 * DAY).toISOString() })
  const { token } = body.result as unknown as { token: string }
  t.equal((await identity(token)).status, 200)
  lab.pass(2 * DAY)
  for (const answer of [
    await identity(token),
    await post(token),
    await ask(`${lab.baseUrl}/api/agent/rooms/${roomId}/status`, { token }),
  ]) {
    t.match(answer.body, { refusal: "not_authenticated", error: /expired/ })
  }
})

test("a removed member lists and revokes only their own credentials", async (t) => {
  const mary = await lab.person("mary")
  await ada.write("add_member", { roomId, username: "mary" })
  const own = String((await issue(mary)).body.target?.id)
  const others = String((await issue(ada)).body.target?.id)
  const session = (await mary.request("GET", "/api/session").then((response) => response.json())) as {
    person: { userId: string }
  }
  const { userId } = session.person
  await ada.write("remove_member", { roomId, userId })
  const listed = (await mary.request("GET", route).then((response) => response.json())) as {
    items: { credentialId: string }[]
  }
  t.strictSame(
    listed.items.map(({ credentialId }) => credentialId),
    [own],
  )
  t.match(await sent(mary, `${route}/${others}/revoke`, action()), { status: 403, body: { refusal: "not_a_member" } })
  t.match(await sent(mary, `${route}/${own}/revoke`, action()), {
    status: 200,
    body: { result: { credentialId: own } },
  })
  t.match(await sent(mary, `${route}/${own}/revoke`, action()), { status: 409, body: { refusal: "state_conflict" } })
  const stranger = await lab.person("emmy")
  t.equal((await stranger.request("GET", route)).status, 403, "a person who never was a member sees no list")
})
