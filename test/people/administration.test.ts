/**
 * What operators read and end as JSON: lists from newest to oldest, no secrets in any, one thing ended at a time;
 * everybody else gets a 404.
 */
import tap, { test } from "tap"
import { ResearchRoomClient } from "research-room/client"
import { checkData } from "../../src/check/check.ts"
import { actions } from "../../src/contract/operations/actions.ts"
import type { AuditEntry } from "../../src/contract/nouns/administration.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { type Answer, ask, type Json } from "../support/ask.ts"
import { freshId } from "../support/bodies.ts"
import { addressOf } from "../support/routes.ts"
import { openOwn } from "../support/lab.ts"

const lab = await openOwn(tap)
const { ada, grace, mary } = lab
const { roomId, openingThreadId } = (await grace.write("create_room", { title: "Warm-up" })).result
await grace.write("add_member", { roomId, username: "mary" })

type Someone = typeof ada
const tellAll = async (response: Response): Promise<Answer> => {
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text.startsWith("{") ? (JSON.parse(text) as Json) : ({} as Json),
  }
}
const get = async (by: Someone, path: string) => tellAll(await by.request("GET", path))
const post = async (by: Someone, path: string, body: object = {}) =>
  tellAll(await by.request("POST", path, { schemaVersion: 3, requestId: freshId(), ...body }))
const itemsOf = ({ body }: Answer) => body.items as unknown as Record<string, unknown>[]

const issued = await Promise.all(
  ["sweeper", "watcher", "runner"].map((label) =>
    grace.write("issue_credential", { roomId, label, permissions: ["post_thread"] } as never),
  ),
)
const tokens = issued.map(({ result }) => (result as unknown as { token: string }).token)
const key = (
  (
    await post(mary, "/api/library/keys", {
      schemaVersion: 1,
      label: "reader",
      permissions: ["read_library"],
      reach: "all",
    })
  ).body.result as unknown as {
    token: string
  }
).token
const invited = (await post(grace, "/api/invitations", { roomId })).body as unknown as {
  token: string
  invitationId: string
}

const lists = reads.filter(({ surface, cursor }) => surface === "operator" && cursor !== null)
const operatorReads = reads.filter(({ surface }) => surface === "operator")
const operatorActions = actions.filter(({ by }) => by === "operator")

test("members, strangers, credentials and keys get a 404 at every operator address, with any method", async (t) => {
  t.ok(operatorReads.length >= 7 && operatorActions.length >= 9)
  const askers: [string, (method: string, path: string) => Promise<Response>][] = [
    [
      "a member",
      (method, path) =>
        mary.request(method, path, method === "POST" || method === "DELETE" ? { schemaVersion: 3 } : undefined),
    ],
    ["a stranger", (method, path) => fetch(lab.baseUrl + path, { method })],
    [
      "a credential",
      (method, path) => fetch(lab.baseUrl + path, { method, headers: { authorization: `Bearer ${tokens[0]}` } }),
    ],
    ["a key", (method, path) => fetch(lab.baseUrl + path, { method, headers: { authorization: `Bearer ${key}` } })],
  ]
  for (const { path: pattern, method: own } of [...operatorReads, ...operatorActions]) {
    const path = addressOf(pattern)
    const nowhere = path.replace("/api/admin/", "/api/nowhere/")
    for (const [who, asking] of askers)
      for (const method of new Set([own, "GET", "HEAD", "OPTIONS"])) {
        const told = async (at: string) => {
          const answer = await asking(method, at)
          const headers = [...answer.headers].filter(
            ([name]) => !["date", "content-length", "x-request-id"].includes(name),
          )
          return { status: answer.status, headers, text: (await answer.text()).replaceAll(at, "") }
        }
        t.strictSame(await told(path), await told(nowhere), `${who}: ${method} ${pattern}`)
      }
  }
})

