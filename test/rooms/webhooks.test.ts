/**
 * Webhooks of a Room: every entry is delivered, signed and in order, even after a day's absence; addresses that are not
 * public are refused.
 */
import { rmSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import t, { type Test } from "tap"
import { mayReach, networksIn } from "../../src/rooms/webhook-addresses.ts"
import { DAY, type OwnOptions, passwordOf, startOwn, temporaryFolder } from "../support/service.ts"
import { Receiver, until } from "./receiver.ts"

const LOOPBACK = networksIn("127.0.0.0/8")
type Listed = {
  webhookId: string
  delivered: number
  failingSince: string | null
  offBecause: string | null
  deliveries: { sequence: number; isDelivered: boolean; outcome: string }[]
}

/** A service with a Room of ada's, and a receiver for its webhooks. */
async function opened(t: Test, options: OwnOptions = {}) {
  const receiver = await new Receiver().open()
  const own = await startOwn({ ...options, webhooks: { networks: LOOPBACK, pauses: [50, 200], ...options.webhooks } })
  t.teardown(async () => {
    await own.close()
    await receiver.close()
  })
  const ada = await own.setUp()
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Followed" })).result
  const add = (url: string, browser = ada) => browser.request("POST", `/api/rooms/${roomId}/webhooks`, { url })
  const list = async () =>
    ((await (await ada.request("GET", `/api/rooms/${roomId}/webhooks`)).json()) as { items: Listed[] }).items
  const change = (webhookId: string, body: object, browser = ada) =>
    browser.request("POST", `/api/webhooks/${webhookId}`, body)
  const post = (text: string) => ada.write("post_message", { threadId, text } as never)
  return { own, ada, receiver, roomId, threadId, add, list, change, post }
}

/** The same with a webhook. */
async function told(t: Test, options: OwnOptions = {}) {
  const room = await opened(t, options)
  const response = await room.add(room.receiver.url)
  const { webhookId, secret } = (await response.json()) as { webhookId: string; secret: string }
  room.receiver.secret = secret
  return { ...room, webhookId, response }
}

t.test("entries are delivered in order, signed, without their text", async (t) => {
  const { own, receiver, roomId, list, post, response } = await told(t)
  t.equal(response.status, 200)
  for (let count = 0; count < 25; count += 1) await post(`A secret matter ${count}.`)
  await until("all were delivered", () => receiver.received.length === 25)
  t.equal(receiver.forged, 0)
  t.strictSame(
    receiver.sequences,
    Array.from({ length: 25 }, (_, index) => index + 2),
    "each once, in order, and none from before",
  )
  const [first] = receiver.received
  t.match(first?.event, { roomId, sequence: 2, kind: "post_message", label: null })
  t.ok(first?.event.url.startsWith(`${own.baseUrl}/threads/`))
  t.notOk(receiver.received.some(({ body }) => body.includes("secret matter")))
  t.equal(new Set(receiver.received.map(({ id }) => id)).size, 25, "each has its own id")
  await until("it is recorded", async () => (await list())[0]?.delivered === 26)
  t.match(await list(), [{ failingSince: null, offBecause: null }])
  t.equal((await list())[0]?.deliveries.length, 20, "the newest are shown")
  t.notOk(JSON.stringify(await list()).includes("whsec_"), "the secret was shown once")
})

t.test("a receiver that was away for a day misses nothing, and gets everything in order", async (t) => {
  const { own, receiver, list, post } = await told(t)
  await post("One.")
  await until("it was delivered", () => receiver.received.length === 1)
  await receiver.close()
  for (let count = 0; count < 5; count += 1) await post(`While it was away ${count}.`)
  await until("it fails", async () => (await list())[0]?.failingSince !== null)
  own.pass(DAY)
  receiver.ahead = DAY
  await receiver.open()
  await until("all were delivered", () => receiver.received.length === 6)
  t.strictSame(receiver.sequences, [2, 3, 4, 5, 6, 7])
  await until("it has recovered", async () => (await list())[0]?.failingSince === null)
  t.match(
    (await list())[0]?.deliveries.filter(({ isDelivered }) => !isDelivered)[0]?.outcome,
    /^could not be reached \(ECONNREFUSED\)$/,
  )
})

t.test(
  "after three days without one delivery it is turned off, and its owner is told; turned on, it continues where it was",
  async (t) => {
    const { own, receiver, list, post, change, webhookId } = await told(t)
    receiver.answer = (response) => void response.writeHead(500).end()
    await post("One.")
    await until("it fails", async () => (await list())[0]?.failingSince !== null)
    own.pass(3.5 * DAY)
    receiver.ahead = 3.5 * DAY
    await until("it is off", async () => (await list())[0]?.offBecause !== null)
    t.match((await list())[0]?.offBecause, /^No delivery has succeeded since \d{4}-.*\. The last one: 500\.$/)
    const tries = receiver.received.length + receiver.forged
    await post("Two.")
    await new Promise((resolve) => setTimeout(resolve, 500))
    t.equal(receiver.received.length + receiver.forged, tries, "nothing is sent any more")
    t.equal(new Set(receiver.received.map(({ id }) => id)).size, 1, "each attempt had the same id")
    receiver.answer = (response) => void response.writeHead(200).end("thanks")
    t.equal((await change(webhookId, { do: "turn_on" })).status, 200)
    await until("it continues", () => receiver.sequences.slice(-2).join() === "2,3")
    receiver.answer = (response) => void response.writeHead(410).end()
    await post("Three.")
    await until("410 turns it off", async () => /410/.test((await list())[0]?.offBecause ?? ""))
    t.pass()
  },
)

t.test(
  "an owner can have an entry sent again, turn a webhook off and remove it; others can do none of these",
  async (t) => {
    const { own, receiver, list, post, change, webhookId, add, roomId } = await told(t)
    for (const text of ["One.", "Two.", "Three."]) await post(text)
    await until("they are recorded", async () => (await list())[0]?.delivered === 4)
    t.equal((await change(webhookId, { do: "send_again", sequence: 3 })).status, 200)
    await until("it was delivered again", () => receiver.received.length === 4)
    t.strictSame(receiver.sequences, [2, 3, 4, 3])
    t.equal(receiver.received[1]?.id, receiver.received[3]?.id, "under the same id")
    await post("Four.")
    await until("and the place stays", () => receiver.sequences.at(-1) === 5)
    t.equal((await change(webhookId, { do: "send_again", sequence: 1 })).status, 200)
    await until("even the first entry, which is older than the webhook", () => receiver.sequences.at(-1) === 1)
    t.equal((await change(webhookId, { do: "send_again", sequence: 0 })).status, 422)
    t.match(await (await change(webhookId, { do: "send_again", sequence: 99 })).json(), {
      refusal: "invalid_schema",
      issues: [{ path: "/sequence" }],
    })
    const grace = await own.person("grace")
    t.match(await (await change(webhookId, { do: "remove" }, grace)).json(), { refusal: "role_required" })
    t.match(await (await add(receiver.url, grace)).json(), { refusal: "role_required" })
    t.equal((await grace.request("GET", `/api/rooms/${roomId}/webhooks`)).status, 403)
    t.equal((await own.stranger().request("GET", `/api/rooms/${roomId}/webhooks`)).status, 401)
    t.equal((await change(webhookId, { do: "turn_off" })).status, 200)
    t.equal((await change(webhookId, { do: "send_again", sequence: 3 })).status, 409)
    t.equal((await change(webhookId, { do: "remove" })).status, 200)
    t.strictSame(await list(), [])
    const kinds = own.instance.tables.audit.page({}, null, 20).map(({ kind }) => kind)
    t.ok(kinds.includes("add_webhook") && kinds.includes("change_webhook"), "the audit log has it")
  },
)

t.test("a receiver that hangs, redirects or never ends its answer delays nobody", async (t) => {
  const { own, receiver, add, list, post } = await told(t)
  const open: ServerResponse[] = []
  t.teardown(() => {
    for (const response of open) response.destroy()
  })
  receiver.answer = (response) => void open.push(response)
  const other = await new Receiver().open()
  t.teardown(() => other.close())
  other.secret = ((await (await add(other.url)).json()) as { secret: string }).secret
  const began = performance.now()
  await post("One.")
  t.ok(performance.now() - began < 2_000, "the write does not wait")
  await until("the other receiver has it", () => other.received.length === 1)
  await until("it is given up", async () => /7 seconds/.test((await list())[0]?.deliveries[0]?.outcome ?? ""), 30)
  receiver.answer = (response) => void response.writeHead(302, { location: other.url }).end()
  await until(
    "a redirect is not followed",
    async () => (await list())[0]?.deliveries[0]?.outcome === "302: redirects are not followed",
  )
  t.equal(other.received.length, 1)
  receiver.answer = (response) => {
    open.push(response)
    response.writeHead(200)
    const writing = setInterval(() => response.write("x".repeat(100_000)), 1)
    response.once("close", () => clearInterval(writing))
  }
  await until("an endless answer is not read", async () => (await list())[0]?.failingSince === null)
  t.equal(own.instance.ledger.watch.closed, false)
})

t.test("a receiver that changes the protocol is only one that failed, and the service still stops", async (t) => {
  const { own, receiver, list, post } = await told(t)
  receiver.answer = ({ socket }) =>
    socket?.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n")
  await post("One.")
  await until("it is told", async () => (await list())[0]?.deliveries[0]?.outcome === "101", 5)
  t.equal(await Promise.race([own.close().then(() => "stopped"), pause(15_000, "still there")]), "stopped")
})

t.test("an address that is not public is refused, in every spelling", async (t) => {
  const { add } = await opened(t, { webhooks: { networks: [] } })
  const forbidden = [
    ...[
      "http://127.0.0.1/",
      "http://2130706433/",
      "http://0x7f.1/",
      "http://0177.0.0.1/",
      "http://127.1/",
      "http://localhost:8787/",
    ],
    ...[
      "http://[::1]/",
      "http://[::ffff:127.0.0.1]/",
      "http://[::ffff:10.0.0.1]/",
      "http://[fe80::1]/",
      "http://[fd00::1]/",
      "http://[64:ff9b::7f00:1]/",
      "http://[64:ff9b:1::7f00:1]/",
      "http://[::10.0.0.1]/",
      "http://[::93.184.215.14]/",
      "http://[::ffff:0:10.0.0.1]/",
      "http://[2002:a00:1::]/",
      "http://[2001:0:a00:1::]/",
      "http://[fec0::1]/",
      "http://[4000::1]/",
    ],
    ...[
      "http://10.0.0.1/",
      "http://172.16.3.4/",
      "http://192.168.1.1/",
      "http://169.254.169.254/latest/meta-data/",
      "http://100.64.0.1/",
      "http://0.0.0.0/",
    ],
  ]
  for (const url of forbidden) {
    const response = await add(url)
    t.equal(response.status, 422, url)
    t.match(await response.json(), { issues: [{ path: "/url", message: /must have a public address/ }] }, url)
  }
  for (const url of [
    "ftp://example.org/",
    "javascript:alert(1)",
    "example.org",
    "https://ada:secret@example.org/",
    "",
    "x".repeat(3_000),
  ])
    t.equal((await add(url)).status, 422, url.slice(0, 40))
  t.equal(mayReach("93.184.215.14", []), true)
  t.equal(mayReach("2606:2800:21f:cb07:6820:80da:af6b:8b2c", []), true)
  t.equal(mayReach("10.1.2.3", networksIn("10.0.0.0/8")), true)
  t.equal(mayReach("not an address", networksIn("0.0.0.0/0")), false)
})

t.test("a host name that resolves to another address a moment later is not followed there", async (t) => {
  let address = "127.0.0.1"
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return [{ address, family: 4 }]
  }
  const { receiver, add, list, post, own } = await opened(t, { webhooks: { pauses: [50, 50], resolve } })
  address = "10.0.0.1"
  const forbidden = await add("http://rebinding.invalid/hook")
  t.equal(forbidden.status, 422, "it is also resolved when it is added")
  address = "127.0.0.1"
  const port = new URL(receiver.url).port
  const response = await add(`http://rebinding.invalid:${port}/hook`)
  receiver.secret = ((await response.json()) as { secret: string }).secret
  await post("One.")
  await until("it was delivered", () => receiver.received.length === 1)
  address = "169.254.169.254"
  await post("Two.")
  await until("it is refused", async () =>
    /is not a public address/.test((await list())[0]?.deliveries[0]?.outcome ?? ""),
  )
  t.equal(receiver.received.length, 1)
  t.ok(asked.every((host) => host === "rebinding.invalid"))
  address = "127.0.0.1"
  await until("it continues once the address is allowed", () => receiver.received.length === 2)
  t.equal(own.instance.ledger.watch.closed, false)
})

