/** Messages and replies, and the timeline that shows them with cards and receipts. */
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { ask, type Json } from "../support/ask.ts"
import { action, type Body, freshId, hypothesis, message, proposal, thread } from "../support/bodies.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { roomId } = house.rooms.empty
const token = house.credentials.member_all.token

const send = (path: string, body: Body) => ask(`${house.baseUrl}/api/agent${path}`, { token, body })
const read = async (path: string) => (await ask(`${house.baseUrl}/api/research${path}`)).body
const itemsOf = async (path: string) => (await read(path)).items as unknown as Json[]
/** A Thread of the test's own. */
const ownThread = async () => String((await send("/threads", thread(roomId))).body.threadId)

test("a message is exactly what was written, and names its sender", async (t) => {
  const threadId = await ownThread()
  const text =
    "  *Warm-up* of $n_w$ steps:\n\n$$\\eta_t = \\eta \\min(1, t / n_w)$$\n\n<script>alert(1)</script> 𝔞👩‍🔬\t"
  const body = message(text, { client: { name: "sweep-agent", model: "a small planner" } })
  const sent = await send(`/threads/${threadId}/messages`, body)
  t.match(sent.body, {
    operation: "post_message",
    clientMessageId: body.clientMessageId,
    roomId,
    threadId,
    target: { kind: "message", label: null },
    entry: { sequence: 2 },
  })
  t.strictSame(sent.body.targetId, sent.body.entry?.entryId)
  const [entry] = await itemsOf(`/threads/${threadId}/messages`)
  t.strictSame(entry?.message, { text, clientMessageId: body.clientMessageId, client: body.client })
  t.match(entry, {
    kind: "message",
    author: { username: "grace" },
    replyToEntryId: null,
    replyCount: 0,
    at: sent.body.acceptedAt,
  })
})

test("a text has 1 to 20,000 characters, at least one of them visible", async (t) => {
  const threadId = await ownThread()
  const post = async (text: unknown) => (await send(`/threads/${threadId}/messages`, message("x", { text }))).status
  t.strictSame(
    await Promise.all(["x", "x".repeat(limits.message), "é".repeat(limits.message), "👩‍🔬"].map(post)),
    [200, 200, 200, 200],
  )
  t.strictSame(
    await Promise.all(["", " ", "\n\t\u2003", "x".repeat(limits.message + 1), 7, null, ["x"], undefined].map(post)),
    Array(8).fill(422),
  )
})

// shows: A reply is a message linked to an earlier message or card, and changes nothing else.
test("replies are counted, listed, and name the message they answer", async (t) => {
  const threadId = await ownThread()
  const first = await send(`/threads/${threadId}/messages`, message("Who agrees?"))
  const card = await send("/research/publish_hypothesis", action(hypothesis({ roomId, threadId })))
  const answered = [first.body.entry?.entryId, card.body.entry?.entryId]
  for (const replyToEntryId of answered)
    for (const text of ["I do.", "I do not."])
      await send(`/threads/${threadId}/messages`, message(text, { replyToEntryId }))
  for (const entryId of answered) {
    const replies = await itemsOf(`/threads/${threadId}/replies?targetEntryId=${entryId}`)
    t.match(replies, [
      { message: { text: "I do." }, replyToEntryId: entryId },
      { message: { text: "I do not." }, replyToEntryId: entryId },
    ])
  }
  const reply = (await itemsOf(`/threads/${threadId}/messages`)).at(-1)
  await send(`/threads/${threadId}/messages`, message("And I?", { replyToEntryId: reply?.entryId }))
  const entries = await itemsOf(`/threads/${threadId}/timeline`)
  t.strictSame(
    entries.map(({ replyCount }) => replyCount),
    [0, 2, 2, 0, 0, 0, 1, 0],
    "a reply to a reply counts for that reply",
  )
  t.match(await itemsOf(`/threads/${threadId}/replies?targetEntryId=${reply?.entryId}`), [
    { message: { text: "And I?" } },
  ])
})

