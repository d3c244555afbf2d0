/** An agent's inbox: it lists the entries of its Room that concern the agent, and why. */
import { setTimeout as pause } from "node:timers/promises"
import tap, { test } from "tap"
import { ask } from "../../support/ask.ts"
import { finding, hypothesis, message } from "../../support/bodies.ts"
import { openLab } from "../../support/lab.ts"
import { overHttp } from "../../mcp/agent.ts"

const lab = await openLab(tap)
const { house } = lab
const { roomId, threadId } = await lab.place("Worked on by agents")
const agent = (who: "ada" | "grace", label: string) => lab.client(who, roomId, { label })
const [mcp, sweeper, other] = [
  await agent("ada", "mcp"),
  await agent("ada", "night sweeper"),
  await agent("grace", "runner"),
]
type Client = typeof mcp
let read = 0
/** Reads the inbox since the last call, and returns the reasons of each entry. */
async function news(client: Client = mcp): Promise<readonly (readonly string[])[]> {
  const { items, nextCursor } = await client.read("inbox", { after: read })
  read = Number(nextCursor)
  return items.map(({ concerns }) => concerns.map(({ because, label, sentence }) => `${because} ${label}: ${sentence}`))
}
const post = async (client: Client, text: string, more = {}) =>
  (await client.write("post_message", { threadId, ...message(text, more) } as never)) as {
    result: { messageId: string }
  }

const h1 = await mcp.write("publish_hypothesis", hypothesis({ roomId, threadId }))
const e1 = await mcp.write("propose_experiment", {
  roomId,
  threadId,
  question: "Is it so?",
  scope: "Here.",
  hypotheses: [],
})
const said = await post(mcp, "What do you think?")
await news()

test("it leaves out the agent's own writes, and those that do not concern it", async (t) => {
  await post(mcp, "I ran H1 again, says @ada/mcp.")
  await post(other, "The weather is fine at H1x, ada@example.org and @adam.")
  t.strictSame(await news(), [])
})

test("it includes replies, mentions of its name, and labels of what it wrote", async (t) => {
  await post(other, "No.", { replyToEntryId: said.result.messageId })
  await post(other, "Ask @ada/mcp.")
  await post(other, "@ada: see H1.")
  await post(sweeper, "Not for @ada/mcp but for @ada/night-sweeper")
  await post(other, "For @ada/night-sweeper.")
  t.strictSame(await news(), [
    ["reply null: It answers what you wrote."],
    ["named null: It names @ada/mcp."],
    ["named null: It names @ada.", "mentioned H1: Its text names H1, which you wrote."],
    ["named null: It names @ada/mcp."],
  ])
  read -= 2
  t.strictSame(
    (await news(sweeper)).flat(),
    ["named null: It names @ada/night-sweeper."],
    "another agent of the same person has its own",
  )
})

test("it includes everything that bears on its records and experiments, once they are its own", async (t) => {
  const { result: taken } = await other.write("take_experiment", {
    experimentId: e1.result.experimentId,
    expectedRevision: 1,
    expectedStatus: "open",
  })
  t.ok(taken)
  await lab.grace.write("assert_dispute", {
    targetVersionId: h1.result.versionId,
    explanation: "The runs were too short.",
  })
  const found = await news()
  t.strictSame(found[0], ["proposed E1: You proposed E1."])
  t.strictSame(found[1], ["bears_on H1: It is about H1, which you wrote."])
  const f1 = await sweeper.write("publish_finding", finding({ roomId, threadId }, {}, "It was so."))
  await lab.ada.write("link_experiment_finding", {
    experimentId: e1.result.experimentId,
    findingVersionId: f1.result.versionId,
    towardHypothesis: [],
    towardQuestion: { verdict: "answers", explanation: "It is so." },
  })
  await post(mcp, "Is E1 over?")
  t.strictSame((await news(other)).slice(-2), [
    ["assigned E1: E1 is assigned to you."],
    ["mentioned E1: Its text names E1, which is assigned to you."],
  ])
})

test("only an entry that concerns the agent ends a wait", async (t) => {
  read = 0
  await news()
  const waiting = mcp.read("inbox", { after: read, wait: 20 })
  await post(other, "Nothing of interest.")
  const early = await Promise.race([
    waiting.then(() => "woken"),
    new Promise((resolve) => setTimeout(resolve, 300, "asleep")),
  ])
  t.equal(early, "asleep")
  await post(other, "@ada, it is done.")
  const { items, nextCursor } = await waiting
  t.match(items, [{ summary: /^grace · agent runner wrote/, concerns: [{ because: "named" }] }])
  t.equal(nextCursor, items[0]?.sequence)
  t.strictSame((await mcp.read("inbox", { after: read, wait: 0 })).items.length, 1)
})

