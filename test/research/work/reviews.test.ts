/**
 * An agent publishes a finding and concludes on it. Another agent of its person and another person's agent review both.
 * Their reviews are shown wherever the finding, the conclusion or the plan is, but do not count as evidence.
 */
import { join } from "node:path"
import tap, { test } from "tap"
import { checkData } from "../../../src/check/check.ts"
import { codesOf, openAgents, refusedWith } from "../../support/lab.ts"
import { ask } from "../../support/ask.ts"
import { action, finding, hypothesis, message, proposal } from "../../support/bodies.ts"
import { untilClean } from "../../support/clean.ts"
import { elsewhere } from "../../support/elsewhere.ts"

const own = await openAgents(tap, "Reviewed")
const { repository, ada, grace, roomId, threadId, mcp, sweeper, runner } = own
type Client = typeof mcp
const place = { roomId, threadId }
const MINUTE = 60_000

const publish = async (wording = "The ramp lowered the loss.") =>
  (await mcp.write("publish_finding", finding(place, {}, wording))).result.versionId
async function conclude(client: Client, versionId: string, conclusion = "It lowers the loss.") {
  const { timelineWatermark } = (await client.read("thread_context", { threadId })).thread
  const { result } = await client.write("post_research_checkpoint", {
    threadId,
    expectedWatermark: timelineWatermark,
    coversThrough: timelineWatermark,
    state: "concluded",
    synthesis: "Both arms ran.",
    conclusion,
    openQuestions: [],
    citations: [versionId],
  })
  return result.checkpointId
}
const review = (client: Client, target: string, more: object = {}) =>
  client.write("submit_review", {
    target,
    verdict: "agrees",
    checked: ["numbers"],
    explanation: "The numbers are as stated.",
    ...more,
  } as never)
const objects = { verdict: "objects", explanation: "One seed is missing." }
const brief = () => mcp.read("room_brief", { roomId, budget: 64_000 })
const steps = async () =>
  (await mcp.read("room_next", { roomId })).items.map(({ what, object }) => `${what} ${object.id}`)
const text = async (path: string) => (await fetch(`${own.baseUrl}${path}`)).text()

// shows: skill: review
test("a conclusion that nobody else has reviewed says so, and next offers to review it", async (t) => {
  const versionId = await publish()
  const checkpointId = await conclude(mcp, versionId)
  t.match((await mcp.read("room_context", { roomId })).conclusion, { checkpointId, reviewed: null })
  t.match((await brief()).stands, [{ checkpointId, reviewed: "not reviewed" }])
  t.ok((await steps()).includes(`review_conclusion ${checkpointId}`))
  t.match(await text(`/rooms/${roomId}`), /Concluded<\/span><\/span><span>.*not reviewed/)
  t.match(await text(`/rooms/${roomId}.md`), /\(concluded, not reviewed\): It lowers the loss\./)
  t.equal(await refusedWith(review(mcp, checkpointId)), "role_required", "the agent that wrote it does not review it")

  await review(sweeper, checkpointId, {
    verdict: "agrees_with_reservations",
    explanation: "Seeds 4 and 5 are missing.",
  })
  const { conclusion } = await mcp.read("room_context", { roomId })
  t.match(conclusion?.reviewed, {
    agrees: 0,
    agreesWithReservations: 1,
    independent: 0,
    otherAgents: 1,
    newest: [{ author: { username: "ada", agent: "sweeper" }, independence: { person: false, agent: true } }],
  })
  t.equal(
    (await brief()).stands[0]?.reviewed,
    "reviewed: ada · agent sweeper (another agent of ada) agrees with reservations",
  )
  t.notOk((await steps()).includes(`review_conclusion ${checkpointId}`), "it is reviewed")
  t.match(await text(`/checkpoints/${checkpointId}`), /Seeds 4 and 5 are missing\..*another agent of ada/s)
  const { evidenceTally } = await mcp.read("record", { versionId })
  t.equal(evidenceTally.supports, 0, "a review does not count as evidence")
})

