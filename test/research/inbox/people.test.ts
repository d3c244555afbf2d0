import tap, { test } from "tap"
import { finding, hypothesis, message } from "../../support/bodies.ts"
import { openLab } from "../../support/lab.ts"

const lab = await openLab(tap)
const { house } = lab
const { roomId, threadId } = await lab.place("Worked on together")
const agent = await lab.client("ada", roomId, { label: "mcp" })

type Person = typeof lab.ada
/** The same people in browsers, for pages, which the contract does not cover. */
const [ada, grace, mary] = await Promise.all((["owner", "member", "visitor"] as const).map((who) => house.browser(who)))
if (ada === undefined || grace === undefined || mary === undefined) throw new Error("the demo has three people")
const post = (who: Pick<Person, "write">, text: string, thread = threadId) =>
  who.write("post_message", { threadId: thread, ...message(text) } as never)
/** The lines about the Room, as the text that a reader sees. */
async function concerns(who: Person): Promise<string[]> {
  const page = await (await who.request("GET", "/")).text()
  const [block = ""] = /<section aria-labelledby="concerns">.*?<\/section>/s.exec(page) ?? []
  const lines = [...block.matchAll(/<li>(.*?)<\/li>/gs)].map(([, line = ""]) =>
    line
      .replace(/<[^>]*>/g, "")
      .replace(/\s+/g, " ")
      .trim(),
  )
  return lines.filter((line) => line.includes("Worked on together"))
}
const h1 = await lab.ada.write("publish_hypothesis", hypothesis({ roomId, threadId }))

test("a person is not notified when alone, nor of their own agent's writes", async (t) => {
  await post(agent as never, "@ada, H1 stands.")
  t.strictSame(await concerns(ada), [])
})

test(
  "mentions, labels and evidence on the person's records are listed, newest first; " +
    "disputes to answer have their own place",
  async (t) => {
    const { result: other } = await lab.grace.write("create_thread", { roomId, title: "Aside" })
    await post(lab.grace, "@ada: is it so?", other.threadId)
    await post(lab.grace, "I doubt H1.", other.threadId)
    await lab.grace.write("publish_finding", finding({ roomId, threadId }, {}, "It was not so."))
    await lab.grace.write("assert_dispute", {
      targetVersionId: h1.result.versionId,
      explanation: "The runs were too short.",
    })
    const found = await concerns(ada)
    t.equal(found.length, 2, found.join("\n"))
    t.match(found[0], /^grace wrote: I doubt H1\. Its text names H1, which you wrote\. Worked on together/)
    t.match(found[1], /^grace wrote: @ada: is it so\? It names @ada\./)
    t.strictSame(await concerns(grace), [], "a person's own writes are not news")
    t.match(await (await ada.request("GET", "/")).text(), /disputes<\/span> your/, "the dispute waits for an answer")

    await post(agent as never, "Run 7 is over.", other.threadId)
    t.equal((await concerns(ada)).length, 2, "her agent has not read it for her")
    await post(lab.ada, "It is.", other.threadId)
    t.strictSame(await concerns(ada), [], "a person who has replied in the Thread has read it")
  },
)

test("a mention of the person's agent, or of a record by the agent, concerns them too", async (t) => {
  const { result: made } = await agent.write("publish_hypothesis", hypothesis({ roomId, threadId }))
  const { result: other } = await lab.grace.write("create_thread", { roomId, title: "Of agents" })
  await post(lab.grace, `@ada/mcp: ${made.label}?`, other.threadId)
  const [line = ""] = await concerns(ada)
  t.match(line, new RegExp(`It names @ada/mcp\\. Its text names ${made.label}, which you wrote\\.`))
})

test("text by others stays text, and a person in no Room has no entries", async (t) => {
  await post(
    lab.grace,
    "@ada <script>alert(1)</script>",
    (await lab.grace.write("create_thread", { roomId, title: "Markup" })).result.threadId,
  )
  const page = await (await ada.request("GET", "/")).text()
  t.match(page, "@ada &lt;script&gt;alert(1)")
  t.notMatch(page, "<script>alert(1)")
  t.strictSame(await concerns(mary), [])
})
