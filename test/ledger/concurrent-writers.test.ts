/** Sixteen writers at once over HTTP: every number is used exactly once, and the chain of digests holds. */
import { ResearchRoomClient } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { freshId, hypothesis } from "../support/bodies.ts"
import { held } from "../support/contract.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())

const WRITERS = 16
const ROUNDS = 6
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, n) => from + n)
const ascending = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)
const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

// shows: Labels count up within a Room in the order of creation, without a gap, also under concurrent writers.
// shows: skill: labels
// shows: The feed lists every change after a sequence, in one order.
test("sixteen writers, four kinds of write, retries and refusals in between", async (t) => {
  const ada = await house.browser("owner", { fetch: held })
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "A crowded Room" })).result
  await ada.write("add_member", { roomId, username: house.people.member.username })
  const grace = await house.browser("member", { fetch: held })
  const agents = await Promise.all(
    upTo(WRITERS).map(async (n) => {
      const { result } = await (n % 2 === 0 ? ada : grace).write("issue_credential", {
        roomId,
        label: `writer ${n}`,
        permissions: ["post_thread", "publish_records", "manage_own_experiments"],
      })
      return new ResearchRoomClient({ baseUrl: house.baseUrl, token: result.token, fetch: held })
    }),
  )
  const before = (await agents[0]?.read("room", { roomId }))?.activityWatermark ?? 0

  /** One writer's share: each write is answered before the next is sent, and one is sent twice. */
  async function share(agent: ResearchRoomClient, writer: number) {
    const receipts = []
    for (const round of upTo(ROUNDS)) {
      const said = { threadId, text: `Writer ${writer}, round ${round}.`, clientMessageId: freshId() }
      const [first, retry] = await Promise.all([agent.write("post_message", said), agent.write("post_message", said)])
      t.equal(first.targetId, retry.targetId, "a message sent twice at once is stored once")
      t.equal([first.replayed, retry.replayed].filter(Boolean).length, 1)
      receipts.push(first.replayed ? retry : first)
      receipts.push(await agent.write("publish_hypothesis", hypothesis({ roomId, threadId })))
      receipts.push(
        await agent.write("create_thread", { roomId, title: `Thread of writer ${writer}`, message: "To begin with." }),
      )
      receipts.push(
        await agent.write("propose_experiment", {
          roomId,
          threadId,
          question: "Which?",
          scope: "Here.",
          hypotheses: [],
        }),
      )
      await t.rejects(agent.write("post_message", { threadId, text: "Nowhere.", replyToEntryId: freshId() }), {
        name: "RefusedError",
        refusal: "unknown_reference",
      })
    }
    return receipts
  }
  const receipts = (await Promise.all(agents.map(share))).flat()
  const writes = WRITERS * ROUNDS * 4
  t.equal(receipts.length, writes)

  t.strictSame(
    ascending(receipts.map(({ activity }) => activity?.sequence ?? 0)),
    upTo(writes, before + 1),
    "the activity has no gap and no duplicate",
  )
  t.equal(new Set(receipts.map(({ targetId }) => targetId)).size, writes, "no id is used twice")
  t.equal(new Set(receipts.map(({ entry }) => entry?.entryId)).size, writes)
  for (const [operation, prefix] of [
    ["publish_hypothesis", "H"],
    ["propose_experiment", "E"],
  ] as const) {
    const labels = receipts.filter((each) => each.operation === operation).map(({ target }) => target.label ?? "")
    t.strictSame(new Set(labels), new Set(upTo(WRITERS * ROUNDS).map((n) => `${prefix}${n}`)), `${prefix} labels`)
  }

  const reader = agents[0] as ResearchRoomClient
  const marks = await reader.verifyActivity(roomId)
  t.equal(marks.lastSequence, before + writes, "the whole chain holds")
  for (const { activity } of receipts.slice(0, 20)) await reader.verifyActivity(roomId, { from: activity ?? undefined })

  const timeline = await all(reader.items("thread_timeline", { threadId }))
  t.strictSame(
    timeline.map(({ sequence }) => sequence),
    upTo(WRITERS * ROUNDS * 3),
    "the timeline has no gap",
  )
  t.equal(new Set(timeline.map(({ entryId }) => entryId)).size, timeline.length)
  t.ok(
    timeline.every(({ at }, n) => n === 0 || at >= (timeline[n - 1]?.at ?? "")),
    "times never decrease along it",
  )

  const threads = await all(reader.items("room_threads", { roomId }))
  t.strictSame(
    threads.map(({ sequence }) => sequence),
    upTo(1 + WRITERS * ROUNDS),
  )
  t.ok(
    threads.slice(1).every(({ timelineWatermark }) => timelineWatermark === 2),
    "each with its receipt and its opening message",
  )

  const room = await reader.read("room", { roomId })
  t.match(room.counts, {
    members: 2,
    threads: 1 + WRITERS * ROUNDS,
    hypothesis: WRITERS * ROUNDS,
    experiment: WRITERS * ROUNDS,
  })
  t.equal(room.activityWatermark, marks.lastSequence)

  const hypotheses = await all(reader.items("hypotheses", { roomId }))
  t.strictSame(
    hypotheses.map(({ label }) => label),
    upTo(WRITERS * ROUNDS).map((n) => `H${n}`),
    "ids sort as labels do: both follow the order of creation",
  )
})

test("what a writer sees after its answer, every later reader sees too", async (t) => {
  const { roomId, openingThreadId: threadId } = house.rooms.empty
  const [writer, reader] = [house.client("member_all", { fetch: held }), house.client("owner_all", { fetch: held })]
  let seen = 0
  await Promise.all(
    upTo(8).map(async () => {
      for (const _ of upTo(5)) {
        const { activity, entry } = await writer.write("post_message", { threadId, text: "Read me." })
        const { activityWatermark } = await reader.read("room", { roomId })
        const { thread } = await reader.read("thread_context", { threadId })
        t.ok(activityWatermark >= (activity?.sequence ?? 0) && thread.timelineWatermark >= (entry?.sequence ?? 0))
        seen += 1
      }
    }),
  )
  t.equal(seen, 40)
})
