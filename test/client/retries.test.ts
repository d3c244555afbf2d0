/** Rule 5 of the interface's "Delivery ids and retries", case by case: what is sent again, when, and what never is. */
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { busy, type Fault, faulty, noted, refusal, type Sent } from "./faults.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const { roomId, openingThreadId: threadId } = room.rooms.empty
const reader = room.client("member_all")

/** A client on a network with these faults, with a record of its requests and pauses. */
function agent(faults: readonly Fault[], options: { retries?: number; longestWait?: number } = {}) {
  const { fetch, sent } = faulty(...faults)
  const { sleep, slept } = noted()
  return { client: room.client("member_all", { fetch, sleep, ...options }), sent, slept }
}

/** How often a message is in the Thread. */
async function timesSaid(text: string): Promise<number> {
  let times = 0
  for await (const { message } of reader.items("thread_messages", { threadId })) if (message?.text === text) times++
  return times
}

const sameEveryTime = (sent: readonly Sent[]) =>
  new Set(sent.map(({ method, url, body, authorization }) => JSON.stringify([method, url, body, authorization])))
    .size === 1

// shows: When delivery is uncertain the same is sent again after retryAfter, and nothing is written twice.
t.test("the answer is lost after delivery: the retry gets the first receipt, flagged as a replay", async (t) => {
  const { client, sent, slept } = agent(["answer_lost"])
  const receipt = await client.write("post_message", { threadId, text: "The answer to this was lost." })
  t.equal(receipt.replayed, true)
  t.equal(sent.length, 2)
  t.ok(sameEveryTime(sent), "same id, same body, same credential")
  t.same(slept, [0.5])
  t.equal(await timesSaid("The answer to this was lost."), 1)
})

t.test("the connection fails before delivery: the retry delivers, and is not a replay", async (t) => {
  const { client, sent, slept } = agent(["never_arrives", "never_arrives", "never_arrives"])
  const receipt = await client.write("post_message", { threadId, text: "Third time lucky, and once more." })
  t.notOk(receipt.replayed)
  t.ok(sameEveryTime(sent))
  t.same(slept, [0.5, 1, 2], "each pause is longer than the one before")
  t.equal(await timesSaid("Third time lucky, and once more."), 1)
})

// shows: When delivery is uncertain the same is sent again after retryAfter, and nothing is written twice.
t.test("503 with a time: the retry waits exactly that long", async (t) => {
  const { client, sent, slept } = agent([busy({ retryAfter: 7 }), { ...busy(), headers: { "retry-after": "3" } }])
  await client.write("post_message", { threadId, text: "When you have time." })
  t.same(slept, [7, 3], "from the envelope, or from the header if the envelope has none")
  t.ok(sameEveryTime(sent))
})

t.test("503 without a time: the pauses grow up to a bound", async (t) => {
  const { client, slept } = agent(
    Array.from({ length: 8 }, () => busy()),
    { retries: 8 },
  )
  await client.write("post_message", { threadId, text: "Take your time." })
  t.same(slept, [0.5, 1, 2, 4, 8, 15, 15, 15])
})

t.test("503 from a proxy without an envelope, and its Retry-After as a date", async (t) => {
  const soon = new Date(Date.now() + 20_000).toUTCString()
  const { client, slept } = agent([
    { status: 502, body: "<h1>Bad gateway</h1>" },
    { status: 503, headers: { "retry-after": soon }, body: "" },
  ])
  const receipt = await client.write("post_message", { threadId, text: "Through a shaky proxy." })
  t.equal(receipt.operation, "post_message")
  t.equal(slept[0], 0.5)
  t.ok((slept[1] ?? 0) > 15 && (slept[1] ?? 0) <= 20, "a date counts from now")
})

t.test("a truncated answer does not count as an answer", async (t) => {
  const { client, sent } = agent([(answer) => answer.slice(0, 40)])
  const receipt = await client.write("post_message", { threadId, text: "Half a receipt is none." })
  t.equal(receipt.replayed, true)
  t.equal(sent.length, 2)
})

t.test("a refusal that declares itself retryable is retried, whatever its status", async (t) => {
  const limited = refusal(429, "too_many_requests", { retryable: true, retryAfter: 11 })
  const odd = refusal(409, "try_again_please", { retryable: true })
  const { client, slept } = agent([limited, odd])
  await client.write("post_message", { threadId, text: "Patience." })
  t.same(slept, [11, 1])
})

t.test("every other refusal is final", async (t) => {
  for (const [status, code] of [
    [400, "odd"],
    [401, "not_authenticated"],
    [403, "not_a_member"],
    [404, "room_unavailable"],
    [409, "state_conflict"],
    [413, "content_too_large"],
    [422, "repository_unavailable"],
  ] as const) {
    const { client, sent, slept } = agent([refusal(status, code, { current: { told: true } })])
    await t.rejects(client.write("post_message", { threadId, text: "No." }), {
      name: "RefusedError",
      status,
      refusal: code,
      current: { told: true },
    })
    t.equal(sent.length, 1, `${status} is not sent again`)
    t.same(slept, [])
  }
})

t.test("retries are bounded; if the service certainly stored nothing, its own refusal is thrown", async (t) => {
  const { client, sent, slept } = agent(Array.from({ length: 9 }, () => busy({ retryAfter: 2 })))
  await t.rejects(client.write("post_message", { threadId, text: "Never mind." }), {
    name: "RefusedError",
    status: 503,
    committed: false,
    retryAfter: 2,
  })
  t.equal(sent.length, 5, "once, and then four more times")
  t.same(slept, [2, 2, 2, 2])

  const once = agent([busy()], { retries: 0 })
  await t.rejects(once.client.write("post_message", { threadId, text: "Never mind." }), { name: "RefusedError" })
  t.equal(once.sent.length, 1)
})

t.test("the client does not wait an hour unless told to", async (t) => {
  const exhausted = refusal(503, "repository_unavailable", { retryable: true, retryAfter: 3600 })
  const { client, sent } = agent([exhausted])
  await t.rejects(client.write("post_message", { threadId, text: "In an hour." }), {
    name: "RefusedError",
    refusal: "repository_unavailable",
    retryAfter: 3600,
  })
  t.equal(sent.length, 1, "and no retry is sent before the hour is over")

  const patient = agent([exhausted], { longestWait: 7200 })
  await patient.client.write("post_message", { threadId, text: "In an hour, then." })
  t.same(patient.slept, [3600])
})

t.test("reads are sent again too, and finally throw the reason why they failed", async (t) => {
  const { client, sent } = agent(["never_arrives", busy(), (answer) => answer.slice(0, 9)])
  t.equal((await client.read("room", { roomId })).roomId, roomId)
  t.equal(sent.length, 4)

  const lost = agent(Array.from({ length: 5 }, (): Fault => "never_arrives"))
  await t.rejects(lost.client.read("room", { roomId }), { name: "ConnectionLost", message: /ECONNRESET/ })
  const foreign = agent([{ status: 404, body: "<h1>Not here</h1>" }])
  await t.rejects(foreign.client.read("room", { roomId }), {
    name: "UnexpectedAnswer",
    status: 404,
    excerpt: /Not here/,
  })
})
