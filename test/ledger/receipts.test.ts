/** Receipts: what a retry is, what a conflict is, and whose receipt it is (interface, "Delivery ids and retries"). */
import { ResearchRoomClient } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { ask } from "../support/ask.ts"
import { action, type Body, freshId, hypothesis, message, thread } from "../support/bodies.ts"
import { held } from "../support/contract.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { roomId, openingThreadId: threadId } = house.rooms.empty
const member = house.credentials.member_all.token

const post = (path: string, body: Body, token = member) => ask(`${house.baseUrl}/api/agent${path}`, { token, body })
const messages = (at = threadId) => `/threads/${at}/messages`
const receiptOf = (query: Record<string, string>, token = member) =>
  ask(`${house.baseUrl}/api/agent/receipts?${new URLSearchParams(query)}`, { token })

/** Another credential of grace's. */
async function anotherCredential(): Promise<string> {
  const browser = await house.browser("member", { fetch: held })
  const { result } = await browser.write("issue_credential", {
    roomId,
    label: `the next one ${freshId()}`,
    permissions: ["post_thread", "publish_records"],
  })
  return result.token ?? ""
}

// shows: A replay adds replayed, and after a rotation credentialChanged.
// shows: The same id and content return the original receipt, and nothing is done twice.
// shows: skill: replayed
test("a retry returns the same receipt, and nothing is done twice", async (t) => {
  for (const [path, body] of [
    ["/threads", thread(roomId)],
    [messages(), message()],
    ["/research/publish_hypothesis", action(hypothesis({ roomId, threadId }))],
  ] as const) {
    const first = await post(path, body)
    const marks = await house.client("member_all").verifyActivity(roomId)
    const again = await post(path, body)
    t.equal(again.status, 200)
    t.equal(again.text, `${first.text.slice(0, -1)},"replayed":true}`, "the stored text and one member more")
    t.strictSame(await house.client("member_all").verifyActivity(roomId), marks, "it added no activity")
  }
})

// shows: Ids are taken in either letter case.
// shows: The client block is optional and no part of the content.
test("the content is compared, without the case of ids, the order of members or the client", async (t) => {
  const body = action({ ...hypothesis({ roomId, threadId }), client: { name: "sweep-agent", runId: "one" } })
  const first = await post("/research/publish_hypothesis", body)
  const { assertion, concepts, client: _client, ...rest } = body
  const shuffled = {
    concepts,
    client: { name: "another hand" },
    ...rest,
    assertion: { roles: assertion.roles, predicate: assertion.predicate, wording: assertion.wording },
  }
  const same: Record<string, Body> = {
    "upper-case ids": {
      ...body,
      requestId: body.requestId.toUpperCase(),
      roomId: roomId.toUpperCase(),
      threadId: threadId.toUpperCase(),
    },
    "members in another order, another client": shuffled,
    "no client at all": { ...shuffled, client: undefined },
  }
  for (const [what, retry] of Object.entries(same)) {
    const again = await post("/research/publish_hypothesis", retry)
    t.match(again.body, { replayed: true, targetId: first.body.targetId }, what)
  }
  const record = await ask(`${house.baseUrl}/api/research/records/${first.body.targetId}`)
  t.strictSame(record.body.client, { name: "sweep-agent", runId: "one" }, "the first delivery's client stands")
  t.notMatch(record.body.content, { client: {} }, "and is not part of the content")
})

// shows: The same id with other content is request_conflict.
// shows: skill: changed
// shows: 409 for other content under a used id, stale expectations, a watermark that moved, an existing follow-up
//   Thread.
test("other content under a used id is refused, and the refusal says what is stored", async (t) => {
  const body = action(hypothesis({ roomId, threadId }))
  const first = await post("/research/publish_hypothesis", body)
  for (const other of [
    { ...body, scope: "Elsewhere." },
    { ...body, concepts: {} },
    { ...body, scope: `${body.scope} ` },
  ]) {
    const refused = await post("/research/publish_hypothesis", other)
    t.equal(refused.status, 409)
    t.match(refused.body, { refusal: "request_conflict", committed: false, retryable: false })
    t.strictSame(refused.body.current, {
      operation: "publish_hypothesis",
      acceptedAt: first.body.acceptedAt,
      target: first.body.target,
    })
  }
  t.match(
    (await post("/research/publish_hypothesis", body)).body,
    { replayed: true },
    "the id still belongs to the first content",
  )
})

