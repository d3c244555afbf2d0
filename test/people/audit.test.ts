/**
 * The audit log: successful and failed sign-ins, and changes to accounts and to everything that gives access; bounded,
 * permanent, and without secrets.
 */
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import type { AuditEntry } from "../../src/contract/nouns/administration.ts"
import { checkData } from "../../src/check/check.ts"
import { ask } from "../support/ask.ts"
import { freshId } from "../support/bodies.ts"
import { openOwn } from "../support/lab.ts"
import { passwordOf } from "../support/service.ts"

const lab = await openOwn(tap, { people: ["ada", "grace"] })
const { ada, grace } = lab
const { audit, people } = lab.instance.tables
const lines = (): AuditEntry[] => audit.page({}, null, 1_000)
/** The lines added after a given one, in order, with actor and subject. */
const since = (sequence: number) =>
  lines()
    .filter((line) => line.sequence > sequence)
    .reverse()
    .map(({ kind, by, subject }) => [kind, by?.username ?? null, subject?.name ?? null])
const last = () => lines()[0]?.sequence ?? 0
const said = { schemaVersion: 3, requestId: "" }
const fail = (username: string) =>
  ask(`${lab.baseUrl}/api/session`, {
    body: { username, password: "not it at all" },
    headers: { origin: lab.baseUrl },
  })

test("sign-ins, and changes to everything that gives access, are logged line by line", async (t) => {
  t.strictSame(since(0), [
    ["set_up", "ada", null],
    ["create_person", null, "grace"],
    ["sign_in", "grace", null],
  ])
  const from = last()
  const post = async (path: string, body: object, by = ada) => {
    const answer = await by.request("POST", path, { ...said, requestId: freshId(), ...body })
    t.ok(answer.ok, path)
    return (await answer.json()) as { roomId: string; link: string; result: Record<string, string> }
  }
  const { roomId } = await post("/api/rooms", { title: "Warm-up" })
  await post(`/api/rooms/${roomId}/join-requests`, {}, grace)
  await post(`/api/rooms/${roomId}/join-requests/${people.named("grace")?.userId}/decision`, { decision: "accept" })
  const issued = await post(
    `/api/rooms/${roomId}/credentials`,
    { label: "sweeper", permissions: ["post_thread"] },
    grace,
  )
  await post(`/api/rooms/${roomId}/credentials/${issued.result.credentialId}/revoke`, {})
  const { link } = await post("/api/invitations", { roomId })
  const token = link.split("/").at(-1) ?? ""
  await post(`/api/invitations/${token}/accept`, { username: "mary", password: passwordOf("mary") }, lab.stranger())
  await post(
    "/api/account/password",
    { currentPassword: passwordOf("grace"), password: "another long password" },
    grace,
  )
  t.strictSame(since(from), [
    ["create_room", "ada", "Warm-up"],
    ["request_to_join", "grace", "grace"],
    ["decide_join_request", "ada", "grace"],
    ["issue_credential", "grace", "sweeper"],
    ["revoke_credential", "ada", "sweeper"],
    ["invite", "ada", null],
    ["accept_invitation", "mary", null],
    ["add_member", "ada", "mary"],
    ["change_password", "grace", null],
  ])
  const revoked = lines().find(({ kind }) => kind === "revoke_credential")
  t.match(revoked, { roomId, detail: { of: "grace" }, command: null }, "the owner is named if somebody else did it")
  const text = JSON.stringify(lines())
  for (const secret of [
    token,
    issued.result.token ?? "",
    passwordOf("mary"),
    passwordOf("grace"),
    "another long password",
  ])
    t.notOk(text.includes(secret), "no secret is in it")
})

test("a refused, rehearsed or repeated write leaves no line of its own", async (t) => {
  const body = { ...said, requestId: freshId(), title: "Once" }
  await ada.request("POST", "/api/rooms", body)
  const from = last()
  await ada.request("POST", "/api/rooms", body)
  await ada.request("POST", "/api/rooms", { ...body, title: "Another" })
  await lab.stranger().request("POST", "/api/rooms", { ...body, requestId: freshId() })
  t.strictSame(since(from), [])
})

test("failures are logged with the account's name and the address, and never with what was typed", async (t) => {
  lab.pass(limits.auditedFailuresSeconds * 1_000)
  const from = last()
  await fail("grace")
  await fail("my-password-by-mistake")
  t.strictSame(since(from), [
    ["sign_in_failed", null, "grace"],
    ["sign_in_failed", null, null],
  ])
  t.equal(lines()[0]?.address, "127.0.0.1")
  t.notOk(JSON.stringify(lines()).includes("my-password-by-mistake"))
})

test(
  "however often a stranger fails, the log grows by so many lines an " + "hour plus one that counts the rest",
  async (t) => {
    lab.pass(limits.auditedFailuresSeconds * 1_000)
    const from = last()
    for (let n = 0; n < 2 * limits.auditedFailures; n += 1) {
      t.equal((await fail(`nobody-${n}`)).status, 401)
      if (n % limits.signInFailures === 0) lab.pass(limits.signInWindowSeconds * 1_000)
    }
    t.equal(since(from).length, limits.auditedFailures)
    lab.pass(limits.auditedFailuresSeconds * 1_000)
    await fail("grace")
    const [newest, counted, ...before] = lines()
    t.match(newest, { kind: "sign_in_failed", subject: { name: "grace" } })
    t.match(counted, { kind: "sign_ins_failed", detail: { failures: limits.auditedFailures } })
    t.equal(before.filter(({ sequence }) => sequence > from).length, limits.auditedFailures)
  },
)

test("it is paged from the newest line, by kind and by person, with indexes", (t) => {
  const [first, second, ...rest] = lines()
  t.strictSame(audit.page({}, null, 1), [first])
  t.strictSame(audit.page({}, first?.sequence ?? 0, 1), [second])
  t.strictSame(audit.page({}, rest.at(-1)?.sequence ?? 0, 10), [])
  t.ok(audit.page({ kind: "sign_in" }, null, 50).every(({ kind }) => kind === "sign_in"))
  const userId = people.named("grace")?.userId ?? ""
  const ofGrace = audit.page({ userId }, null, 1_000)
  t.strictSame(
    ofGrace,
    lines().filter(({ by, subject }) => by?.userId === userId || subject?.id === userId),
  )
  t.strictSame(
    audit.page({ userId, kind: "create_person" }, null, 50).map(({ subject }) => subject?.name),
    ["grace"],
  )
  t.end()
})

test("no line is ever changed or removed, and a check of the data passes with it", (t) => {
  const forger = new Database(join(lab.folder, "research-room.db"))
  t.teardown(() => forger.close())
  t.throws(() => forger.exec("UPDATE audit_entries SET body = '{}'"), /a line of the audit log is immutable/)
  t.throws(() => forger.exec("DELETE FROM audit_entries"), /a line of the audit log is never deleted/)
  t.strictSame(checkData(lab.instance.db).problems, [])
  t.end()
})