test("lists go from newest to oldest, each item once, and a cursor that no list gave is refused", async (t) => {
  for (const { name, path, cursor } of lists) {
    const whole = itemsOf(await get(ada, path))
    const walked: unknown[] = []
    for (let after: string | undefined = ""; after !== undefined; ) {
      const page: Answer = await get(ada, `${path}?limit=1${after === "" ? "" : `&after=${after}`}`)
      t.equal(page.status, 200, `${name}: ${page.text.slice(0, 200)}`)
      walked.push(...itemsOf(page))
      after = page.body.nextCursor === null ? undefined : String(page.body.nextCursor)
    }
    t.strictSame(walked, whole, name)
    const id = (item: Record<string, unknown>) =>
      String(
        cursor === "sequence"
          ? String(item.sequence).padStart(9, "0")
          : Object.entries(item).find(([member]) => member.endsWith("Id"))?.[1],
      )
    if (name !== "admin_rooms" && name !== "admin_credentials") t.ok(whole.length > 0, name)
    t.strictSame(whole.map(id), whole.map(id).sort().reverse(), `${name}: newest first`)
    t.equal((await get(ada, `${path}?after=nothing`)).status, 422, `${name}: another cursor`)
    t.equal((await get(ada, `${path}?before=1`)).status, 422, `${name}: an unknown parameter`)
  }
})

test("each list shows what an operator needs: the owner, the Room, since when, and the last use", async (t) => {
  await new ResearchRoomClient({ baseUrl: lab.baseUrl, token: tokens[2] ?? "" }).write("post_message", {
    threadId: openingThreadId,
    text: "Used.",
  })
  t.match(itemsOf(await get(ada, "/api/admin/people")), [
    { username: "mary", isOperator: false, rooms: 1, ownedRooms: 0, disabledAt: null, signedInAt: /Z$/ },
    { username: "grace", rooms: 1, ownedRooms: 1 },
    { username: "ada", isOperator: true, rooms: 0 },
  ])
  t.match(itemsOf(await get(ada, "/api/admin/rooms")), [
    {
      roomId,
      title: "Warm-up",
      owner: { username: "grace", disabledAt: null },
      state: "active",
      origin: null,
      members: 2,
      entries: /^\d+$/,
    },
  ])
  const accepted = lab.instance.db
    .prepare<{ bytes: number }>(
      `SELECT sum(octet_length(content)) AS bytes
        FROM journal
        WHERE room = (SELECT place FROM places WHERE id = ?) AND room_sequence > 0`,
    )
    .one(roomId).bytes
  t.equal(
    itemsOf(await get(ada, "/api/admin/rooms"))[0]?.acceptedBytes,
    accepted,
    "its size is that of all its accepted writes",
  )
  const credentials = itemsOf(await get(ada, "/api/admin/credentials"))
  t.strictSame(new Set(credentials.map(({ label }) => label)), new Set(["sweeper", "watcher", "runner"]))
  t.match(
    credentials.find(({ label }) => label === "runner"),
    {
      owner: { username: "grace" },
      roomId,
      roomTitle: "Warm-up",
      tokenStart: tokens[2]?.slice(0, 8),
      lastUsedAt: /Z$/,
      revokedAt: null,
    },
  )
  t.match(itemsOf(await get(ada, "/api/admin/keys")), [
    { label: "reader", owner: { username: "mary" }, tokenStart: key.slice(0, 8) },
  ])
  t.match(itemsOf(await get(ada, "/api/admin/invitations")), [
    { invitationId: invited.invitationId, invitedBy: "grace", roomId, title: "Warm-up" },
  ])
  const overview = (await get(ada, "/api/admin/overview")).body
  t.match(overview, {
    storage: { databaseBytes: /^\d+$/ },
    backup: null,
    restoredAt: null,
    versions: { node: process.versions.node },
    lineage: [],
  })
  t.ok(Number(overview.acceptedWrites) > 5)
  const lines = itemsOf(await get(ada, "/api/admin/audit?kind=issue_credential&user=grace")) as unknown as AuditEntry[]
  t.equal(lines.length, 3)
  t.equal((await get(ada, "/api/admin/audit?user=nobody-at-all")).status, 404)
  t.equal((await get(ada, "/api/admin/audit?kind=nothing")).status, 422)
  const texts = await Promise.all(operatorReads.map(async ({ path }) => (await get(ada, path)).text))
  for (const secret of [...tokens, key, invited.token])
    t.notOk(
      texts.some((text) => text.includes(secret)),
      "no token is in any answer",
    )
})

