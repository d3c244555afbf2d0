/**
 * Things that end while an agent waits: its credential's time, its membership, its account, the Room. It gets the
 * answer of a new request.
 */
import t, { type Test } from "tap"
import { reads } from "../../src/contract/reads/index.ts"
import { overHttp } from "../mcp/agent.ts"
import { ask } from "../support/ask.ts"
import { message } from "../support/bodies.ts"
import { DAY, startOwn } from "../support/service.ts"

const house = await startOwn()
t.teardown(() => house.close())
const ada = await house.setUp("ada")
const WORDS = "this is for those who may still read"

/** A Room of ada's with a member, and that member's agent. */
async function roomWith(username: string) {
  const expiresAt = new Date(Date.now() + DAY).toISOString()
  const person = await house.person(username)
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: `With ${username}` })).result
  await ada.write("add_member", { roomId, username })
  const { result } = await person.write("issue_credential", {
    roomId,
    label: "agent",
    permissions: ["post_thread"],
    expiresAt,
  })
  const session = (await (await person.request("GET", "/api/session")).json()) as { person: { userId: string } }
  const { userId } = session.person
  return { person, roomId, threadId, userId, username, token: result.token as string }
}
type Held = Awaited<ReturnType<typeof roomWith>>
const post = ({ threadId, username }: Held) =>
  ada.write("post_message", { threadId, ...message(`@${username}, ${WORDS}.`) } as never)

/**
 * Has an agent wait over HTTP and MCP, ends something, and causes the event that it waits for. @returns its answer, and
 * that of a new request
 */
async function ended(t: Test, room: Held, end: () => unknown) {
  const { token, roomId } = room
  const { activityWatermark: after } = await ada.read("room", { roomId })
  const agent = await overHttp(house.baseUrl, token)
  const inbox = (wait: number) =>
    ask(`${house.baseUrl}/api/agent/research/inbox?after=${after}&wait=${wait}`, { token })
  const waiting = Promise.all([inbox(25), agent.call("inbox", { after: String(after), wait: "25" })])
  while (house.instance.ledger.watch.waiting < 2) await new Promise((resolve) => setImmediate(resolve))
  await end()
  await post(room)
  const [{ status, body }, told] = await waiting
  await agent.close()
  const now = await inbox(0)
  t.same([status, body.refusal], [now.status, now.body.refusal], "it gets the answer of a new request")
  return { status, body, told }
}

t.test("only the feed and the inbox wait, and no read with a personal key does", (t) => {
  const waiting = reads.filter(({ query }) => "wait" in query.entries)
  t.same(
    waiting.map(({ name, surface }) => [name, surface]),
    [
      ["room_activity", "public"],
      ["inbox", "credential"],
    ],
  )
  t.end()
})

/** An agent that is no longer allowed learns nothing of what happened since. */
async function refusedAll(t: Test, room: Held, end: () => unknown): Promise<void> {
  const { status, body, told } = await ended(t, room, end)
  t.match([status, body], [401, { refusal: "not_authenticated" }])
  t.match(told, { isError: true, text: /not_authenticated/ })
  t.notMatch(JSON.stringify([body, told]), WORDS)
}

t.test("a disabled account", async (t) => {
  const room = await roomWith("mary")
  await refusedAll(t, room, async () =>
    t.equal((await ada.request("POST", `/api/admin/people/${room.userId}/disable`, {})).status, 200),
  )
})

t.test("a removed member can still read, as anybody may, but not write", async (t) => {
  const room = await roomWith("lise")
  const { status, body } = await ended(t, room, () =>
    ada.write("remove_member", { roomId: room.roomId, userId: room.userId }),
  )
  t.match([status, body], [200, { items: [{ summary: /^ada wrote: @lise/ }] }])
  const { token, threadId } = room
  const written = await ask(`${house.baseUrl}/api/agent/threads/${threadId}/messages`, {
    token,
    body: message("Still here?"),
  })
  t.match(written, { status: 403, body: { refusal: "not_a_member" } })
})

t.test("an archived Room can still be read", async (t) => {
  const room = await roomWith("emmy")
  const { roomId, token } = room
  const { activityWatermark: after } = await ada.read("room", { roomId })
  const feed = ask(`${house.baseUrl}/api/research/rooms/${roomId}/activity?after=${after}&wait=25`)
  const inbox = ask(`${house.baseUrl}/api/agent/research/inbox?after=${after}&wait=3`, { token })
  while (house.instance.ledger.watch.waiting < 2) await new Promise((resolve) => setImmediate(resolve))
  await ada.write("archive_room", { roomId, reason: "It is over." })
  t.match(await feed, { status: 200, body: { items: [{ sequence: after + 1 }] } })
  t.match(await inbox, { status: 200, body: { items: [], nextCursor: after + 1 } })
})

t.test("an expired credential", async (t) => {
  await refusedAll(t, await roomWith("grace"), () => house.pass(2 * DAY))
})