// shows: A reply is a message linked to an earlier message or card, and changes nothing else.
test("a reply stays in its Thread, and receipts are not replied to", async (t) => {
  const [threadId, otherId] = [await ownThread(), await ownThread()]
  const here = await send(`/threads/${threadId}/messages`, message())
  const receipt = (await itemsOf(`/threads/${otherId}/timeline`))[0]?.entryId
  for (const replyToEntryId of [here.body.entry?.entryId, receipt, freshId()]) {
    const { status, body } = await send(`/threads/${otherId}/messages`, message("To that.", { replyToEntryId }))
    t.strictSame([status, body.refusal, body.issues?.[0]?.path], [422, "unknown_reference", "/replyToEntryId"])
  }
  t.strictSame(
    (await ask(`${house.baseUrl}/api/research/threads/${otherId}/replies?targetEntryId=${here.body.entry?.entryId}`))
      .status,
    404,
  )
  t.strictSame((await send(`/threads/${freshId()}/messages`, message())).body.refusal, "room_unavailable")
})

// shows: A Thread holds messages, cards and receipts in one order.
// shows: The timeline is filtered by kinds; without them it holds receipts too.
test("the timeline is one order of messages, cards and receipts; kinds filters them", async (t) => {
  const threadId = await ownThread()
  await send(`/threads/${threadId}/messages`, message("One."))
  const card = await send("/research/publish_hypothesis", action(hypothesis({ roomId, threadId })))
  await send("/research/propose_experiment", action(proposal({ roomId, threadId })))
  await send(`/threads/${threadId}/records`, {
    schemaVersion: 3,
    requestId: freshId(),
    versionId: card.body.targetId,
    note: "Again.",
  })
  await send(`/threads/${threadId}/messages`, message("Two."))
  const kinds = async (query = "") =>
    (await itemsOf(`/threads/${threadId}/timeline${query}`)).map(({ kind, sequence }) => `${sequence} ${kind}`)
  const all = ["1 create_thread", "2 message", "3 publication", "4 propose_experiment", "5 publication", "6 message"]
  t.strictSame(await kinds(), all)
  t.strictSame(
    await kinds("?kinds=message,publication"),
    all.filter((each) => /message|publication/.test(each)),
  )
  t.strictSame(await kinds("?kinds=propose_experiment"), ["4 propose_experiment"])
  t.strictSame(await kinds("?after=4&kinds=message,publication"), ["5 publication", "6 message"])
  t.match(await itemsOf(`/threads/${threadId}/records`), [
    { card: { versionId: card.body.targetId, reused: false, note: null } },
    { card: { versionId: card.body.targetId, reused: true, note: "Again." } },
  ])
  t.match(
    (await itemsOf(`/threads/${threadId}/messages`)).map(({ message: said }) => String(said?.text)),
    ["One.", "Two."],
  )
  t.match(await read(`/threads/${threadId}/context`), {
    thread: { timelineWatermark: 6 },
    room: { roomId, state: "active" },
    follows: null,
  })
})

// shows: An exact record is reused in another Thread or Room and stays as it was.
test("a record of any Room is reused as a card that names its origin; the record stays unchanged", async (t) => {
  const threadId = await ownThread()
  const foreign = (await itemsOf(`/hypotheses?roomId=${house.rooms.main.roomId}`))[0]
  const before = await read(`/records/${foreign?.versionId}`)
  const reused = await send(`/threads/${threadId}/records`, {
    schemaVersion: 3,
    requestId: freshId(),
    versionId: String(foreign?.versionId).toUpperCase(),
  })
  t.match(reused.body, {
    operation: "reuse_record",
    target: { kind: "hypothesis", id: foreign?.versionId, label: "H1" },
    result: { versionId: foreign?.versionId, label: "H1" },
    threadId,
    roomId,
  })
  t.match((await itemsOf(`/threads/${threadId}/records`))[0]?.card, {
    roomId: house.rooms.main.roomId,
    label: "H1",
    wording: foreign?.wording,
    contentDigest: foreign?.contentDigest,
    reused: true,
    status: "current",
  })
  const after = await read(`/records/${foreign?.versionId}`)
  t.strictSame({ ...after, usedBy: "" }, { ...before, usedBy: "" })
  t.strictSame(Number(after.usedBy?.reuses), Number(before.usedBy?.reuses) + 1)
  t.match(
    (await send(`/threads/${threadId}/records`, { schemaVersion: 3, requestId: freshId(), versionId: freshId() })).body,
    {
      refusal: "unknown_reference",
      issues: [{ path: "/versionId" }],
    },
  )
})