test("one credential of another user is ended, at once and only once; her others still work", async (t) => {
  const [first, second] = itemsOf(await get(ada, "/api/admin/credentials")).filter(({ label }) => label !== "runner")
  const tokenOf = (label: unknown) => tokens[["sweeper", "watcher", "runner"].indexOf(String(label))]
  const identity = async (label: unknown) =>
    (await ask(`${lab.baseUrl}/api/agent/research/identity`, { token: tokenOf(label) })).status
  const end = (id: unknown) => post(ada, `/api/admin/credentials/${id}/revoke`)
  t.match(await end(first?.credentialId), {
    status: 200,
    body: { id: first?.credentialId, of: { username: "grace" }, revokedAt: /Z$/ },
  })
  t.strictSame([await identity(first?.label), await identity(second?.label)], [401, 200])
  t.match(await end(first?.credentialId), { status: 409, body: { refusal: "state_conflict" } })
  t.match(await end(freshId()), { status: 404, body: { refusal: "room_unavailable" } })
  t.match(itemsOf(await get(ada, "/api/admin/audit?limit=1")), [
    {
      kind: "revoke_credential",
      by: { username: "ada" },
      subject: { kind: "credential", name: first?.label },
      roomId,
      detail: { of: "grace" },
    },
  ])
})

test("so are one personal key and one invitation; an accepted invitation cannot be revoked", async (t) => {
  const [{ keyId } = {}] = itemsOf(await get(ada, "/api/admin/keys"))
  t.equal((await ask(`${lab.baseUrl}/api/agent/library/identity`, { token: key })).status, 200)
  t.equal((await post(ada, `/api/admin/keys/${keyId}/revoke`)).status, 200)
  t.equal((await ask(`${lab.baseUrl}/api/agent/library/identity`, { token: key })).status, 401)
  t.equal((await post(ada, `/api/admin/invitations/${invited.invitationId}/revoke`)).status, 200)
  t.equal((await ask(`${lab.baseUrl}/api/invitations/${invited.token}`)).status, 404)
  t.equal((await post(ada, `/api/admin/invitations/${invited.invitationId}/revoke`)).status, 409)

  const taken = (await post(grace, "/api/invitations")).body as unknown as { token: string; invitationId: string }
  const erin = lab.stranger()
  t.equal(
    (
      await erin.request("POST", `/api/invitations/${taken.token}/accept`, {
        username: "erin",
        password: "a long sentence of hers",
      })
    ).status,
    200,
  )
  t.match(await post(ada, `/api/admin/invitations/${taken.invitationId}/revoke`), {
    status: 409,
    body: { error: /was accepted/ },
  })
})

test("a person disabled while waiting for a feed gets what any stranger gets, and can no longer write", async (t) => {
  const after = (await grace.read("room", { roomId })).activityWatermark
  const feed = `/api/research/rooms/${roomId}/activity?after=${after}&wait=25`
  const [hers, anybodys] = [get(grace, feed), get(lab.stranger(), feed)]
  while (lab.instance.ledger.watch.waiting < 2) await new Promise((resolve) => setImmediate(resolve))
  const { userId } = itemsOf(await get(ada, "/api/admin/people")).find(({ username }) => username === "grace") ?? {}
  t.equal((await post(ada, `/api/admin/people/${userId}/disable`)).status, 200)
  await mary.write("post_message", { threadId: openingThreadId, text: "Meanwhile." } as never)
  const strip = ({ text }: Answer) => text.replace(/"generatedAt":"[^"]*"/, "")
  t.equal(strip(await hers), strip(await anybodys), "the feed is public: signing in adds nothing to it")
  await t.rejects(grace.write("post_message", { threadId: openingThreadId, text: "Still here?" } as never))
})

test("endings are in the journal: a replay gives the same tables", (t) => {
  t.strictSame(checkData(lab.instance.db).problems, [])
  t.end()
})
