import tap, { test } from "tap"
import { message } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"
import { elsewhere } from "../support/elsewhere.ts"

const lab = await openLab(tap)
const { house } = lab
const { roomId, threadId } = await lab.place("Worked on by agents")

const agent = (label: string) => lab.client("ada", roomId, { label })
const [mcp, sweeper] = [await agent("mcp"), await agent('<b>"sweeper" # x')]
await mcp.write("post_message", { threadId, ...message("By one agent.") } as never)
await sweeper.write("propose_experiment", { roomId, threadId, question: "Is it so?", scope: "Here.", hypotheses: [] })
await lab.ada.write("post_message", { threadId, ...message("By herself.") } as never)

test("an entry of a Thread names its person and the agent, and no agent if a person wrote it", async (t) => {
  const { items } = await mcp.read("thread_timeline", { threadId })
  t.strictSame(
    items.map(({ author }) => [author.username, author.agent]),
    [
      ["ada", "mcp"],
      ["ada", '<b>"sweeper" # x'],
      ["ada", null],
    ],
  )
  t.equal((await mcp.read("identity", {})).agent, "mcp", "an agent is told its own name")
})

test("the feed's digest covers the name", async (t) => {
  const { items } = await mcp.read("room_activity", { roomId, include: ["summary"] })
  t.strictSame(
    items.slice(-3).map(({ actor }) => actor.agent),
    ["mcp", '<b>"sweeper" # x', null],
  )
  t.match(items.at(-3)?.summary, /^ada · agent mcp /)
  t.match(items.at(-1)?.summary, /^ada [^·]/)
  await mcp.verifyActivity(roomId)
})

test("pages and documents show it", async (t) => {
  const page = await (await fetch(`${house.baseUrl}/threads/${threadId}`)).text()
  t.match(page, /· agent <span dir="auto">mcp<\/span>/)
  t.match(page, "&lt;b&gt;&quot;sweeper&quot;")
  t.notMatch(page, '<b>"sweeper"')
  const document = await (await fetch(`${house.baseUrl}/threads/${threadId}.md`)).text()
  t.match(document, /1\. ada · agent mcp,/)
  t.match(document, '2. ada · agent <b>"sweeper" # x,', "a name stays on its line")
  t.match(
    await (await fetch(`${house.baseUrl}/rooms/${roomId}/activity`)).text(),
    /· agent <span dir="auto">mcp<\/span>/,
  )
})

test("an import has the proved names", async (t) => {
  const there = elsewhere(t)
  const zip = Buffer.from(await (await fetch(`${house.baseUrl}/api/research/rooms/${roomId}/export`)).arrayBuffer())
  await there.import(zip)
  t.strictSame(there.problems(), [])
  const shown = there.ledger.timeline
    .after(threadId, 0, undefined, 10)
    .map(({ entry }) => JSON.parse(entry.text) as { author: object })
  t.match(
    shown.map(({ author }) => author),
    [{ username: /^ada@/, agent: "mcp" }, { agent: '<b>"sweeper" # x' }, { agent: null }],
  )
})
