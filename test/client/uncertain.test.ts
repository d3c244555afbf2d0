/** Uncertain deliveries, and the two ways out: reading the receipt, or sending the write again. */
import { ResearchRoomClient, UncertainDelivery } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { busy, type Fault, faulty, noted, refusal } from "./faults.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const { roomId, openingThreadId: threadId } = room.rooms.empty
const steady = room.client("member_all")

const troubled = (...faults: readonly Fault[]) =>
  room.client("member_all", { ...faulty(...faults), ...noted(), client: { name: "story-agent" } })

/** The error that a write throws when its retries are used up. */
const leftOf = (write: Promise<unknown>): Promise<UncertainDelivery> =>
  write.then(
    () => Promise.reject(new Error("it was accepted")),
    (error: unknown) => (error instanceof UncertainDelivery ? error : Promise.reject(error)),
  )

const always = (fault: Fault): Fault[] => Array.from({ length: 5 }, () => fault)

t.test("it had arrived: there is a receipt", async (t) => {
  const left = await leftOf(
    troubled("answer_lost", ...always("never_arrives")).write("post_message", { threadId, text: "Did you get this?" }),
  )
  t.equal(left.operation, "post_message")
  t.same(left.input, {
    schemaVersion: 3,
    clientMessageId: left.deliveryId,
    threadId,
    text: "Did you get this?",
    client: { name: "story-agent" },
  })
  t.match(left.message, /Whether post_message [0-9a-f-]{36} was stored is uncertain: .*ECONNRESET/)

  const receipt = await steady.receipt("post_message", left.deliveryId)
  t.equal(receipt?.clientMessageId, left.deliveryId)
  t.ok(receipt?.result.messageId)
})

t.test("it had not arrived: there is no receipt, and the kept write is sent again", async (t) => {
  const left = await leftOf(
    troubled(...always("never_arrives")).write("create_thread", { roomId, title: "Lost on the way" }),
  )
  t.equal(await steady.receipt("create_thread", left.deliveryId), null)
  await t.rejects(steady.receipt("create_thread", "no id"), { message: /parameter/ }, "a refusal is no answer")

  const input = left.input as { roomId: string; title: string }
  const receipt = await steady.write("create_thread", input)
  t.equal(receipt.requestId, left.deliveryId, "it keeps its id")
  t.notOk(receipt.replayed)
  t.equal(
    (await steady.write("create_thread", input)).replayed,
    true,
    "and however often it is sent, it is written once",
  )
})

// shows: When delivery is uncertain the same is sent again after retryAfter, and nothing is written twice.
t.test("committed: null is uncertain too", async (t) => {
  const unsure = busy({ committed: null, retryAfter: 2 })
  const left = await leftOf(troubled(...always(unsure)).write("post_message", { threadId, text: "Perhaps." }))
  t.match(left.cause, { name: "RefusedError", committed: null, retryAfter: 2 })
})

t.test("one uncertain attempt is enough: a later 'nothing was stored' is about that later attempt only", async (t) => {
  const left = await leftOf(
    troubled("answer_lost", ...always(busy())).write("post_message", { threadId, text: "Stored by the first try." }),
  )
  t.match(left.cause, { status: 503, committed: false })
  t.ok(await steady.receipt("post_message", left.deliveryId), "and it was stored")
})

t.test("the credential is revoked between two attempts: that settles nothing", async (t) => {
  const left = await leftOf(
    troubled("answer_lost", refusal(401, "not_authenticated")).write("post_message", {
      threadId,
      text: "My last words.",
    }),
  )
  t.ok(await steady.receipt("post_message", left.deliveryId))
})

t.test("a conflict after a lost attempt settles it: an accepted write would have been replayed", async (t) => {
  const conflict = refusal(409, "state_conflict", { current: { revision: 4 } })
  await t.rejects(troubled("never_arrives", conflict).write("post_message", { threadId, text: "Too late." }), {
    name: "RefusedError",
    refusal: "state_conflict",
    current: { revision: 4 },
  })
})

t.test("aborting is uncertain once something was sent, and certain before that", async (t) => {
  const giveUp = new AbortController()
  const hanging = new ResearchRoomClient({
    baseUrl: room.baseUrl,
    token: room.credentials.member_all.token,
    fetch: (_url, { signal }) =>
      new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
  })
  const writing = leftOf(hanging.write("post_message", { threadId, text: "Hello?" }, { signal: giveUp.signal }))
  giveUp.abort(new Error("enough"))
  t.match((await writing).cause, { message: "enough" })
  await t.rejects(steady.write("post_message", { threadId, text: "Not even sent." }, { signal: giveUp.signal }), {
    message: "enough",
  })
})

t.test("a rehearsal is never uncertain: it stores nothing either way", async (t) => {
  await t.rejects(
    troubled(...always("never_arrives")).write("post_message", { threadId, text: "Just asking." }, { rehearse: true }),
    {
      name: "ConnectionLost",
    },
  )
})

t.test("any credential of the member can read the receipt, and nobody else's can", async (t) => {
  const receipt = await steady.write("post_message", { threadId, text: "Mine." })
  const id = receipt.clientMessageId ?? ""
  const found = await room.client("member_post_only").receipt("post_message", id)
  t.equal(found?.target.id, receipt.target.id, "another credential of the same member")
  t.equal(found?.credentialChanged, true, "which is told that another credential made the write")
  t.notOk((await steady.receipt("post_message", id))?.credentialChanged)
  t.equal(await room.client("owner_all").receipt("post_message", id), null, "another member")
})
