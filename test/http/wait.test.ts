/**
 * `wait` on the activity feed: held while there is nothing new, woken by a new entry, released when the time is up or
 * the reader has gone.
 */
import tap, { test } from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { type Answer, ask } from "../support/ask.ts"
import { action, freshId, hypothesis, message } from "../support/bodies.ts"
import { dial, head } from "../support/socket.ts"

const house = await startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
tap.teardown(() => house.close())
const { roomId, openingThreadId: threadId } = house.rooms.empty
const token = house.credentials.member_all.token
const feed = `/api/research/rooms/${roomId}/activity`

const watermark = async () =>
  Number((await ask(`${house.baseUrl}/api/research/rooms/${roomId}`)).body.activityWatermark)
const post = (text: string) =>
  ask(`${house.baseUrl}/api/agent/threads/${threadId}/messages`, { token, body: message(text) })
const publish = () =>
  ask(`${house.baseUrl}/api/agent/research/publish_hypothesis`, {
    token,
    body: action(hypothesis({ roomId, threadId })),
  })
/** Sends a request, and measures how long the answer was held. */
async function timed(query: string): Promise<Answer & { after: number }> {
  const start = performance.now()
  const answer = await ask(`${house.baseUrl}${feed}?${query}`)
  return { ...answer, after: performance.now() - start }
}
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
/** How many readers the service holds now. */
const readers = () => house.instance.ledger.watch.waiting

test("existing entries are answered at once, with wait or without", async (t) => {
  await post("There already.")
  const { after, body } = await timed(`after=${(await watermark()) - 1}&wait=25`)
  t.ok(after < 10_000)
  t.strictSame(body.items?.length, 1)
  t.ok((await timed(`after=${await watermark()}`)).after < 10_000, "without wait an empty page is answered at once")
  t.ok((await timed(`after=${await watermark()}&wait=0`)).after < 10_000)
})

// shows: skill: feed
test("with nothing new the answer is held, and is empty when the time is up", async (t) => {
  const after = await watermark()
  const held = await timed(`after=${after}&wait=1`)
  t.ok(held.after >= 990 && held.after < 5_000, `held for ${Math.round(held.after)} ms`)
  t.match(held.body, { items: [], hasMore: false, nextCursor: after })
})

test("everybody who waits for a Room is woken by a write to it", async (t) => {
  const after = await watermark()
  const waiting = Array.from({ length: 20 }, () => timed(`after=${after}&wait=25`))
  await pause(100)
  const { body: receipt } = await post("Wake up.")
  for (const { after: held, body } of await Promise.all(waiting)) {
    t.ok(held < 10_000)
    t.strictSame(body.items?.[0]?.digest, receipt.activity?.digest)
  }
})

test("a reader of some kinds is not woken by other kinds, or by other Rooms", async (t) => {
  const after = await watermark()
  const waiting = timed(`after=${after}&wait=25&kinds=publish_hypothesis`)
  await pause(50)
  await post("Not this.")
  const elsewhere = house.rooms.main
  await ask(`${house.baseUrl}/api/agent/threads/${elsewhere.openingThreadId}/messages`, {
    token: house.credentials.main_member_all.token,
    body: message("Nor this."),
  })
  await pause(50)
  const { body: receipt } = await publish()
  const { body } = await waiting
  t.strictSame(
    (body.items as unknown as { kind: string }[]).map(({ kind }) => kind),
    ["publish_hypothesis"],
  )
  t.strictSame(body.items?.[0]?.sequence, receipt.activity?.sequence)
})

test("a refused, a replayed and a rehearsed write wake nobody", async (t) => {
  const said = message("Once.")
  const url = `${house.baseUrl}/api/agent/threads/${threadId}/messages`
  await ask(url, { token, body: said })
  const waiting = timed(`after=${await watermark()}&wait=1`)
  await pause(50)
  await ask(url, { token, body: said })
  await ask(`${url}?rehearse=1`, { token, body: message() })
  await ask(url, { token, body: message("To whom?", { replyToEntryId: freshId() }) })
  const { body, after } = await waiting
  t.ok(after >= 990)
  t.strictSame(body.items?.length, 0)
})

test("the service stops waiting for a reader who goes away", async (t) => {
  const line = await dial(house.baseUrl)
  await line.send(head("GET", `${feed}?after=${await watermark()}&wait=25`, `Host: ${new URL(house.baseUrl).host}`))
  for (let tries = 0; readers() === 0 && tries < 100; tries++) await pause(10)
  t.equal(readers(), 1, "it is held")
  line.hangUp()
  for (let tries = 0; readers() > 0 && tries < 100; tries++) await pause(10)
  t.equal(readers(), 0, "and released when it leaves")
})

test("the Room must exist before a reader can wait for it", async (t) => {
  const answer = await ask(`${house.baseUrl}/api/research/rooms/${freshId()}/activity?wait=25`)
  t.strictSame([answer.status, answer.body.refusal], [404, "room_unavailable"])
})