// shows: The same id with other content is request_conflict.
test("ids in the path are compared too", async (t) => {
  const { body: created } = await post("/threads", thread(roomId))
  const body = message("Here or there?")
  const first = await post(messages(), body)
  const elsewhere = await post(messages(String(created.threadId)), body)
  t.equal(elsewhere.status, 409)
  t.match(elsewhere.body, { refusal: "request_conflict", current: { target: first.body.target } })
  t.match((await post(messages(threadId.toUpperCase()), body)).body, { replayed: true }, "in upper or lower case")
})

test("the same id can be used for two operations, and by two people", async (t) => {
  const id = freshId()
  t.notMatch(
    (await post("/research/publish_hypothesis", action({ ...hypothesis({ roomId, threadId }), requestId: id }))).body,
    {
      replayed: true,
    },
  )
  t.notMatch((await post("/threads", thread(roomId, { requestId: id }))).body, { replayed: true })
  t.notMatch((await post(messages(), message("Mine.", { clientMessageId: id }))).body, { replayed: true })
  const owners = await post(
    "/research/publish_hypothesis",
    action({ ...hypothesis({ roomId, threadId }), requestId: id, scope: "Hers." }),
    house.credentials.owner_all.token,
  )
  t.equal(owners.status, 200)
  t.notMatch(owners.body, { replayed: true })
})

// shows: A replay adds replayed, and after a rotation credentialChanged.
test("a record's receipt belongs to the member: it replays under a new credential", async (t) => {
  const body = action(hypothesis({ roomId, threadId }))
  const first = await post("/research/publish_hypothesis", body)
  const next = await anotherCredential()
  const again = await post("/research/publish_hypothesis", body, next)
  t.match(again.body, { replayed: true, credentialChanged: true, targetId: first.body.targetId })
  t.notHas(
    (await post("/research/publish_hypothesis", body)).body,
    { credentialChanged: true },
    "the first one learns of no change",
  )
  t.match((await post("/research/publish_hypothesis", { ...body, scope: "Else." }, next)).body, {
    refusal: "request_conflict",
  })
})

// shows: Threads and messages belong to member and credential.
// shows: skill: sender
test("a Thread's or a message's receipt belongs to the credential: another credential posts it again", async (t) => {
  const next = await anotherCredential()
  for (const [path, body] of [
    ["/threads", thread(roomId)],
    [messages(), message("Twice on purpose.")],
  ] as const) {
    const first = await post(path, body)
    const second = await post(path, body, next)
    t.equal(second.status, 200)
    t.notHas(second.body, { replayed: true })
    t.not(second.body.targetId, first.body.targetId)
    t.match((await post(path, body, next)).body, { replayed: true, targetId: second.body.targetId })
  }
})

// shows: Receipts of research, attempts, materials, links and publications belong to the member and replay after
//   rotation.
// shows: skill: sender
test(
  "after a rotation the member's receipts replay with the new token, " + "and the old token no longer works",
  async (t) => {
    const browser = await house.browser("member", { fetch: held })
    const { result: issued } = await browser.write("issue_credential", {
      roomId,
      label: "to be rotated",
      permissions: ["publish_records"],
    })
    const body = action(hypothesis({ roomId, threadId }))
    const first = await post("/research/publish_hypothesis", body, issued.token)
    const { result: rotated } = await browser.write("rotate_credential", { roomId, credentialId: issued.credentialId })
    t.equal((await post("/research/publish_hypothesis", body, issued.token)).status, 401)
    const again = await post("/research/publish_hypothesis", body, rotated.token)
    t.match(again.body, { replayed: true, credentialChanged: true, targetId: first.body.targetId })
  },
)