t.test("a Room has at most ten", async (t) => {
  const { add, receiver, own, roomId } = await opened(t)
  for (let count = 0; count < 10; count += 1) t.equal((await add(`${receiver.url}?${count}`)).status, 200)
  t.match(await (await add(receiver.url)).json(), { refusal: "state_conflict" })
  t.equal(own.instance.tables.webhooks.ofRoom(roomId).length, 10)
})

t.test("an address that was permitted when a webhook was added gets nothing once it is not", async (t) => {
  const receiver = await new Receiver().open()
  t.teardown(() => receiver.close())
  t.match(receiver.url, "//127.0.0.1:", "no name is looked up for it")
  const folder = temporaryFolder()
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const before = await startOwn({ folder, keeps: true, webhooks: { networks: LOOPBACK, pauses: [50, 200] } })
  const ada = await before.setUp()
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Followed" })).result
  const added = await ada.request("POST", `/api/rooms/${roomId}/webhooks`, { url: receiver.url })
  t.equal(added.status, 200)
  await before.close()

  const own = await startOwn({ folder, keeps: true, webhooks: { networks: [], pauses: [50, 200] } })
  t.teardown(() => own.close())
  const again = own.stranger()
  await again.request("POST", "/api/session", { username: "ada", password: passwordOf("ada") })
  await again.write("post_message", { threadId, text: "Not for everybody." } as never)
  await until("it was tried", async () => {
    const { items } = (await (await again.request("GET", `/api/rooms/${roomId}/webhooks`)).json()) as {
      items: Listed[]
    }
    return items[0]?.deliveries.some(({ outcome }) => outcome === "127.0.0.1 is not a public address.") === true
  })
  t.strictSame(receiver.received, [])
})
