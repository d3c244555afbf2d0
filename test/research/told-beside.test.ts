/** What stands beside a record wherever it is shown: its effects, the agent that wrote it, the code that it ran. */
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { ask } from "../support/ask.ts"
import { hypothesis } from "../support/bodies.ts"
import { bytesOf, unpack } from "./added/unpacked.ts"

const demo = await startResearchRoom()
t.teardown(() => demo.close())
const { baseUrl } = demo
const { roomId, openingThreadId } = demo.rooms.empty
const owner = demo.client("owner_all")
const { token } = demo.credentials.owner_all
const [measured] = (await owner.read("rooms", { query: "By how much, and how sure?" })).items
const measuredId = String(measured?.roomId)

t.test("the card of a finding, and its hit in a search, tell its effects", async (t) => {
  const { items } = await owner.read("publications", { roomId: measuredId, kinds: ["finding"] })
  t.equal(items.length, 2)
  for (const { versionId, threadId } of items) {
    const { effects = [] } = await owner.read("record", { versionId })
    const sentences = effects.map(({ sentence }) => sentence)
    t.ok(sentences.length > 0)
    const timeline = await owner.read("thread_timeline", { threadId })
    const card = timeline.items.find(
      (entry) => entry.card !== undefined && "versionId" in entry.card && entry.card.versionId === versionId,
    )
    t.match(card, { card: { effects: sentences } })
    const { items: hits } = await owner.read("search", { query: "coverage", roomId: measuredId, kinds: ["finding"] })
    t.match(
      hits.find(({ id }) => id === versionId),
      { effects: sentences },
    )
    for (const { commits = [] } of effects) t.match(commits, [/^[0-9a-f]{40}$/], "the commit stands beside the effect")
  }
})

t.test("a reproduction says itself how it differs from what it reproduces", async (t) => {
  const { items } = await owner.read("attempts", { roomId: measuredId })
  for (const { attemptId, intent } of items) {
    const { independence } = await owner.read("attempt", { attemptId })
    if (intent === "reproduction") t.match(independence, { person: true, code: false })
    else t.equal(independence, undefined, "nothing else has it")
  }
})

t.test(
  "the agent stands beside the author of a Thread, in feeds and in an export, and filters hypotheses",
  async (t) => {
    const { credential } = await owner.read("identity", {})
    const agent = credential.label
    const { threadId } = await owner.write("create_thread", {
      roomId,
      title: "By an agent",
      message: "The first post.",
    })
    const threads = await owner.read("room_threads", { roomId })
    t.match(
      threads.items.map(({ threadId: id, author }) => [id, author.agent]),
      [
        [openingThreadId, null],
        [threadId, agent],
      ],
    )
    t.equal((await owner.read("thread_context", { threadId: String(threadId) })).thread.author.agent, agent)
    const context = await owner.read("room_context", { roomId })
    t.equal(context.threads.find((each) => each.threadId === threadId)?.author.agent, agent)
    for (const feed of [`/rooms/${roomId}/feed.json`, `/threads/${threadId}/feed.json`]) {
      const { items } = (await (await fetch(`${baseUrl}${feed}`)).json()) as {
        items: { authors: { name: string }[] }[]
      }
      t.match(items[0]?.authors[0]?.name, new RegExp(`. · agent ${agent}$`), feed)
    }
    await owner.write("publish_hypothesis", hypothesis({ roomId, threadId: openingThreadId }))
    const count = async (query: string) =>
      (await ask(`${baseUrl}/api/research/hypotheses?roomId=${roomId}&agent=${encodeURIComponent(query)}`)).body.items
        ?.length
    t.equal(await count(agent), 1)
    t.equal(await count("nobody"), 0)
    const { body } = await fetch(`${baseUrl}/api/research/rooms/${roomId}/export`)
    if (body === null) throw new Error("there is no export")
    const people = unpack(await bytesOf(body)).graph.filter((each) => each["@type"] === "Person")
    t.ok(
      people.some(({ description }) => String(description).includes(`agent ${agent}`)),
      "the crate names it too",
    )
  },
)

t.test("a batch takes the schema version once, and what comes next counts what it leaves out", async (t) => {
  const id = () => crypto.randomUUID()
  const writes = Array.from({ length: 8 }, (_, n) => ({
    operation: "propose_experiment",
    body: {
      requestId: id(),
      roomId,
      threadId: openingThreadId,
      question: `Question ${n}?`,
      scope: "Toy.",
      hypotheses: [],
    },
  }))
  const send = (body: object) => ask(`${baseUrl}/api/agent/research/batch`, { token, body })
  t.equal((await send({ writes })).status, 422, "without one, each write needs its own")
  t.equal((await send({ schemaVersion: 2, writes })).status, 422)
  t.equal((await send({ schemaVersion: 3, writes })).status, 200)
  const { items, leftOut } = await owner.read("room_next", { roomId })
  const taken = items.filter(({ what }) => what === "take_experiment").length
  t.equal(taken + (leftOut.find(({ what }) => what === "take_experiment")?.count ?? 0), 8)
  t.ok(taken < 8)
})