// shows: skill: receipt
test("a caller reads the receipts of her own writes, and no others", async (t) => {
  const body = action(hypothesis({ roomId, threadId }))
  const first = await post("/research/publish_hypothesis", body)
  const said = message()
  const second = await post(messages(), said)
  const asked = { operation: "publish_hypothesis", requestId: body.requestId }

  t.equal((await receiptOf(asked)).text, first.text, "the stored text, byte for byte")
  t.equal((await receiptOf({ ...asked, requestId: body.requestId.toUpperCase() })).text, first.text)
  t.equal(
    (await receiptOf({ operation: "post_message", clientMessageId: String(said.clientMessageId) })).text,
    second.text,
  )
  const elsewhere = await anotherCredential()
  const changed = ({ text }: { text: string }) => `${text.slice(0, -1)},"credentialChanged":true}`
  t.equal((await receiptOf(asked, elsewhere)).text, changed(first), "under any of her credentials, which is reported")
  const posted = { operation: "post_message", clientMessageId: String(said.clientMessageId) }
  t.equal((await receiptOf(posted, elsewhere)).text, changed(second), "for every operation, including post_message")
  const own = await post(messages(), said, elsewhere)
  t.notSame(own.body.result, second.body.result, "two credentials may use one id for a message")
  t.equal((await receiptOf(posted, elsewhere)).text, own.text, "if two have the same id, the caller's own")
  t.equal((await receiptOf(posted)).text, second.text)
  t.equal((await receiptOf(posted, await anotherCredential())).text, changed(second), "else the oldest")

  const refusals = {
    "another person's": [asked, house.credentials.owner_all.token],
    "another operation's": [{ ...asked, operation: "create_thread" }, member],
    "an id never used": [{ ...asked, requestId: freshId() }, member],
  } as const
  for (const [what, [query, token]] of Object.entries(refusals)) {
    const { status, body: refusal } = await receiptOf(query, token)
    t.strictSame([status, refusal.refusal], [404, "unknown_receipt"], what)
  }
  for (const query of [
    { operation: "fly", requestId: freshId() },
    { operation: "post_message", requestId: freshId() },
    { operation: "create_thread" },
    { operation: "create_thread", requestId: "one" },
  ]) {
    t.match(
      (await receiptOf(query as Record<string, string>)).body,
      { refusal: "invalid_parameter" },
      JSON.stringify(query),
    )
  }
})

test("the operations whose receipts can be asked for are listed", async (t) => {
  const { body: manifest } = await ask(`${house.baseUrl}/api/manifest`)
  const listed = manifest.enumerations?.receiptOperation as unknown as string[]
  t.ok(["post_message", "publish_finding", "create_room"].every((name) => listed.includes(name)))
  t.notOk(listed.includes("save_papers"), "a credential cannot read a person's Library receipts")
  const { body: openApi } = await ask(`${house.baseUrl}/api/openapi.json`)
  const parameters = openApi.paths?.["/api/agent/receipts"]?.get?.parameters as unknown as {
    name: string
    schema: { $ref?: string }
  }[]
  const shared =
    parameters
      .find(({ name }) => name === "operation")
      ?.schema.$ref?.split("/")
      .at(-1) ?? ""
  const { schemas } = openApi.components as unknown as { schemas: Record<string, unknown> }
  t.match(schemas[shared], { enum: listed })
  for (const operation of ["fly", "save_papers"]) {
    const { body } = await receiptOf({ operation, requestId: freshId() })
    t.match(body, {
      refusal: "invalid_parameter",
      issues: [{ path: "/operation", message: /^must be one of .*post_message/ }],
    })
  }
  const { body } = await receiptOf({ operation: "post_message", requestId: freshId() })
  t.match(
    body,
    { refusal: "invalid_parameter", issues: [{ path: "/clientMessageId" }] },
    "and the message names the id it goes by",
  )
})

test("a refused write leaves its id free", async (t) => {
  const agent = new ResearchRoomClient({ baseUrl: house.baseUrl, token: member, fetch: held })
  const id = freshId()
  const body = action({
    ...hypothesis({ roomId, threadId }),
    requestId: id,
    references: [{ versionId: freshId(), purpose: "refines", explanation: "Of nothing." }],
  })
  t.match((await post("/research/publish_hypothesis", body)).body, {
    refusal: "unknown_reference",
    issues: [{ path: "/references/0/versionId" }],
  })
  t.equal(await agent.receipt("publish_hypothesis", id), null)
  const accepted = await post("/research/publish_hypothesis", { ...body, references: [] })
  t.equal(accepted.status, 200)
  t.notHas(accepted.body, { replayed: true })
})
