/**
 * A Room that is archived or handed over while a batch is under way, a body or an upload is half sent, or a stream is
 * held: the batch is whole or refused, the upload makes nothing public, and the stream goes on.
 */
import { request } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { ask } from "../support/ask.ts"
import { action, freshId, hypothesis, message } from "../support/bodies.ts"
import { png } from "../support/pictures.ts"
import { openOwn } from "../support/lab.ts"
import { passwordOf } from "../support/service.ts"

const own = await openOwn(t, { people: ["ada", "lise"] })
const { ada, lise } = own
const { lise: liseId } = own.userIds
const reason = "It is over."

/** A Room of ada's with lise as a member, and lise's agent. */
async function room() {
  const { roomId, threadId } = await own.place("Amid work")
  const { token } = await own.credential("lise", roomId, { permissions: ["post_thread", "publish_records"] })
  const entries = async () => (await ada.read("room_activity", { roomId, limit: 50 })).items
  return {
    ...{ roomId, threadId, token: String(token), entries },
    archive: () => ada.write("archive_room", { roomId, reason }),
    restore: () => ada.write("restore_room", { roomId, reason: "It is not." }),
    handOver: () => ada.write("transfer_room", { roomId, userId: liseId, reason }),
    remove: () => ada.write("remove_member", { roomId, userId: liseId }),
  }
}
type Room = Awaited<ReturnType<typeof room>>

/** Sends half of a body, waits for something to happen, and sends the rest. @returns the status and the answer */
function halfSent(path: string, headers: Record<string, string>, bytes: Buffer, meanwhile: () => unknown) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: Record<string, unknown> }>()
  const sending = request(`${own.baseUrl}${path}`, {
    method: "POST",
    headers: { "content-length": String(bytes.length), ...headers },
    timeout: 10_000,
  })
  sending.on("error", reject).on("timeout", () => sending.destroy(new Error("nobody answered")))
  sending.on("response", (response) => {
    let text = ""
    response.setEncoding("utf8").on("data", (more) => (text += more))
    response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
  })
  sending.write(bytes.subarray(0, bytes.length >> 1), async () => {
    // The service has begun to read the body.
    await pause(100)
    await meanwhile()
    sending.end(bytes.subarray(bytes.length >> 1))
  })
  return promise
}
const asAgent = ({ token }: Room, type = "application/json") => ({
  authorization: `Bearer ${token}`,
  "content-type": type,
})
const BATCH = "/api/agent/research/batch"
const messages = ({ threadId }: Room) =>
  Buffer.from(
    JSON.stringify({
      writes: ["First.", "Second.", "Third."].map((text) => ({
        operation: "post_message",
        params: { threadId },
        body: message(text),
      })),
    }),
  )
const refused = { committed: false }

t.test(
  "a batch whose body arrives after its Room was archived is refused whole, and accepted once restored",
  async (t) => {
    const here = await room()
    const bytes = messages(here)
    const before = (await here.entries()).length
    const answer = await halfSent(BATCH, asAgent(here), bytes, here.archive)
    t.match(answer, { status: 403, body: { refusal: "room_archived", ...refused } })
    t.equal((await here.entries()).length, before + 1, "only the archive was written")
    await here.restore()
    t.match(await halfSent(BATCH, asAgent(here), bytes, () => null), { status: 200 })
  },
)

t.test("one whose member was removed meanwhile is refused whole; a hand-over changes nothing for it", async (t) => {
  const here = await room()
  const before = (await here.entries()).length
  t.match(await halfSent(BATCH, asAgent(here), messages(here), here.handOver), { status: 200 })
  t.equal((await here.entries()).length, before + 4)
  const other = await room()
  const answer = await halfSent(BATCH, asAgent(other), messages(other), other.remove)
  t.match(answer, { status: 403, body: { refusal: "not_a_member", ...refused } })
  t.equal((await other.entries()).length, before + 1, "only the removal was written")
})

