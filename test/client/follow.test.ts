/** Following a Room: entries arrive as they are written, in order, whatever happens to the connection. */
import type { ActivityEntry, FollowOptions, ResearchRoomClient, Sleep } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { busy, type Fault, faulty, noted } from "./faults.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const { roomId, openingThreadId: threadId } = room.rooms.empty
const grace = room.client("member_all")
const ada = room.client("owner_all")

/** Follows until `count` entries arrived. */
async function take(client: ResearchRoomClient, count: number, options: FollowOptions): Promise<ActivityEntry[]> {
  const entries: ActivityEntry[] = []
  for await (const entry of client.follow(roomId, options)) {
    entries.push(entry)
    if (entries.length === count) break
  }
  return entries
}

/** Waits until the service holds a reader of a feed, which only the metrics show. */
async function untilHeld(): Promise<void> {
  while (!/^research_room_feed_waits_open [1-9]/m.test(await (await fetch(`${room.baseUrl}/metrics`)).text()));
}

const watermark = async () => (await grace.read("room", { roomId })).activityWatermark
const say = (client: ResearchRoomClient, text: string) => client.write("post_message", { threadId, text })

// shows: The feed lists every change after a sequence, in one order.
// shows: skill: feed
t.test("two members write at once; a follower gets every write as it is accepted, in one order", async (t) => {
  const after = await watermark()
  const following = take(grace, 20, { after })
  const writing = [ada, grace].map(async (client, who) => {
    const receipts = []
    for (let n = 0; n < 10; n++) receipts.push(await say(client, `${who}: ${n}`))
    return receipts
  })
  const receipts = (await Promise.all(writing))
    .flat()
    .sort((a, b) => (a.activity?.sequence ?? 0) - (b.activity?.sequence ?? 0))
  const entries = await following
  t.same(
    entries.map(({ sequence }) => sequence),
    Array.from({ length: 20 }, (_, n) => after + 1 + n),
    "no gap, none twice",
  )
  t.same(
    entries.map(({ entryId }) => entryId),
    receipts.map(({ entry }) => entry?.entryId),
    "in the order of their receipts",
  )
  t.same(new Set(entries.map(({ actor }) => actor.username)), new Set(["ada", "grace"]))
})

t.test("an entry arrives within moments of its write, not at the end of the wait", async (t) => {
  const following = take(grace, 1, { after: await watermark(), wait: 25 })
  await untilHeld()
  const written = performance.now()
  const receipt = await say(ada, "Now.")
  const [entry] = await following
  t.equal(entry?.digest, receipt.activity?.digest)
  t.ok(performance.now() - written < 10_000)
})

// shows: The feed is filtered by kinds.
t.test("only the requested kinds", async (t) => {
  const after = await watermark()
  const following = take(grace, 1, { after, kinds: ["create_thread"] })
  await say(ada, "Not this one.")
  await ada.write("create_thread", { roomId, title: "This one" })
  t.match(await following, [{ kind: "create_thread", sequence: after + 2 }])
})

t.test("it survives lost connections, and nothing arrives twice", async (t) => {
  const after = await watermark()
  for (let n = 0; n < 3; n++) await say(ada, `Before ${n}.`)
  // The first request checks which instance this is.
  const faults: Fault[] = [
    "fine",
    ...Array.from({ length: 7 }, (): Fault => "never_arrives"),
    busy({ retryAfter: 4 }),
    "answer_lost",
  ]
  const { sleep, slept } = noted()
  const { fetch } = faulty(...faults)
  const entries = await take(room.client("member_all", { fetch, sleep, retries: 0 }), 3, { after })
  t.same(
    entries.map(({ sequence }) => sequence),
    [after + 1, after + 2, after + 3],
  )
  t.same(slept, [0.5, 1, 2, 4, 8, 15, 15, 4, 15], "longer and longer, up to a bound; or as long as the service asks")
})

t.test("it ends when it is aborted, also in the middle of a wait", async (t) => {
  const stop = new AbortController()
  const following = take(grace, 99, { after: await watermark(), signal: stop.signal })
  await untilHeld()
  stop.abort()
  t.same(await following, [], "without an error")
  t.same(await take(grace, 99, { signal: stop.signal }), [], "at once if it was aborted before")
})

t.test("a service that answers empty pages at once is not requested in a tight loop", async (t) => {
  const stop = new AbortController()
  const pauses: number[] = []
  const sleep: Sleep = async (seconds) => {
    pauses.push(seconds)
    if (pauses.length === 3) stop.abort()
  }
  await take(room.client("member_all", { sleep }), 1, { after: await watermark(), wait: 0, signal: stop.signal })
  t.same(pauses, [1, 1, 1])
})

t.test("a mark from before is checked before any new entry is returned", async (t) => {
  const { activity } = await say(ada, "Remember this.")
  await say(ada, "And go on from there.")
  if (activity === null) throw new Error("a message has an entry in the activity")
  const [next] = await take(grace, 1, { after: activity })
  t.equal(next?.previousDigest, activity.digest)
  const forged = { sequence: activity.sequence, digest: `sha256:${"f".repeat(64)}` }
  await t.rejects(take(grace, 1, { after: forged }), { name: "ChainBroken", sequence: activity.sequence })
})

t.test("a modified entry stops it", async (t) => {
  const after = await watermark()
  await say(ada, "As I said it.")
  const tamper = (answer: string) => answer.replaceAll('"username":"ada"', '"username":"eve"')
  await t.rejects(take(room.client("member_all", { fetch: faulty("fine", tamper).fetch }), 1, { after }), {
    name: "ChainBroken",
    roomId,
    sequence: after + 1,
  })
})

t.test("another instance at the same address is detected after a lost connection", async (t) => {
  const instance = (instanceId: string): Fault => ({ status: 200, body: { instanceId } })
  const after = await watermark()
  await say(ada, "In the first instance.")
  const { fetch } = faulty(instance("first"), "never_arrives", "fine", instance("second"))
  await t.rejects(take(room.client("member_all", { fetch, ...noted() }), 1, { after }), {
    name: "InstanceChanged",
    before: "first",
    now: "second",
  })

  const same = faulty(instance("first"), "never_arrives", "fine", instance("first"))
  t.equal((await take(room.client("member_all", { fetch: same.fetch, ...noted() }), 1, { after })).length, 1)
})

t.test("an unknown Room is a refusal, not a wait", async (t) => {
  const nowhere = async () => {
    for await (const _ of grace.follow("0198f3a0-0000-7000-8000-000000000001"));
  }
  await t.rejects(nowhere(), { name: "RefusedError", status: 404, refusal: "room_unavailable" })
})
