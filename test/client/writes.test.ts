/** Writes with the client when they succeed, and when the service refuses. */
import { RefusedError, ResearchRoomClient } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { faulty, freshId } from "./faults.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const { roomId, openingThreadId: threadId } = room.rooms.empty

/** The refusal of a write. */
const refusalOf = (write: Promise<unknown>): Promise<RefusedError> =>
  write.then(
    () => Promise.reject(new Error("it was accepted")),
    (error: unknown) => (error instanceof RefusedError ? error : Promise.reject(error)),
  )

t.test("one object is split into path and body, and what every body needs is filled in", async (t) => {
  const { fetch, sent } = faulty()
  const agent = room.client("member_all", { fetch, client: { name: "story-agent", version: "1" } })
  const receipt = await agent.write("post_message", { threadId, text: "Good morning." })

  const [request] = sent
  t.equal(request?.url.pathname, `/api/agent/threads/${threadId}/messages`)
  const { clientMessageId, ...body } = JSON.parse(request?.body ?? "") as Record<string, unknown>
  t.same(
    body,
    { schemaVersion: 3, text: "Good morning.", client: { name: "story-agent", version: "1" } },
    "the id in the path is not in the body",
  )
  t.match(clientMessageId, /^[0-9a-f-]{36}$/)
  t.equal(receipt.clientMessageId, clientMessageId)
  t.equal(receipt.operation, "post_message")
  t.equal(receipt.result.messageId, receipt.targetId, "the result is typed by its operation")

  const second = await agent.write("post_message", { threadId, text: "And good night." })
  t.not(second.clientMessageId, receipt.clientMessageId, "a new contribution gets a new id")
})

t.test("an id in the body stays there, and the caller's own values are kept", async (t) => {
  const { fetch, sent } = faulty()
  const requestId = freshId()
  const agent = room.client("member_all", { fetch, client: { name: "story-agent" } })
  const receipt = await agent.write("create_thread", {
    roomId,
    title: "A side question",
    requestId,
    client: { name: "somebody else" },
  })
  t.equal(sent[0]?.url.pathname, "/api/agent/threads")
  t.same(JSON.parse(sent[0]?.body ?? ""), {
    schemaVersion: 3,
    requestId,
    roomId,
    title: "A side question",
    client: { name: "somebody else" },
  })
  t.equal(receipt.requestId, requestId)

  const undefinedMembers = {
    roomId,
    title: "Another",
    schemaVersion: undefined,
    requestId: undefined,
    client: undefined,
  }
  await agent.write("create_thread", undefinedMembers as unknown as { roomId: string; title: string })
  t.match(
    JSON.parse(sent[1]?.body ?? ""),
    { schemaVersion: 3, requestId: /^[0-9a-f-]{36}$/, client: { name: "story-agent" } },
    "undefined members are omitted",
  )
})

t.test("the same delivery sent again is a replay, and is flagged as one", async (t) => {
  const agent = room.client("member_all")
  const message = { threadId, text: "Said once.", clientMessageId: freshId() }
  const first = await agent.write("post_message", message)
  const again = await agent.write("post_message", {
    ...message,
    clientMessageId: message.clientMessageId.toUpperCase(),
  })
  t.notOk(first.replayed)
  t.equal(again.replayed, true)
  t.equal(again.result.messageId, first.result.messageId)
})

t.test("a record replays with another credential of the same member, and says that too", async (t) => {
  const hypothesis = {
    requestId: freshId(),
    kind: "hypothesis",
    roomId,
    threadId,
    scope: "Everywhere.",
    premises: [],
    references: [],
    assertion: {
      wording: "Warm-up helps.",
      predicate: { type: "concept", key: "helps" },
      roles: [
        { role: "cause", definition: "What is done.", value: { type: "text", value: "warm-up" } },
        { role: "measured", definition: "Whether it is measured.", value: { type: "boolean", value: true } },
      ],
    },
    concepts: { helps: { label: "helps", definition: "Lowers the loss." } },
  } as const
  const owner = room.client("owner_all")
  const first = await owner.write("publish_hypothesis", hypothesis)
  t.match(first.result.label, /^H\d+$/)

  const browser = await room.browser("owner")
  const issued = await browser.write("issue_credential", {
    roomId,
    label: "the next one",
    permissions: ["publish_records"],
  })
  const rotated = new ResearchRoomClient({ baseUrl: room.baseUrl, token: issued.result.token })
  const again = await rotated.write("publish_hypothesis", hypothesis)
  t.match(again, { replayed: true, credentialChanged: true, result: first.result })
})