t.test("a batch that is being checked when its Room is archived is before the archive, or not at all", async (t) => {
  const seen = { all: 0, none: 0 }
  for (let round = 0; round < 10; round += 1) {
    const here = await room()
    const before = (await here.entries()).length
    const writes = Array.from({ length: 20 }, () => ({
      operation: "publish_hypothesis",
      body: { ...action(hypothesis(here)), requestId: freshId() },
    }))
    const batch = () => ask(`${own.baseUrl}${BATCH}`, { token: here.token, body: { writes } })
    // The archive is sent up to 20 ms before the batch in half of the rounds, and up to 16 ms after it in the others.
    const head = (round - 5) * 4
    const archived = pause(Math.max(0, head)).then(here.archive)
    const [answer] = await Promise.all([pause(Math.max(0, -head)).then(batch), archived])
    const kinds = (await here.entries()).slice(before).map(({ kind }) => kind)
    if (answer.status === 200) {
      seen.all += 1
      t.strictSame(kinds, [...writes.map(() => "publish_hypothesis"), "room_archived"])
    } else {
      seen.none += 1
      t.match(answer, { status: 404, body: { refusal: "room_unavailable", ...refused } })
      t.strictSame(kinds, ["room_archived"])
    }
  }
  t.comment(JSON.stringify(seen))
})

t.test("an owner's act that arrives after the Room was handed over is refused", async (t) => {
  const here = await room()
  const bytes = Buffer.from(JSON.stringify(action({ reason })))
  const json = { origin: own.baseUrl, "content-type": "application/json" }
  const signIn = await fetch(`${own.baseUrl}/api/session`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ username: "ada", password: passwordOf("ada") }),
  })
  const headers = { ...json, cookie: signIn.headers.getSetCookie()[0]?.split(";")[0] ?? "" }
  const answer = await halfSent(`/api/rooms/${here.roomId}/archive`, headers, bytes, here.handOver)
  t.match(answer, { status: 403, body: { refusal: "role_required", ...refused } })
  t.match(await ada.read("room", { roomId: here.roomId }), { state: "active", owner: { username: "lise" } })
})

t.test("an upload belongs to its person and not to a Room: it is kept, and nothing can make it public", async (t) => {
  const here = await room()
  const figure = png({ width: 40, height: 40, shade: 7 })
  const path = "/api/agent/research/figures"
  const { status, body } = await halfSent(path, asAgent(here, "image/png"), figure, here.archive)
  t.equal(status, 200)
  const naming = {
    ...message("See the figure."),
    figures: [{ digest: body.digest, alt: "A grey square." }],
  }
  const named = await ask(`${own.baseUrl}/api/agent/threads/${here.threadId}/messages`, {
    token: here.token,
    body: naming,
  })
  t.match(named, { status: 403, body: { refusal: "room_archived" } })
  t.equal((await fetch(`${own.baseUrl}/figures/${body.digest}`)).status, 404)
  const lines = Buffer.from("a line\n".repeat(2_000))
  const log = await halfSent("/api/agent/research/logs", asAgent(here, "text/plain"), lines, here.restore)
  t.match(log, { status: 200, body: { lines: 2_000 } })
})

t.test("a stream that is held tells the archive, the hand-over and what follows, in order", async (t) => {
  const here = await room()
  const gone = new AbortController()
  const stream = await fetch(`${own.baseUrl}/api/research/rooms/${here.roomId}/events`, { signal: gone.signal })
  const heard: string[] = []
  const hearing = (async () => {
    for await (const text of stream.body?.pipeThrough(new TextDecoderStream()) ?? [])
      for (const [, kind = ""] of text.matchAll(/"kind":"(\w+)"/g)) heard.push(kind)
  })().catch(() => undefined)
  while (own.instance.ledger.watch.waiting === 0) await pause(5)
  await here.archive()
  await here.restore()
  await here.handOver()
  await lise.write("post_message", { threadId: here.threadId, ...message() } as never)
  for (let tries = 0; heard.length < 4 && tries < 200; tries += 1) await pause(10)
  t.strictSame(heard, ["room_archived", "room_restored", "room_transferred", "post_message"])
  gone.abort()
  await hearing
})