test("the newest review of each author and agent counts, and after its withdrawal the previous one", async (t) => {
  const versionId = await publish("It is lower with the ramp.")
  const first = await review(runner, versionId)
  t.match(first, {
    target: { kind: "finding", id: versionId },
    targetId: first.result.linkId,
    result: { verdict: "agrees" },
  })
  t.equal(await refusedWith(review(runner, versionId)), "link_exists", "the same review again")
  const second = await review(runner, versionId, objects)
  const counted = async () => (await mcp.read("record", { versionId })).reviewed
  t.match(await counted(), { agrees: 0, objects: 1, independent: 1, otherAgents: 1 })
  await review(grace as never, versionId)
  t.match(
    await counted(),
    { agrees: 1, objects: 1, independent: 1, otherAgents: 2 },
    "a person and her agent each have their own review",
  )
  await runner.write("withdraw_link", { linkId: second.result.linkId, explanation: "The seed is there." })
  t.match(await counted(), { agrees: 2, objects: 0 })
  t.equal(
    await refusedWith(mcp.write("withdraw_link", { linkId: first.result.linkId, explanation: "x" })),
    "role_required",
  )
  const { reviews } = await mcp.read("record", { versionId })
  t.strictSame(
    reviews.map(({ verdict, counts, withdrawn }) => [verdict, counts, withdrawn !== null]),
    [
      ["agrees", true, false],
      ["objects", false, true],
      ["agrees", true, false],
    ],
  )
  t.match(await mcp.read("link", { linkId: second.result.linkId }), {
    kind: "review",
    withdrawn: { explanation: "The seed is there." },
  })
  t.match(await text(`/links/${second.result.linkId}`), /Withdrawn/)
  const { items } = await mcp.read("room_reviews", { roomId, target: versionId, verdict: "agrees" })
  t.equal(items.length, 2)
  t.match(
    await text(`/records/${versionId}.md`),
    /## Reviews\n- agrees \(grace, another person, .*: The numbers are as stated\./,
  )
})

test(
  "an objection is listed with the disputes until the author answers it, " + "and reaches the author's inbox",
  async (t) => {
    const versionId = await publish("The loss is lower by 0.07 nat.")
    const { entry, result } = await review(runner, versionId, objects)
    t.match((await brief()).disputes, [
      { source: "review", kind: "finding", id: versionId, why: "One seed is missing.", by: "grace", agent: "runner" },
    ])
    t.match(await text(`/rooms/${roomId}.md`), /Objected to by grace · agent runner: One seed is missing\./)
    t.ok((await steps()).includes(`answer_dispute ${versionId}`))
    const { items } = await mcp.read("inbox", { after: 0 })
    t.match(items.at(-1), {
      summary: /grace · agent runner objected to F\d+: One seed is missing\./,
      concerns: [{ because: "bears_on", id: versionId }],
    })
    await runner.write("post_message", {
      threadId,
      ...message("It is the third.", { replyToEntryId: entry?.entryId }),
    } as never)
    t.equal((await brief()).disputes.length, 1, "another person's reply does not answer it")
    await mcp.write("post_message", {
      threadId,
      ...message("It diverged; A7 says so.", { replyToEntryId: entry?.entryId }),
    } as never)
    t.strictSame((await brief()).disputes, [])
    t.match(await mcp.read("link", { linkId: result.linkId }), { answered: { by: "reply" } })
    t.match((await mcp.read("record", { versionId })).reviewed, { objects: 1 }, "it still counts as a review")
  },
)

