/** Threads: started in a Room, with an opening message if one is given, and following up a card if it is named. */
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { ask } from "../support/ask.ts"
import { action, type Body, freshId, hypothesis, message, thread } from "../support/bodies.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { roomId, openingThreadId } = house.rooms.empty
const token = house.credentials.member_all.token

const send = (path: string, body: Body) => ask(`${house.baseUrl}/api/agent${path}`, { token, body })
const read = async (path: string) => (await ask(`${house.baseUrl}/api/research${path}`)).body
const texts = async (threadId: unknown) =>
  (
    (await read(`/threads/${threadId}/timeline`)).items as unknown as { kind: string; message?: { text: string } }[]
  ).map(({ kind, message: said }) => said?.text ?? kind)

test("a Thread begins with its receipt, and its opening message if there is one", async (t) => {
  const silent = await send("/threads", thread(roomId))
  t.match(silent.body, {
    operation: "create_thread",
    target: { kind: "thread", label: null },
    result: { title: "What is left of warm-up?", messageEntryId: null },
    entry: { sequence: 1 },
    activity: { digest: String },
  })
  t.strictSame(silent.body.threadId, silent.body.targetId)
  t.strictSame(await texts(silent.body.threadId), ["create_thread"])

  const body = thread(roomId, { message: "To begin with: $n_w = 400$.", client: { name: "sweep-agent" } })
  const opened = await send("/threads", body)
  const { items } = await read(`/threads/${opened.body.threadId}/timeline`)
  t.match(items, [
    {
      sequence: 1,
      kind: "create_thread",
      receipt: { operation: "create_thread", target: { id: opened.body.threadId }, client: { name: "sweep-agent" } },
    },
    {
      sequence: 2,
      kind: "message",
      entryId: opened.body.result?.messageEntryId,
      message: {
        text: "To begin with: $n_w = 400$.",
        clientMessageId: body.requestId,
        client: { name: "sweep-agent" },
      },
    },
  ])
})

// shows: A Thread's summary has its watermark, selected checkpoint, stale and last activity.
test("Threads are listed in the order they were started, each with its current state", async (t) => {
  const { body } = await send("/threads", thread(roomId, { title: "The last one so far" }))
  const { items } = await read(`/rooms/${roomId}/threads`)
  const list = items as unknown as { sequence: number; threadId: string; opening: boolean; timelineWatermark: number }[]
  t.strictSame(
    list.map(({ sequence }) => sequence),
    list.map((_, index) => index + 1),
  )
  t.match(list[0], { threadId: openingThreadId, opening: true })
  t.match(list.at(-1), {
    threadId: String(body.threadId),
    opening: false,
    title: "The last one so far",
    timelineWatermark: 1,
    author: { username: "grace" },
  })
  await send(`/threads/${body.threadId}/messages`, message())
  t.match(await read(`/threads/${body.threadId}/context`), {
    thread: { timelineWatermark: 2 },
    recent: [{ sequence: 1 }, { sequence: 2 }],
  })
})

// shows: A second Thread on the same card is refused thread_exists unless allowDuplicate.
// shows: 409 for other content under a used id, stale expectations, a watermark that moved, an existing follow-up
//   Thread.
test(
  "a Thread that follows up a card says so; " + "a second one on the same card is refused, unless it is intended",
  async (t) => {
    const { body: published } = await send(
      "/research/publish_hypothesis",
      action(hypothesis({ roomId, threadId: openingThreadId })),
    )
    const replyToEntryId = published.entry?.entryId
    const first = await send("/threads", thread(roomId, { replyToEntryId }))
    t.match(await read(`/threads/${first.body.threadId}/context`), {
      thread: { followsEntryId: replyToEntryId },
      follows: { entryId: replyToEntryId, card: { label: published.target?.label } },
    })

    const second = await send("/threads", thread(roomId, { replyToEntryId }))
    t.equal(second.status, 409)
    t.match(second.body, {
      refusal: "thread_exists",
      committed: false,
      current: { thread: { threadId: first.body.threadId, title: "What is left of warm-up?" } },
    })
    t.strictSame((await send("/threads", thread(roomId, { replyToEntryId, allowDuplicate: false }))).status, 409)
    const meant = await send("/threads", thread(roomId, { replyToEntryId, allowDuplicate: true }))
    t.equal(meant.status, 200)
    t.match(
      (await send("/threads", thread(roomId, { replyToEntryId }))).body.current,
      { thread: { threadId: first.body.threadId } },
      "the refusal names the first one",
    )
  },
)

// shows: A second Thread on the same card is refused thread_exists unless allowDuplicate.
test("of two agents that follow up a card at once one starts the Thread", async (t) => {
  const { body: published } = await send(
    "/research/publish_hypothesis",
    action(hypothesis({ roomId, threadId: openingThreadId })),
  )
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => send("/threads", thread(roomId, { replyToEntryId: published.entry?.entryId }))),
  )
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
})

test("a followed-up card must exist, in this Room, and must not be a receipt", async (t) => {
  const elsewhere = (await read(`/threads/${house.rooms.main.openingThreadId}/timeline?kinds=publication`)).items?.[0]
    ?.entryId
  const receipt = (await send("/threads", thread(roomId))).body.entry?.entryId
  for (const replyToEntryId of [freshId(), elsewhere, receipt]) {
    const { status, body } = await send("/threads", thread(roomId, { replyToEntryId }))
    t.strictSame([status, body.refusal, body.issues?.[0]?.path], [422, "unknown_reference", "/replyToEntryId"])
  }
  t.strictSame((await send("/threads", thread(freshId()))).body.refusal, "room_unavailable")
})