test(
  "the feed leaves out the caller's own writes, but no other agent's of the same person, and a wait passes over " +
    "them",
  async (t) => {
    const { activityWatermark: after } = await mcp.read("room", { roomId })
    await post(mcp, "First.")
    await post(sweeper, "Second.")
    await post(mcp, "Third.")
    await lab.ada.write("assert_dispute", { targetVersionId: h1.result.versionId, explanation: "In the browser." })
    const others = async (client: Client, more = {}) =>
      (await client.read("room_activity", { roomId, after, exclude: "me", ...more })).items.map(
        ({ sequence }) => sequence - after,
      )
    t.strictSame(await others(mcp), [2, 4])
    t.strictSame(await others(sweeper), [1, 3, 4])
    t.strictSame(await others(mcp, { kinds: "post_message" }), [2])
    t.strictSame(await others(mcp, { include: "summary", limit: 1 }), [2])
    const whole = await mcp.read("room_activity", { roomId, after })
    const { items } = await mcp.read("room_activity", { roomId, after, exclude: "me" })
    t.strictSame(items, [whole.items[1], whole.items[3]], "each is the complete entry of the feed, digests included")

    const { activityWatermark } = await mcp.read("room", { roomId })
    const waiting = mcp.read("room_activity", { roomId, after: activityWatermark, exclude: "me", wait: 20 })
    await post(mcp, "Its own.")
    const early = await Promise.race([waiting.then(() => "woken"), pause(300, "asleep")])
    t.equal(early, "asleep")
    await post(other, "Another's.")
    t.match((await waiting).items, [{ actor: { agent: "runner" } }])
  },
)

test("only a Room credential can leave out its own writes", async (t) => {
  const path = `${house.baseUrl}/api/research/rooms/${roomId}/activity?exclude=me`
  t.match((await ask(path)).body, { refusal: "not_authenticated" })
  t.match((await ask(path, { token: "rrc_nobody" })).body, { refusal: "not_authenticated" })
  t.match((await ask(path, { headers: { origin: "https://elsewhere.example" } })).body, { refusal: "browser_origin" })
  t.equal((await ask(path.replace("=me", "=you"), { token: "rrc_nobody" })).status, 401)
  t.equal(
    (await ask(path.split("?")[0] ?? "", { token: "rrc_nobody" })).status,
    200,
    "without exclude, no credential is needed",
  )
})

test("a page shows its readers their own writes", async (t) => {
  const reader = await house.browser("owner")
  const { items } = await mcp.read("room_activity", { roomId, kinds: ["assert_dispute"] })
  const own = items.findLast(({ actor }) => actor.username === "ada")?.sequence
  const page = await (await reader.request("GET", `/rooms/${roomId}/activity`)).text()
  t.match(page, `id="activity-${own}"`)
})

test(
  "two MCP agents work side by side: " + "each sees at once what the other did, and none of its own writes",
  async (t) => {
    const left = await overHttp(house.baseUrl, (await lab.credential("ada", roomId, { label: "left" })).token)
    const { token } = await lab.credential("grace", roomId, { label: "right" })
    const right = await overHttp(house.baseUrl, token, "2026-07-28")
    t.teardown(() => Promise.all([left.close(), right.close()]))
    const { activityWatermark } = await mcp.read("room", { roomId })
    const say = (agent: typeof left, text: string) => agent.write("post_message", { threadId, text })
    /** Waits for entries in an agent's inbox. Returns its text and next cursor. */
    const inbox = async (agent: typeof left, after: number) => {
      const { text } = await agent.call("inbox", { after, wait: 20 })
      return { text, next: Number(/The feed ends at (\d+)\.\n?$/.exec(text)?.[1]) }
    }
    let [seenLeft, seenRight] = [activityWatermark, activityWatermark]
    for (let round = 0; round < 5; round += 1) {
      const waiting = inbox(right, seenRight)
      await say(left, `@grace/right, what came of run ${round}?`)
      const asked = await waiting
      t.match(
        asked.text,
        new RegExp(
          `^\\d+ \\S+ ada · agent left wrote: @grace/right, what came of run ${round}\\? ` +
            "It names @grace/right\\. Entry ",
        ),
      )
      seenRight = asked.next
      await say(right, `@ada/left: run ${round} succeeded.`)
      const answered = await inbox(left, seenLeft)
      t.match(answered.text, new RegExp(`grace · agent right wrote: @ada/left: run ${round} succeeded`))
      t.notMatch(answered.text, "agent left wrote")
      seenLeft = answered.next
    }
    const lines = (await left.call("activity", { after: activityWatermark, exclude: "me" })).text.trim().split("\n")
    t.equal(lines.filter((line) => line.includes("agent right wrote")).length, 5)
    t.notOk(lines.some((line) => line.includes("agent left wrote")))
  },
)

