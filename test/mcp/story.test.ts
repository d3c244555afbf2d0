/**
 * A whole piece of research by an agent that speaks only MCP: it finds the Room, looks at earlier attempts, predicts,
 * plans, runs, finds and concludes. Over HTTP and by the program that an agent's own program starts, in both eras of
 * MCP.
 */
import { startResearchRoom } from "research-room/testing"
import tap, { type Test } from "tap"
import type { Json } from "../support/ask.ts"
import { executable } from "../support/program.ts"
import { type Agent, eras, overHttp, overStdio } from "./agent.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { token } = house.credentials.member_all
const text = (value: Json | undefined) => value as unknown as string
const reportedAt = () => new Date().toISOString()

async function research(t: Test, agent: Agent, question: string): Promise<void> {
  const { client, call, write } = agent
  t.match(client.getInstructions(), /brief/, "it is told how to begin")

  const me = (await call("whoami")).body
  const roomId = text(me.room?.id)
  t.match((await call("rooms", { query: text(me.room?.title) })).text, roomId, "it finds its Room")
  t.match((await call("brief", { roomId })).text, /^# /, "and reads its current state")
  t.notOk((await call("similar", { roomId, text: question })).isError, "and earlier attempts")

  const { result: begun } = await write("create_thread", { roomId, title: question })
  const threadId = text(begun?.threadId)
  const said = await write("post_message", { threadId, text: "I write the prediction down first." })
  t.equal(text(said.result?.messageId).length, 36)

  const { body: both } = await call("write", {
    writes: [
      { as: "a", operation: "create_thread", input: { roomId, title: "Two at once" } },
      {
        operation: "post_message",
        input: { threadId: { $from: "a", path: "/targetId" }, text: "Begun in one request." },
      },
    ],
  })
  const [begunToo, answer] = both.receipts as unknown as readonly Json[]
  const { items } = (
    await call("read", { name: "thread_timeline", parameters: { threadId: text(begunToo?.target?.id) } })
  ).body
  t.equal((items as unknown as Json[]).at(-1)?.entryId, answer?.result?.messageId, "several writes go together")

  const { operations } = (await call("schema", { name: "publish_hypothesis,publish_finding" })).body
  const [toPredict, toFind] = (operations as unknown as readonly { examples: readonly object[] }[]).map(
    ({ examples: [first] }) => first,
  )
  const predicted = { ...toPredict, requestId: crypto.randomUUID(), roomId, threadId, premises: [], references: [] }
  const rehearsed = await call("rehearse", { operation: "publish_hypothesis", input: predicted })
  t.match(rehearsed.body, { rehearsed: true })
  const hypothesis = await write("publish_hypothesis", predicted)
  t.match(
    await write("publish_hypothesis", predicted),
    { replayed: true, target: hypothesis.target },
    "the same writes again give the same receipts",
  )
  const versionId = text(hypothesis.target?.id)

  const proposed = await write("propose_experiment", {
    roomId,
    threadId,
    question,
    scope: "Here.",
    hypotheses: [versionId],
  })
  const experimentId = text(proposed.target?.id)
  await write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const guards = async () => {
    const { body } = await call("read", { name: "experiment", parameters: { experimentId } })
    return (body.affordances as Json).expected as object
  }
  const { url, commit } = house.repositories.public
  const repository = { url, commit }
  const argv = ["python", "train.py", "--steps", "400"]
  const accepted = await write("accept_plan", {
    experimentId,
    ...(await guards()),
    repository,
    hypotheses: [versionId],
    premises: [],
    protocol: { summary: "Train once.", steps: ["train"], entrypoint: { argv }, arms: [] },
    intent: "confirmatory",
    requiredMaterials: [],
  })
  const planId = text(accepted.result?.planId)

  const attemptId = crypto.randomUUID()
  await write("register_attempt", {
    attemptId,
    experimentId,
    intent: "planned",
    planId,
    ...(await guards()),
    repository,
    argv,
    configuration: { steps: 400 },
    inputs: [],
  })
  const report = async (event: string, more: object = {}) => {
    const { body } = await call("read", { name: "attempt", parameters: { attemptId } })
    return write("report_attempt_event", {
      attemptId,
      event,
      ...((body.affordances as Json).expected as object),
      reportedAt: reportedAt(),
      ...more,
    })
  }
  await report("started")
  await report("succeeded", { exitCode: 0, metrics: [{ name: "loss", value: 2.5, step: 400 }] })
  t.match((await call("open", { attemptId })).text, /loss 2\.5 at step 400/, "the result of the run is on record")

  const published = await write("publish_finding", {
    ...toFind,
    requestId: crypto.randomUUID(),
    roomId,
    threadId,
    retrospective: false,
    outcome: "positive",
    evidence: [],
    materials: [],
    references: [],
    provenance: { execution: { experimentId, planId, attemptIds: [attemptId], baselineAttemptIds: [] }, papers: [] },
  })
  const findingVersionId = text(published.target?.id)
  await write("link_experiment_finding", {
    experimentId,
    findingVersionId,
    attemptId,
    towardHypothesis: [{ versionId, verdict: "supports", explanation: "The loss is lower." }],
    towardQuestion: { verdict: "answers", explanation: "Yes." },
  })
  t.match((await call("evidence", { versionId })).text, /"verdict":"supports"/, "the verdict refers to the prediction")
  t.match((await call("search", { roomId, query: question })).text, threadId, "search finds all of it")
  const brief = (await call("brief", { threadId })).text
  t.match(brief, /1 for it/, "the brief counts the verdict")
  t.match((await call("open", { versionId })).text, /^# H\d+:/, "and an id in it can be opened")
  const thread = (await call("open", { threadId })).text
  const [, link = ""] = /\]\(([^)]*\/records\/[^)]+)\)/.exec(thread) ?? []
  t.match((await call("read", { path: link })).text, /^# /, `a link in a document can be read: ${link}`)

  const { contents } = await client.readResource({ uri: `${house.baseUrl}/records/${versionId}.md` })
  t.match(contents, [{ mimeType: "text/markdown", text: /1 supports|supports/ }], "a record is a resource")
  const { messages } = await client.getPrompt({ name: "resume", arguments: { roomId, after: "0" } })
  t.match(JSON.stringify(messages), `: ${question}`, "an agent that comes back is told what happened")

  const attempt = (await call("read", { name: "attempt", parameters: { attemptId } })).body
  t.same((attempt.planMatch as Json).deviations, [], "it ran as planned")
  t.match(
    (await call("activity", { roomId, limit: 1 })).text,
    /^1 20\S+Z \S.*\nThere is more after 1\.\n$/,
    "one line per entry",
  )
}

for (const era of eras) {
  tap.test(`over HTTP, ${era}`, async (t) => {
    const agent = await overHttp(house.baseUrl, token, era)
    t.teardown(agent.close)
    await research(t, agent, `Does warm-up pay, over HTTP, ${era}?`)
  })

  tap.test(`over standard input and output, ${era}`, async (t) => {
    const env = { RESEARCH_ROOM_URL: house.baseUrl, RESEARCH_ROOM_TOKEN: token }
    const agent = await overStdio(executable(), env, era)
    t.teardown(agent.close)
    await research(t, agent, `Does warm-up pay, over a pipe, ${era}?`)
  })
}
