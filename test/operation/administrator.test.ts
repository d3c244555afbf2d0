/**
 * The administrator's day: a user leaves without notice, their Room is handed over, all their access ends, and they
 * come back.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { ResearchRoomClient } from "research-room/client"
import { importCrate } from "../../src/app/imports/import.ts"
import { checkData } from "../../src/check/check.ts"
import type { AuditEntry } from "../../src/contract/nouns/administration.ts"
import { ask } from "../support/ask.ts"
import { freshId } from "../support/bodies.ts"
import { openOwn } from "../support/lab.ts"
import { passwordOf, startOwn } from "../support/service.ts"

const lab = await openOwn(tap)
const { ada, grace, mary } = lab
const { audit, people } = lab.instance.tables
const idOf = (username: string) => people.named(username)?.userId ?? ""

type Someone = typeof ada
const send = async (by: Someone, method: string, path: string, body: object = {}) => {
  const answer = await by.request(method, path, { schemaVersion: 3, requestId: freshId(), ...body })
  const text = await answer.text()
  return {
    status: answer.status,
    text,
    body: JSON.parse(text) as Record<string, never> & { result: Record<string, string>; refusal: string },
  }
}
const signIn = (username: string) =>
  ask(`${lab.baseUrl}/api/session`, {
    body: { username, password: passwordOf(username) },
    headers: { origin: lab.baseUrl },
  })
const whoIs = async (by: Someone) =>
  ((await (await by.request("GET", "/api/session")).json()) as { person: object | null }).person
const admin = (by: Someone, username: string, deed: string, method = "POST") =>
  send(by, method, `/api/admin/people/${idOf(username)}/${deed}`)
const newest = (): AuditEntry | undefined => audit.page({}, null, 1)[0]

// Grace's Room, with mary in it; a credential and a key of hers, and a link by which she could sign in again.
const { roomId } = (await send(grace, "POST", "/api/rooms", { title: "Warm-up" })).body.result as { roomId: string }
await send(grace, "POST", `/api/rooms/${roomId}/members`, { username: "mary" })
const issued = (
  await send(grace, "POST", `/api/rooms/${roomId}/credentials`, { label: "sweeper", permissions: ["post_thread"] })
).body.result
const credential = issued.token ?? ""
const key = (
  await send(grace, "POST", "/api/library/keys", {
    schemaVersion: 1,
    label: "reader",
    permissions: ["read_library"],
    reach: "all",
  })
).body.result.token as string
const invitation = (await send(grace, "POST", "/api/invitations", { roomId })).body as unknown as { token: string }
const agent = new ResearchRoomClient({ baseUrl: lab.baseUrl, token: credential })
const { result } = await agent.write("create_thread", { roomId, title: "What she said" })

test("for everyone but operators the operator routes do not exist", async (t) => {
  for (const by of [mary, lab.stranger()])
    for (const [method, deed] of [
      ["POST", "disable"],
      ["POST", "operator"],
      ["DELETE", "operator"],
      ["POST", "end-access"],
      ["GET", "disable"],
      ["OPTIONS", "disable"],
    ] as const) {
      const path = `/api/admin/people/${idOf("ada")}/${deed}`
      const nothing = `/api/nowhere/people/${idOf("ada")}/${deed}`
      const [there, nowhere] = await Promise.all(
        [path, nothing].map(async (at) => {
          const answer = await by.request(
            method,
            at,
            method === "GET" || method === "OPTIONS" ? undefined : { schemaVersion: 3 },
          )
          const headers = [...answer.headers].filter(
            ([name]) => !["date", "content-length", "x-request-id"].includes(name),
          )
          return { status: answer.status, headers, text: (await answer.text()).replaceAll(at, "") }
        }),
      )
      t.strictSame(there, nowhere, `${method} ${deed}`)
      t.equal(there?.status, 404)
    }
  const form = await fetch(`${lab.baseUrl}/web/admin/people/${idOf("ada")}/disable_person`, {
    method: "POST",
    headers: { origin: lab.baseUrl, accept: "text/html" },
  })
  t.equal(form.status, 404)
  t.match(await form.text(), /Nothing found here/)
  t.match(people.ofHere(idOf("ada")), { isOperator: true, disabledAt: null })
})

test("the owner has left: she is disabled, and all her access ends at once", async (t) => {
  const done = await admin(ada, "grace", "disable")
  t.match(done, {
    status: 200,
    body: { person: { username: "grace", disabledAt: /Z$/ }, ended: { credentials: 1, keys: 1, invitations: 1 } },
  })
  t.match(newest(), {
    kind: "disable_person",
    by: { username: "ada" },
    subject: { name: "grace" },
    detail: { credentials: 1 },
  })

  t.strictSame(await whoIs(grace), null, "her browser is signed out")
  t.equal((await send(grace, "POST", "/api/rooms", { title: "Another" })).status, 401)
  await t.rejects(agent.write("post_message", { threadId: result.threadId, text: "Still here?" }), /was revoked at/)
  await t.rejects(agent.read("identity"), /was revoked at/)
  t.equal((await ask(`${lab.baseUrl}/api/agent/library/identity`, { token: key })).status, 401)
  const mcp = await ask(`${lab.baseUrl}/mcp`, {
    token: credential,
    body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    headers: { accept: "application/json, text/event-stream" },
  })
  t.equal(mcp.status, 401)
  t.equal(
    (await ask(`${lab.baseUrl}/api/invitations/${invitation.token}`)).status,
    404,
    "nor can she sign in by a link of her own",
  )

  const [hers, nobodys] = [await signIn("grace"), await signIn("nobody-at-all")]
  t.strictSame([hers.status, hers.text], [401, nobodys.text], "she gets the same answer as an unknown user")
  const thread = await ask(`${lab.baseUrl}/api/research/threads/${result.threadId}/context`)
  t.match(thread.body, { thread: { title: "What she said" } }, "what she said stays")
  t.match(thread.text, /grace/, "under her name")
  t.equal((await admin(ada, "grace", "disable")).body.refusal, "state_conflict", "a second time changes nothing")
  const added = await send(ada, "POST", "/api/rooms", { title: "Ada's" })
  const into = await send(ada, "POST", `/api/rooms/${added.body.result.roomId}/members`, { username: "grace" })
  t.equal(into.status, 404, "a disabled user cannot admit others")
})

test("the operator hands over her Room and says why; its record shows it", async (t) => {
  const transfer = (by: Someone, to: string, body: object = {}) =>
    send(by, "POST", `/api/rooms/${roomId}/members/${idOf(to)}/transfer`, body)
  t.match(await transfer(mary, "mary"), { status: 403, body: { refusal: "role_required" } }, "a member cannot take it")
  t.match(await transfer(ada, "mary"), {
    status: 422,
    body: { refusal: "invalid_schema", issues: [{ path: "/reason" }] },
  })
  t.match(
    await transfer(ada, "grace", { reason: "Back to her" }),
    { status: 409 },
    "it cannot be given to its present owner, or to a user who cannot sign in",
  )
  t.match(await transfer(ada, "mary", { reason: "Grace left in May." }), {
    status: 200,
    body: { result: { username: "mary" } },
  })
  t.match(newest(), { kind: "transfer_room", by: { username: "ada" }, subject: { kind: "room", name: "Warm-up" } })

  const room = await ask(`${lab.baseUrl}/api/research/rooms/${roomId}`)
  t.match(room.body, { owner: { username: "mary" } })
  const members = (room.body as unknown as { members: { username: string; role: string }[] }).members
  t.strictSame(Object.fromEntries(members.map(({ username, role }) => [username, role])), {
    grace: "member",
    mary: "owner",
  })
  const feed = await ask(
    `${lab.baseUrl}/api/research/rooms/${roomId}/activity?include=summary,content&kinds=room_transferred`,
  )
  t.match(feed.body.items, [
    { kind: "room_transferred", actor: { username: "ada" }, content: { reason: "Grace left in May." } },
  ])
  t.match(feed.text, /ada transferred the Room to another owner: Grace left in May\./)
  const before = Number((feed.body.items as unknown as { sequence: number }[])[0]?.sequence) - 1
  t.match(
    (await ask(`${lab.baseUrl}/api/research/rooms/${roomId}?at=${before}`)).body,
    { owner: { username: "grace" } },
    "unchanged",
  )

  t.equal(
    (await send(mary, "POST", `/api/rooms/${roomId}/members`, { username: "ada" })).status,
    200,
    "the new owner adds members",
  )
  t.match(await transfer(mary, "ada"), { status: 200 }, "and hands it over to a member, without having to say why")
  t.match(await transfer(mary, "mary"), { status: 403 }, "and it is hers no longer")
  t.equal((await send(ada, "POST", `/api/rooms/${roomId}/archive`, { reason: "Done." })).status, 200)
  t.match(await transfer(ada, "mary", { reason: "For the archive." }), { status: 200 }, "also for an archived Room")
  await send(mary, "POST", `/api/rooms/${roomId}/restore`, { reason: "On it goes." })
})

test("she comes back with her password, and everything that was ended stays ended", async (t) => {
  t.match(await admin(ada, "grace", "enable"), { status: 200, body: { person: { disabledAt: null } } })
  t.equal((await signIn("grace")).status, 200)
  await t.rejects(agent.read("identity"), /was revoked at/)
  t.equal((await admin(ada, "grace", "enable")).body.refusal, "state_conflict")
})

test("there may be several operators, but never none", async (t) => {
  t.equal((await admin(ada, "ada", "operator", "DELETE")).body.refusal, "state_conflict")
  t.equal((await admin(ada, "ada", "disable")).body.refusal, "state_conflict")
  t.match(await admin(ada, "mary", "operator"), { status: 200, body: { person: { isOperator: true } } })
  t.equal((await admin(ada, "mary", "operator")).body.refusal, "state_conflict")
  t.match(await admin(mary, "ada", "operator", "DELETE"), { status: 200 })
  t.equal((await admin(ada, "grace", "disable")).status, 404, "a former operator finds nothing there")
  await admin(mary, "ada", "operator")
  t.equal((await admin(ada, "ada", "enable")).status, 409)
  t.equal((await send(ada, "POST", `/api/admin/people/${freshId()}/disable`)).body.refusal, "room_unavailable")
})

test("a leaked token: all of a person's credentials and keys end, and the account stays", async (t) => {
  const made = await send(mary, "POST", `/api/rooms/${roomId}/credentials`, {
    label: "runner",
    permissions: ["post_thread"],
  })
  const runner = new ResearchRoomClient({ baseUrl: lab.baseUrl, token: made.body.result.token ?? "" })
  t.match(await runner.read("identity"), { username: "mary" })
  t.match(await admin(ada, "mary", "end-access"), { status: 200, body: { ended: { credentials: 1, keys: 0 } } })
  await t.rejects(runner.read("identity"), /was revoked at/)
  t.match(await whoIs(mary), { username: "mary" })
})

test("an operator can clear failed sign-ins", async (t) => {
  lab.pass(3_600_000)
  await lab.instance.accounts.add("erin", passwordOf("erin"))
  const fail = () =>
    ask(`${lab.baseUrl}/api/session`, {
      body: { username: "erin", password: "not it at all" },
      headers: { origin: lab.baseUrl },
    })
  for (let n = 0; n < 10; n += 1) await fail()
  t.equal((await signIn("erin")).status, 429)
  t.equal((await admin(ada, "erin", "clear-sign-in-count")).status, 200)
  t.equal((await signIn("erin")).status, 200)
})

test("an import of the Room's export has its owners too, through the same entries", async (t) => {
  const elsewhere = await startOwn()
  t.teardown(() => elsewhere.close())
  const export_ = await fetch(`${lab.baseUrl}/api/research/rooms/${roomId}/export`)
  const file = join(t.testdir(), "room.zip")
  writeFileSync(file, Buffer.from(await export_.arrayBuffer()))
  await importCrate(elsewhere.instance, file)
  const feed = (at: string) => ask(`${at}/api/research/rooms/${roomId}/activity?kinds=room_transferred`)
  const [there, here] = [await feed(lab.baseUrl), await feed(elsewhere.baseUrl)]
  t.strictSame(here.body.items, there.body.items)
  t.equal((there.body.items as unknown as object[]).length, 3)
  t.match((await ask(`${elsewhere.baseUrl}/api/research/rooms/${roomId}`)).body, { owner: { username: /^mary@/ } })
  t.strictSame(checkData(elsewhere.instance.db).problems, [])
})

test("the changes are in the journal: a replay makes the same", (t) => {
  t.strictSame(checkData(lab.instance.db).problems, [])
  t.end()
})