test("a credential that is revoked or expires during a wait receives no entries", async (t) => {
  const { activityWatermark } = await mcp.read("room", { roomId })
  const path = `${house.baseUrl}/api/agent/research/inbox?wait=20&after=${activityWatermark}`
  const { credentialId, token } = await lab.credential("ada", roomId)
  const waiting = ask(path, { token })
  const tool = await overHttp(house.baseUrl, token)
  t.teardown(tool.close)
  const toolWaiting = tool.call("inbox", Object.fromEntries(new URL(path).searchParams))
  await pause(300)
  await lab.ada.write("revoke_credential", { roomId, credentialId } as never)
  await post(other, "@ada, this is for those who may still read.")
  const { status, body } = await waiting
  t.match([status, body], [401, { refusal: "not_authenticated" }])
  t.notMatch(JSON.stringify(body), "this is for those")
  const answered = await toolWaiting
  t.match(answered, { isError: true, text: /not_authenticated/ })
  t.notMatch(answered.text, "this is for those")
})

test("it is paged, however many other entries there are", async (t) => {
  for (let round = 0; round < 30; round += 1)
    await post(other, round % 3 === 0 ? `Round ${round} of H1.` : `Round ${round}.`)
  const seen: string[] = []
  for (let after = read, hasMore = true; hasMore; ) {
    const page = await mcp.read("inbox", { after, limit: 3 })
    seen.push(...page.items.map(({ summary }) => summary))
    ;({ hasMore } = page)
    after = Number(page.nextCursor)
  }
  t.equal(seen.filter((summary) => summary.includes("of H1.")).length, 10)
})

test("the feed and the inbox are also served as lines, each short", async (t) => {
  const long = `@ada ${"word ".repeat(200)}`
  await post(other, `${long}\n\n# No heading`)
  const { activityWatermark: head } = await mcp.read("room", { roomId })
  const feed = (await mcp.text("room_activity", { roomId, after: head - 1, format: "lines" })).split("\n")
  t.match(feed, [
    new RegExp(`^${head} 20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\dZ grace · agent runner wrote: @ada word .*…`),
    `The feed ends at ${head}.`,
    "",
  ])
  t.ok((feed[0] ?? "").length < 340)
  const about = await other.text("room_activity", { roomId, after: head - 1, format: "lines", exclude: "me" })
  t.equal(about, `The feed ends at ${head}.\n`)
  const [line = ""] = (await mcp.text("inbox", { after: head - 1, format: "lines" })).split("\n")
  t.ok(line.includes(`wrote: ${long.trim()} # No heading It names @ada. Entry `), "what names the reader is whole")
  t.match(line, / Entry [0-9a-f-]{36} of Thread [0-9a-f-]{36}\.$/, "with what a reply to it names")
  const all = await mcp.text("room_activity", { roomId, after: head - 1, format: "lines", exclude: "me" })
  t.ok(all.startsWith(line.split(" It names ")[0] ?? ""), "in the feed, too, where the service knows who reads")
  await post(other, `@ada ${"word ".repeat(2_000)}`)
  const [longest = ""] = (await mcp.text("inbox", { after: head, format: "lines" })).split("\n")
  t.ok(longest.length > 2_000 && longest.length < 2_400, `${longest.length} characters`)
  t.match(await mcp.text("room_activity", { roomId, limit: 1, format: "lines" }), /\nThere is more after 1\.\n$/)
  t.match(
    await mcp.text("room_activity", { roomId, after: head + 1, wait: 1, format: "lines" }),
    `The feed ends at ${head + 1}.\n`,
  )
})

test("it is the agent's own: it cannot be read without a credential, or past the end", async (t) => {
  const path = `${house.baseUrl}/api/agent/research/inbox`
  t.equal((await ask(path)).status, 401)
  await t.rejects(mcp.read("inbox", { after: 10_000 }), { refusal: "invalid_parameter", message: /The feed ends at / })
})
