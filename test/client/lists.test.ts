/** Lists: a cursor of every kind, followed to the end without knowing its kind. */
import { type ItemOf, textOf } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { faulty, noted } from "./faults.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const { roomId, openingThreadId: threadId } = room.rooms.empty
const agent = room.client("member_all")

for (let n = 1; n <= 7; n++) await agent.write("post_message", { threadId, text: `Message ${n}.` })

// shows: Each list has the kind of cursor of the document.
t.test("a sequence: the timeline of a Thread", async (t) => {
  const { fetch, sent } = faulty()
  const paging = room.client("member_all", { fetch })
  const pages: string[][] = []
  for await (const page of paging.pages("thread_timeline", { threadId, limit: 3 }))
    pages.push(page.items.map(({ message }) => textOf(message?.text) ?? ""))
  t.same(pages, [
    ["Message 1.", "Message 2.", "Message 3."],
    ["Message 4.", "Message 5.", "Message 6."],
    ["Message 7."],
  ])
  t.same(
    sent.map(({ url }) => url.searchParams.get("after")),
    [null, "3", "6"],
  )
})

// shows: Each list has the kind of cursor of the document.
t.test("an opaque text: Rooms, publications", async (t) => {
  const titles: string[] = []
  for await (const { title } of agent.items("rooms", { limit: 1 })) titles.push(textOf(title))
  t.equal(titles.length, 4)
  t.same(
    titles,
    (await agent.read("rooms")).items.map(({ title }) => title),
  )

  const labels: string[] = []
  for await (const { label } of agent.items("room_publications", { roomId: room.rooms.main.roomId, limit: 1 }))
    labels.push(label)
  t.ok(labels.length >= 2)
  t.same(
    labels,
    (await agent.read("room_publications", { roomId: room.rooms.main.roomId })).items.map(({ label }) => label),
  )
})

// shows: Each list has the kind of cursor of the document.
t.test("the id of the last item: hypotheses", async (t) => {
  const { fetch, sent } = faulty()
  const found: ItemOf<"hypotheses">[] = []
  for await (const hypothesis of room
    .client("main_member_all", { fetch })
    .items("hypotheses", { roomId: room.rooms.main.roomId, limit: 1 }))
    found.push(hypothesis)
  t.same(
    found.slice(0, 2).map(({ label }) => label),
    ["H1", "H2"],
  )
  t.same(
    sent.slice(1).map(({ url }) => url.searchParams.get("after")),
    found.slice(0, -1).map(({ versionId }) => versionId),
  )
  t.same(found, (await agent.read("hypotheses", { roomId: room.rooms.main.roomId })).items)
})

t.test("parameters are given in their own types", async (t) => {
  const { fetch, sent } = faulty()
  const paging = room.client("main_member_all", { fetch })
  const kinds = []
  for await (const { kind } of paging.items("thread_timeline", {
    threadId: room.rooms.main.openingThreadId,
    kinds: ["publication", "message"],
    limit: 2,
  }))
    kinds.push(kind)
  t.same([...new Set(kinds)].sort(), ["message", "publication"])
  t.equal(sent[0]?.url.searchParams.get("kinds"), "publication,message")
  t.equal(sent[0]?.url.searchParams.get("limit"), "2")
  await t.rejects(paging.read("rooms", { limit: 51 }), { status: 422, refusal: "invalid_parameter", message: /limit/ })
})

t.test("a traversal starts where it is told, and requests no page that nobody reads", async (t) => {
  const { fetch, sent } = faulty()
  const seen: number[] = []
  for await (const { sequence } of room
    .client("member_all", { fetch })
    .items("thread_messages", { threadId, after: 2, limit: 2 })) {
    seen.push(sequence)
    if (sequence === 4) break
  }
  t.same(seen, [3, 4])
  t.equal(sent.length, 1, "the next page was not requested")
})

t.test("a page that fails on the way is requested again", async (t) => {
  const { fetch } = faulty("fine", "never_arrives", "answer_lost", "fine")
  const seen: number[] = []
  for await (const { sequence } of room
    .client("member_all", { fetch, ...noted() })
    .items("thread_timeline", { threadId, limit: 3 }))
    seen.push(sequence)
  t.same(seen, [1, 2, 3, 4, 5, 6, 7])
})

t.test("a list that has more but gives no cursor does not loop for ever", async (t) => {
  const lost = (answer: string) =>
    JSON.stringify({ ...(JSON.parse(answer) as object), hasMore: true, nextCursor: null })
  const walking = async () => {
    for await (const _ of room.client("member_all", { fetch: faulty(lost).fetch }).items("room_threads", { roomId }));
  }
  await t.rejects(walking(), { name: "UnexpectedAnswer", message: /room_threads has more, but no cursor for it/ })
})
