/**
 * A service whose writes are admitted by a thread of their own, as in `serve`. From outside there is one difference:
 * reads do not wait for writes.
 */
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import tap, { test } from "tap"
import { ResearchRoomClient } from "research-room/client"
import { Browser } from "research-room/testing"
import { ask } from "../support/ask.ts"
import { type Body, experiment, freshId, hypothesis, message, thread } from "../support/bodies.ts"
import { held } from "../support/contract.ts"

const options = { host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") }
const [house, plain] = await Promise.all([startDemo({ ...options, writer: "thread" }), startDemo(options)])
tap.teardown(() => Promise.all([house.close(), plain.close()]))
type House = typeof house

const { roomId, openingThreadId: threadId } = house.rooms.empty
const agent = new ResearchRoomClient({ baseUrl: house.baseUrl, token: house.credentials.member_all.token, fetch: held })
const changedHere = ({ instance }: House) =>
  instance.db.prepare<{ changes: number }>("SELECT total_changes() AS changes").get()?.changes ?? 0

test("requests sent at once are admitted once each, by the other thread, and can be read here as soon as they are answered", async (t) => {
  const before = await agent.read("room", { roomId })
  const changes = changedHere(house)
  const receipts = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const receipt = await (n % 3 === 0
        ? agent.write("publish_hypothesis", hypothesis(roomId, threadId))
        : n % 3 === 1
          ? agent.write("post_message", { threadId, text: `Number ${n}.` })
          : agent.write("create_thread", { roomId, title: `Thread ${n}` }))
      const { activityWatermark } = await agent.read("room", { roomId })
      t.ok(activityWatermark >= (receipt.activity?.sequence ?? Number.POSITIVE_INFINITY), "read at once")
      return receipt
    }),
  )
  t.equal(changedHere(house), changes, "this thread's connection wrote nothing")
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

/** A write for each outcome, made for a house. */
const attemptsIn = ({
  rooms: { empty, archived },
  credentials,
}: House): Record<string, [string, string, Body, string?]> => {
  const all = credentials.member_all.token
  const messages = `/api/agent/threads/${empty.openingThreadId}/messages`
  const once = message("Twice the same id.")
  const { threadId: _, ...homeless } = experiment(empty.roomId, empty.openingThreadId)
  return {
    "is accepted": [messages, all, message("Accepted.")],
    "is accepted first": [messages, all, once],
    "is replayed": [messages, all, once],
    "has an id that stood for something else": [messages, all, { ...once, text: "Something else." }],
    "is rehearsed": [`${messages}?rehearse=1`, all, message("Rehearsed.")],
    "lacks a member": ["/api/agent/research/propose_experiment", all, homeless],
    "names what is not there": [messages, all, message("To whom?", { replyToEntryId: freshId() })],
    "is too long": [messages, all, message("é".repeat(40_000))],
    "names no Thread": [`/api/agent/threads/${freshId()}/messages`, all, message()],
    "comes from the wrong credential": [messages, credentials.member_publish_only.token, message()],
    "comes from a revoked credential": [messages, credentials.member_revoked.token, message()],
    "comes to an archived Room": [
      "/api/agent/research/propose_experiment",
      credentials.archived_member_all.token,
      experiment(archived.roomId, archived.openingThreadId),
    ],
    "repeats a title": ["/api/agent/threads", all, thread(empty.roomId, { title: "Opening" })],
  }
}

test("each write has the same outcome as with a single thread", async (t) => {
  /** What is the same in two instances: everything but ids, times, digests and addresses. */
  const alike = (text: string) =>
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<moment>")
      .replaceAll(/sha256:[0-9a-f]{64}/g, "<digest>")
      .replaceAll(/"sequence":\d+/g, '"sequence":0')
  const outcomes = async (of: House) => {
    const told: Record<string, unknown> = {}
    for (const [what, [path, token, body]] of Object.entries(attemptsIn(of))) {
      const { status, text } = await ask(`${of.baseUrl}${path}`, { token, body })
      told[what] = [status, alike(text)]
    }
    return told
  }
  const there = await outcomes(house)
  t.strictSame(there, await outcomes(plain))
  t.ok(new Set(Object.values(there).map((outcome) => (outcome as [number])[0])).size >= 5, "outcomes of many kinds")
})

test("a write of the other thread wakes a waiting reader of the feed", async (t) => {
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
