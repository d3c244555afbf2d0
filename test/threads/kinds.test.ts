/** One set of words for events, in the feed of a Room and in the timelines of its Threads. */
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { entryKinds, kinds } from "../../src/contract/reads/activity.ts"
import { claim, finding, hypothesis } from "../support/bodies.ts"

const house = await startResearchRoom()
t.teardown(() => house.close())
const client = house.client("member_all")
const { roomId, openingThreadId } = house.rooms.empty
const { threadId } = (await client.write("create_thread", { roomId, title: "Kinds", message: "To begin with." })).result
const place = { roomId, threadId }

const made: Record<string, number[]> = {}
const note = (operation: string, { entry }: { entry: { sequence: number } | null }) =>
  (made[operation] ??= []).push(entry?.sequence ?? 0)
for (let round = 0; round < 3; round += 1) {
  const first = await client.write("publish_hypothesis", hypothesis(place))
  note("publish_hypothesis", first)
  note("publish_finding", await client.write("publish_finding", finding(place)))
  note("post_message", await client.write("post_message", { threadId, text: "Between." }))
  note("publish_cited_claim", await client.write("publish_cited_claim", claim(place)))
  const elsewhere = (await client.write("publish_hypothesis", hypothesis({ roomId, threadId: openingThreadId }))).result
    .versionId
  note("reuse_record", await client.write("reuse_record", { threadId, versionId: elsewhere }))
  await client.write("reuse_record", { threadId: openingThreadId, versionId: first.result.versionId })
  note(
    "propose_experiment",
    await client.write("propose_experiment", { ...place, question: "Does it?", scope: "Here.", hypotheses: [] }),
  )
}
const timeline = async (given: readonly string[], limit = 50) => {
  const found: number[] = []
  for await (const entry of client.items("thread_timeline", { threadId, kinds: [...given], limit }))
    found.push(entry.sequence)
  return found
}

// shows: The timeline is filtered by kinds; without them it holds receipts too.
// shows: skill: kinds
t.test("each operation's own entries, by its name, also page by page", async (t) => {
  const opening = (await client.read("thread_timeline", { threadId, kinds: ["message"] })).items[0]?.sequence ?? 0
  const expected = { ...made, post_message: [opening, ...(made.post_message ?? [])] }
  for (const [operation, sequences] of Object.entries(expected))
    for (const limit of [1, 2, 50])
      t.strictSame(await timeline([operation], limit), sequences, `${operation}, ${limit} a page`)
  const publications = ["publish_hypothesis", "publish_finding", "publish_cited_claim", "reuse_record"]
  const all = publications.flatMap((operation) => made[operation] ?? []).sort((one, other) => one - other)
  t.strictSame(await timeline(["publication"]), all, "the older name covers all of them")
  t.strictSame(await timeline(publications, 3), all)
  t.strictSame(await timeline(["publication", "publish_finding"]), all, "and nothing comes twice")
  t.strictSame(await timeline(["post_message"]), await timeline(["message"]))
  t.strictSame(
    await timeline(["room_created", "member_joined"]),
    [],
    "changes that people made to the Room are in no Thread",
  )
})

t.test("a card says whether its record was published here or reused", async (t) => {
  const { items } = await client.read("thread_timeline", { threadId, kinds: ["publication"] })
  const reused = new Set(made.reuse_record)
  for (const { sequence, card } of items) t.match(card, { reused: reused.has(sequence) }, `entry ${sequence}`)
})

// shows: The feed is filtered by kinds.
// shows: skill: kinds
t.test("the feed accepts the words of a timeline", async (t) => {
  const feed = async (given: readonly string[]) => {
    const found: string[] = []
    for await (const entry of client.items("room_activity", { roomId, kinds: [...given] })) found.push(entry.operation)
    return found
  }
  t.strictSame(
    new Set(await feed(["publication"])),
    new Set(["publish_hypothesis", "publish_finding", "publish_cited_claim", "reuse_record"]),
  )
  t.strictSame(await feed(["message"]), await feed(["post_message"]))
  t.strictSame(await feed(["publish_finding"]), ["publish_finding", "publish_finding", "publish_finding"])
})

t.test("both accept every word, and both refuse any other", async (t) => {
  t.ok(entryKinds.every((kind) => kinds.includes(kind)))
  const status = async (path: string) => (await fetch(`${house.baseUrl}/api/research/${path}`)).status
  for (const kind of kinds) {
    t.equal(await status(`threads/${threadId}/timeline?kinds=${kind}`), 200, kind)
    t.equal(await status(`rooms/${roomId}/activity?kinds=${kind}`), 200, kind)
  }
  t.equal(await status(`threads/${threadId}/timeline?kinds=constructor`), 422)
  t.equal(await status(`rooms/${roomId}/activity?kinds=hypothesis`), 422)
})