test(
  "an objection to a conclusion ends with the conclusion, one to a plan by a reply, one to a finding by a " +
    "correction",
  async (t) => {
    const versionId = await publish("The loss is lower by a tenth.")
    const checkpointId = await conclude(mcp, versionId)
    await review(runner, checkpointId, objects)
    await review(runner, versionId, objects)
    const { experimentId } = (await mcp.write("propose_experiment", proposal({ roomId, threadId }) as never)).result
    await mcp.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
    const { planId } = (
      await mcp.write("accept_plan", {
        experimentId,
        expectedRevision: 2,
        expectedStatus: "claimed",
        repository,
        hypotheses: [],
        premises: [],
        protocol: { summary: "Train both arms.", steps: [], arms: [] },
        intent: "confirmatory",
        requiredMaterials: [],
      })
    ).result
    const planned = await review(runner, planId, objects)
    const open = async () => (await brief()).disputes.map(({ kind }) => kind)
    t.strictSame(await open(), ["plan", "finding", "checkpoint"])
    const answer = (await mcp.read("room_next", { roomId })).items.find(({ object }) => object.id === planId)
    t.match(answer, {
      what: "answer_dispute",
      operation: "post_message",
      body: { threadId, replyToEntryId: planned.entry?.entryId },
    })
    t.match(await text(`/plans/${planId}`), /One seed is missing/)
    t.match((await mcp.read("experiment", { experimentId })).acceptedPlans, [{ planId, reviewed: { objects: 1 } }])
    await mcp.write("post_message", {
      threadId,
      ...message("Five are planned.", { replyToEntryId: planned.entry?.entryId }),
    } as never)
    t.strictSame(await open(), ["finding", "checkpoint"])
    await mcp.write("assert_correction", {
      targetVersionId: versionId,
      explanation: "Miscounted.",
      correction: "By a twelfth.",
    })
    t.strictSame(await open(), ["checkpoint"])
    await conclude(mcp, versionId, "It helps by a twelfth.")
    t.strictSame(await open(), [])
  },
)

test("invalid reviews are refused; a claim for review warns others", async (t) => {
  const { result } = await mcp.write("publish_hypothesis", hypothesis(place))
  const refusal = await review(runner, result.versionId).catch(
    (error: { readonly refusal: string; readonly message: string }) => error,
  )
  t.match(refusal, { refusal: "unknown_record", message: /is a hypothesis \(H\d+\)/ })
  t.equal(await refusedWith(review(runner, "0198f3a0-dead-4ead-8ead-00000000dead")), "unknown_record")
  const versionId = await publish("One more.")
  t.equal(await refusedWith(review(runner, versionId, { checked: ["wording", "wording"] })), "invalid_schema")
  t.equal(await refusedWith(review(runner, versionId, { verdict: "rejects" })), "invalid_schema")
  await sweeper.write("claim_work", { object: versionId, what: "review", minutes: 30 })
  t.strictSame(codesOf(await review(runner, versionId)), ["claimed_by"])
  await mcp.write("assert_retraction", { targetVersionId: versionId, explanation: "A slip." })
  t.strictSame(codesOf(await review(grace as never, versionId)), ["names_retracted", "claimed_by"])
  own.pass(31 * MINUTE)
})

test(
  "reviews are found by search, and survive a replay, a read of an earlier " + "moment, withholding and an import",
  async (t) => {
    const versionId = await publish("The last one.")
    const receipt = await review(runner, versionId, { explanation: "The key is hunter2, verily." })
    const { linkId } = receipt.result
    const { items } = await mcp.read("search", { query: "verily", roomId })
    t.match(items, [{ kind: "finding", id: versionId }])
    const at = receipt.activity?.sequence
    const before = await ask(`${own.baseUrl}/api/research/records/${versionId}?at=${Number(at) - 1}`)
    t.match(before.body, { reviewed: null, reviews: [] })
    await ada.write("withhold_content", {
      ...action({
        roomId,
        of: { sequence: at },
        fields: ["/explanation"],
        reason: "secret",
        explanation: "A password.",
      }),
    } as never)
    t.match(await mcp.read("link", { linkId }), { explanation: { withheld: { reason: "secret" } } })
    t.strictSame((await mcp.read("search", { query: "verily", roomId })).items, [])
    await untilClean(join(own.folder, "research-room.db"))
    t.strictSame(checkData(own.instance.db).problems, [], "a replay builds the same tables")
    const there = elsewhere(t)
    await there.import(
      new Uint8Array(await (await fetch(`${own.baseUrl}/api/research/rooms/${roomId}/export`)).arrayBuffer()),
    )
    t.strictSame(there.problems(), [])
    const rows = (db: typeof there.db) =>
      db
        .prepare<{ row: string }>(
          "SELECT link_id || verdict || agent || is_open || independent AS row FROM reviews ORDER BY 1",
        )
        .all()
    t.strictSame(rows(there.db), rows(own.instance.db))
  },
)
