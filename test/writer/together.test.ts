/** Agents and people write and read at once: each write is admitted once, in one order, and can be read at once. */
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import tap, { test } from "tap"
import { ResearchRoomClient } from "research-room/client"
import { Browser } from "research-room/testing"
import { hypothesis } from "../support/bodies.ts"
import { held } from "../support/contract.ts"

const options = { host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") }
const house = await startDemo(options)
tap.teardown(() => house.close())

const { roomId, openingThreadId: threadId } = house.rooms.empty
const agent = new ResearchRoomClient({ baseUrl: house.baseUrl, token: house.credentials.member_all.token, fetch: held })

test("requests sent at once are admitted once each, and can be read as soon as they are answered", async (t) => {
  const before = await agent.read("room", { roomId })
  const receipts = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const receipt = await (n % 3 === 0
        ? agent.write("publish_hypothesis", hypothesis({ roomId, threadId }))
        : n % 3 === 1
          ? agent.write("post_message", { threadId, text: `Number ${n}.` })
          : agent.write("create_thread", { roomId, title: `Thread ${n}` }))
      const { activityWatermark } = await agent.read("room", { roomId })
      t.ok(activityWatermark >= (receipt.activity?.sequence ?? Number.POSITIVE_INFINITY), "read at once")
      return receipt
    }),
  )
  t.strictSame(
    receipts.map(({ activity }) => activity?.sequence ?? 0).sort((one, other) => one - other),
    Array.from({ length: 60 }, (_, n) => before.activityWatermark + n + 1),
    "in one order without gaps",
  )
  const labels = receipts.flatMap(({ target }) =>
    target.kind === "hypothesis" ? [Number(target.label?.slice(1))] : [],
  )
  t.equal(new Set(labels).size, labels.length)
})

test("a write wakes every waiting reader of the feed", async (t) => {
  const { activityWatermark: after } = await agent.read("room", { roomId })
  const waiting = Array.from({ length: 5 }, () => agent.read("room_activity", { roomId, after, wait: 25 }))
  while (house.instance.ledger.watch.waiting < 1) await new Promise((resolve) => setImmediate(resolve))
  const { activity } = await agent.write("post_message", { threadId, text: "Wake up." })
  for (const { items } of await Promise.all(waiting)) t.equal(items[0]?.digest, activity?.digest)
})

test("people sign in, invite and leave while agents write without a pause", async (t) => {
  let going = true
  const written: string[] = []
  const writers = Array.from({ length: 8 }, async () => {
    while (going) written.push((await agent.write("post_message", { threadId, text: "And on." })).targetId)
  })
  const { owner } = house.people
  for (let round = 0; round < 3; round += 1) {
    const ada = await Browser.signIn({ baseUrl: house.baseUrl, fetch: held }, owner)
    const invited = await ada.request("POST", "/api/invitations", {})
    t.equal(invited.status, 200)
    const { token } = (await invited.json()) as { token: string }
    const newcomer = Browser.anonymous({ baseUrl: house.baseUrl, fetch: held })
    const account = { username: `newcomer-${round}`, password: "a sentence long enough" }
    t.equal((await newcomer.request("POST", `/api/invitations/${token}/accept`, account)).status, 200)
    t.equal((await newcomer.request("DELETE", "/api/session", {})).status, 200)
  }
  going = false
  await Promise.all(writers)
  t.ok(written.length > 0)
  t.equal(new Set(written).size, written.length)
})