t.test("a conflict is thrown at once, with the current state", async (t) => {
  const { fetch, sent } = faulty()
  const agent = room.client("member_all", { fetch })
  const message = await agent.write("post_message", { threadId, text: "Who follows this up?" })
  const replyToEntryId = message.entry?.entryId ?? ""
  const { result } = await agent.write("create_thread", { roomId, title: "The follow-up", replyToEntryId })

  const refused = await refusalOf(agent.write("create_thread", { roomId, title: "Another follow-up", replyToEntryId }))
  t.match(refused, { name: "RefusedError", status: 409, refusal: "thread_exists", committed: false, retryable: false })
  t.match(refused.current, { thread: { threadId: result.threadId, title: "The follow-up" } })
  t.equal(sent.length, 3, "it was sent once")

  const other = await refusalOf(
    agent.write("post_message", { threadId, text: "Changed.", clientMessageId: message.clientMessageId ?? "" }),
  )
  t.match(other, { status: 409, refusal: "request_conflict", current: { target: { id: message.result.messageId } } })
})

t.test("a body that breaks its schema comes back with every violation", async (t) => {
  const { fetch, sent } = faulty()
  const agent = room.client("member_all", { fetch })
  const refused = await refusalOf(agent.write("create_thread", { roomId: "the main one", title: " " }))
  t.match(refused, { status: 422, refusal: "invalid_schema" })
  t.same(refused.issues.map(({ path }) => path).sort(), ["/roomId", "/title"])
  t.ok(refused.issues.every(({ message }) => message.length > 0))
  t.equal(sent.length, 1, "it was sent once")
})

t.test("a missing permission is refused with its own code", async (t) => {
  const post = { threadId, text: "Let me in." }
  t.match(await refusalOf(room.client("member_work_only").write("post_message", post)), {
    status: 403,
    refusal: "permission_missing",
    current: { needed: ["post_thread"] },
  })
  t.match(await refusalOf(room.client("member_expired").write("post_message", post)), {
    status: 401,
    refusal: "not_authenticated",
  })
  t.match(await refusalOf(room.client("main_member_all").write("post_message", post)), {
    status: 403,
    refusal: "scope_missing",
  })
  const archived = { threadId: room.rooms.archived.openingThreadId, text: "One more thing." }
  t.match(await refusalOf(room.client("archived_member_all").write("post_message", archived)), {
    status: 403,
    refusal: "room_archived",
    current: { room: { state: "archived" } },
  })
})

t.test("a rehearsal answers the receipt that would come, and stores nothing", async (t) => {
  const agent = room.client("member_all")
  const before = await agent.verifyActivity(roomId)
  const message = { threadId, text: "Shall I?", clientMessageId: freshId() }

  const rehearsed = await agent.write("post_message", message, { rehearse: true })
  t.equal(rehearsed.rehearsed, true)
  t.equal(rehearsed.activity?.sequence, before.lastSequence + 1)
  t.same(await agent.verifyActivity(roomId), before, "the feed is unchanged")
  t.equal(await agent.receipt("post_message", message.clientMessageId), null, "no receipt is kept")

  const real = await agent.write("post_message", message)
  t.notOk(real.replayed, "the id was still unused")
  t.same(real.entry?.sequence, rehearsed.entry?.sequence)
  t.match(
    await refusalOf(agent.write("post_message", { threadId, text: "" }, { rehearse: true })),
    { status: 422 },
    "it is checked like any other",
  )
})

t.test("the credential is sent to agent routes only, and never appears in an error", async (t) => {
  const { fetch, sent } = faulty()
  const agent = room.client("member_all", { fetch })
  await agent.read("room", { roomId })
  await agent.identity()
  t.equal(sent[0]?.authorization, null, "public reads are anonymous")
  t.match(sent[1]?.authorization, /^Bearer rrc_/)
  const token = room.credentials.member_all.token
  try {
    new ResearchRoomClient({ baseUrl: room.baseUrl, token: `${token}\n` })
    t.fail("a token with a line break is taken")
  } catch (error) {
    t.match(error, /line break/)
    t.notMatch(error, new RegExp(token))
  }
})

t.test("mistakes that need no request are thrown at once", async (t) => {
  const agent = room.client("member_all")
  await t.rejects(
    agent.write("post_message", { threadId: "", text: "Where?" }),
    new TypeError("post_message needs threadId"),
  )
  await t.rejects(
    agent.write("post_message", { text: "Where?" } as never),
    new TypeError("post_message needs threadId"),
    "left out it is not sent as a word of its own",
  )
  t.throws(() => room.client("nobody" as "member_all"), /There is no credential nobody; there are owner_all, /)
  t.throws(() => new ResearchRoomClient({ baseUrl: "localhost:8787" }), /baseUrl must begin with/)
})
