/** A body over 1 MiB is refused without being read to its end, whether its length is announced or not. */
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { ask } from "../support/ask.ts"
import { message } from "../support/bodies.ts"
import { answersIn, dial, head } from "../support/socket.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { openingThreadId: threadId } = house.rooms.empty
const token = house.credentials.member_all.token
const path = `/api/agent/threads/${threadId}/messages`
const { host } = new URL(house.baseUrl)
const headers = [`Host: ${host}`, `Authorization: Bearer ${token}`, "Content-Type: application/json"]

/** Makes a message as JSON of exactly that many bytes: the padding is white space, which is not content. */
const padded = (bytes: number): string => {
  const text = JSON.stringify(message())
  return text.replace("{", `{${" ".repeat(bytes - text.length)}`)
}

// shows: 413 for a body over 1 MiB and for content over 60,000 bytes.
// shows: A body has at most 1 MiB, and a body without end is cut off.
test("1 MiB is accepted, one byte more is not", async (t) => {
  const most = await ask(`${house.baseUrl}${path}`, { token, raw: padded(limits.requestBodyBytes) })
  t.equal(most.status, 200)
  const over = await ask(`${house.baseUrl}${path}`, { token, raw: padded(limits.requestBodyBytes + 1) })
  t.strictSame([over.status, over.body.refusal], [413, "request_too_large"])
  const streamed = (bytes: number) => new Blob([padded(bytes)]).stream()
  t.equal(
    (await ask(`${house.baseUrl}${path}`, { token, raw: streamed(limits.requestBodyBytes) })).status,
    200,
    "in chunks without an announced length",
  )
  t.equal((await ask(`${house.baseUrl}${path}`, { token, raw: streamed(limits.requestBodyBytes + 1) })).status, 413)
})

test("a body in pieces of three bytes is accepted whole, though its sender has to wait between them", async (t) => {
  const text = padded(45_000)
  const pieces = Array.from({ length: 15_000 }, (_, at) => `3\r\n${text.slice(at * 3, at * 3 + 3)}\r\n`).join("")
  const sent = Array.from({ length: 8 }, async () => {
    const line = await dial(house.baseUrl)
    await line.send(
      `${head("POST", path, ...headers, "Transfer-Encoding: chunked", "Connection: close")}${pieces}0\r\n\r\n`,
    )
    return line.closed()
  })
  // All eight are one message.
  for (const received of await Promise.all(sent)) t.match(received, /^HTTP\/1\.1 200 [^]*"operation":"post_message"/)
})

test("an announced length over the limit is refused before a byte of it is sent", async (t) => {
  const line = await dial(house.baseUrl)
  await line.send(head("POST", path, ...headers, `Content-Length: ${50 * 2 ** 20}`))
  await line.until(/"refusal":"request_too_large"/)
  const [answer] = answersIn(line.received)
  t.equal(answer?.status, 413)
  t.match(answer?.head, /^connection: close$/im)
  line.hangUp()
})

// shows: A body has at most 1 MiB, and a body without end is cut off.
test("a body without end is cut off soon after 1 MiB", async (t) => {
  const line = await dial(house.baseUrl)
  await line.send(head("POST", path, ...headers, "Transfer-Encoding: chunked"))
  const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`
  let sent = 0
  while (!line.received.includes("413") && sent < 200) {
    await line.send(chunk)
    sent += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  const received = await line.closed()
  t.match(received, /^HTTP\/1\.1 413 /)
  t.match(received, /"refusal":"request_too_large"/)
  t.ok(sent * 0x10000 < 16 * limits.requestBodyBytes, `${sent} chunks of 64 KiB were sent of an endless body`)
})

test("a client refused for another reason need not send the body either, and the service carries on", async (t) => {
  const huge = "x".repeat(20 * 2 ** 20)
  t.equal((await ask(`${house.baseUrl}${path}`, { raw: huge })).status, 401)
  t.equal((await ask(`${house.baseUrl}/api/agent/nowhere`, { token, raw: huge })).status, 404)
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => ask(`${house.baseUrl}${path}`, { token, raw: huge })),
  )
  t.strictSame(
    answers.map(({ status }) => status),
    Array(8).fill(413),
    "every sender can read the refusal",
  )
  t.equal((await ask(`${house.baseUrl}${path}`, { token, body: message() })).status, 200)
})

test("a body shorter than announced is not accepted", async (t) => {
  const before = await house.client("member_all").verifyActivity(house.rooms.empty.roomId)
  const text = JSON.stringify(message())
  const line = await dial(house.baseUrl)
  await line.send(head("POST", path, ...headers, `Content-Length: ${text.length + 10}`))
  await line.send(text)
  await new Promise((resolve) => setTimeout(resolve, 50))
  line.hangUp()
  await ask(`${house.baseUrl}${path}`, { token, body: { nothing: true } })
  t.strictSame(await house.client("member_all").verifyActivity(house.rooms.empty.roomId), before)
})
