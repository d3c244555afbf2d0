/**
 * Server-sent events of a Room: entries arrive at once, none twice, none missed, and the service does not wait for a
 * client that has gone.
 */
import tap, { test } from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { eventLines } from "../../src/rooms/activity.ts"
import { Watch } from "../../src/ledger/journal/activity.ts"
import { ask } from "../support/ask.ts"
import { freshId, message } from "../support/bodies.ts"

const house = await startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
tap.teardown(() => house.close())
const { roomId, openingThreadId: threadId } = house.rooms.empty
const token = house.credentials.member_all.token
const events = `${house.baseUrl}/api/research/rooms/${roomId}/events`
const post = async (text: string) =>
  (await ask(`${house.baseUrl}/api/agent/threads/${threadId}/messages`, { token, body: message(text) })).body
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const listeners = () => house.instance.ledger.watch.waiting
async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo() && tries < 200; tries += 1) await pause(10)
}

interface Heard {
  readonly id: number
  readonly data: {
    readonly roomId: string
    readonly sequence: number
    readonly kind: string
    readonly label: string | null
    readonly url: string
  }
}
/** Listens by the rules of the standard, as far as this service uses them. */
async function listen(query = "", headers: Record<string, string> = {}) {
  const gone = new AbortController()
  const response = await fetch(`${events}${query}`, { headers, signal: gone.signal })
  const heard: Heard[] = []
  let text = ""
  const over = (async () => {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece
      const whole = text.split("\n\n")
      text = whole.pop() ?? ""
      for (const lines of whole) {
        const [id, data] = [/^id: (\d+)$/m.exec(lines)?.[1], /^data: (.*)$/m.exec(lines)?.[1]]
        if (data !== undefined) heard.push({ id: Number(id), data: JSON.parse(data) })
      }
    }
  })().catch(() => undefined)
  return { response, heard, over, hangUp: () => gone.abort() }
}

test("a listener gets what is written from then on, without its text", async (t) => {
  await post("Said before.")
  const { response, heard, hangUp } = await listen()
  t.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8")
  t.equal(response.headers.get("cache-control"), "no-store")
  t.equal(response.headers.get("x-accel-buffering"), "no")
  t.equal(response.headers.get("content-disposition"), null)
  const { activity, targetId } = await post("A secret matter.")
  await until(() => heard.length === 1)
  const sequence = activity?.sequence
  t.strictSame(heard, [
    {
      id: sequence,
      data: {
        roomId,
        sequence,
        kind: "post_message",
        label: null,
        url: `${house.baseUrl}/threads/${threadId}?entry=${targetId}#entry-${targetId}`,
      },
    },
  ])
  t.equal((await fetch(heard[0]?.data.url ?? "")).status, 200, "the address leads to it")
  hangUp()
})

test("a listener that was away continues after its last event, and misses nothing", async (t) => {
  const first = await listen()
  await post("One.")
  await until(() => first.heard.length === 1)
  first.hangUp()
  for (let count = 0; count < 130; count += 1) await post(`While it was away: ${count}.`)
  const last = first.heard[0]?.id ?? 0
  const again = await listen("", { "last-event-id": String(last) })
  await until(() => again.heard.length === 130)
  t.strictSame(
    again.heard.map(({ id }) => id),
    Array.from({ length: 130 }, (_, index) => last + 1 + index),
    "in order, each once",
  )
  const same = await listen(`?after=${last}`)
  await until(() => same.heard.length === 130)
  t.strictSame(same.heard, again.heard)
  const both = await listen(`?after=0`, { "last-event-id": String(last + 129) })
  await until(() => both.heard.length === 1)
  t.equal(both.heard[0]?.id, last + 130, "the browser's last event counts more than the cursor in the address")
  for (const each of [again, same, both]) each.hangUp()
})

test("the service does not wait for a client that has gone", async (t) => {
  await until(() => listeners() === 0)
  const { hangUp } = await listen()
  await until(() => listeners() === 1)
  t.equal(listeners(), 1)
  hangUp()
  await until(() => listeners() === 0)
  t.equal(listeners(), 0)
})

test("a wrong request is refused before anything is sent", async (t) => {
  const refusal = async (address: string, headers: Record<string, string> = {}) => {
    const answer = await ask(address, { headers })
    const { refusal: code, issues = [] } = answer.body as unknown as { refusal: string; issues?: { path: string }[] }
    return [answer.status, code, ...issues.map(({ path }) => path)]
  }
  t.strictSame(await refusal(events.replace(roomId, freshId())), [404, "room_unavailable"])
  t.strictSame(await refusal(`${events}?after=soon`), [422, "invalid_parameter", "/after"])
  const ahead = [422, "invalid_parameter", "/after"]
  t.strictSame(
    await refusal(events, { "last-event-id": "100000" }),
    ahead,
    "a listener who is ahead of a restored Room is told",
  )
  t.strictSame(await refusal(events, { "last-event-id": "-1" }), [422, "invalid_parameter", "/after"])
  const { status } = await fetch(events, { method: "HEAD" })
  t.equal(status, 200)
  await until(() => listeners() === 0)
  t.equal(listeners(), 0, "nothing waits behind a HEAD")
})

test("it is sent uncompressed, also to clients that accept compression and to pages of other origins", async (t) => {
  const { response, heard, hangUp } = await listen("", {
    "accept-encoding": "br, gzip",
    origin: "https://elsewhere.example",
  })
  t.equal(response.headers.get("content-encoding"), null)
  t.equal(response.headers.get("access-control-allow-origin"), "*")
  await post("At once.")
  await until(() => heard.length === 1)
  t.equal(heard.length, 1)
  hangUp()
})

test("while nothing is written a comment is sent, and dropping the Room ends the stream", async (t) => {
  let isHere = true
  const none = { after: () => [] }
  const sources = {
    activity: none as never,
    watch: new Watch(),
    snapshot: <T>(work: () => T) => work(),
    isHere: () => isHere,
  }
  const lines = eventLines(sources, roomId, 0, "", undefined, 0.05)
  t.equal((await lines.next()).value, "retry: 2000\n\n")
  t.equal((await lines.next()).value, ": nothing new\n\n")
  isHere = false
  t.equal((await lines.next()).done, true)
})

test("a service that shuts down ends its listeners' streams", async (t) => {
  const own = await startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
  const address = `${own.baseUrl}/api/research/rooms/${own.rooms.empty.roomId}/events`
  const ended = Promise.all(
    Array.from({ length: 3 }, async () => {
      const response = await fetch(address)
      return response.text()
    }),
  )
  await until(() => own.instance.ledger.watch.waiting === 3)
  const began = performance.now()
  await own.close()
  for (const text of await ended) t.equal(text, "retry: 2000\n\n", "each ends cleanly")
  t.ok(performance.now() - began < 5_000, "and none delays the shutdown")
})
