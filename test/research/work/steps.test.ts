/**
 * What each step of an experiment leaves behind: the receipt, the experiment, its timeline entry and its feed entry.
 */
import t from "tap"
import { entryDigest } from "../../../src/contract/reads/activity.ts"
import { canonicalJson, digestOf, type Json } from "../../../src/contract/json.ts"
import { launch, plan, proposal, told } from "../../support/bodies.ts"
import { openInside } from "../../support/lab.ts"
import { experimentIn, exploration } from "./situations.ts"

const lab = await openInside(t)
const room = await lab.room()
const { ada: proposer, grace: holder } = room
const [asks, holds] = [proposer, holder]

/** Reads the newest entry of the Thread and of the feed. */
async function newest() {
  const { thread, recent } = await asks.read("thread_context", { threadId: room.threadId })
  const { activityWatermark } = await asks.read("room", { roomId: room.roomId })
  const feed = await asks.read("room_activity", { roomId: room.roomId, after: activityWatermark - 1 })
  return { entry: recent.at(-1), watermark: thread.timelineWatermark, activity: feed.items.at(-1) }
}

// shows: A receipt names its target; targetId is the link, attempt, material, checkpoint or experiment, as the write
//   has it.
// shows: skill: target_id
// shows: Every write is admitted or refused as a whole, with its Thread receipt and activity entry.
// shows: Each accepted write adds an activity entry together with its receipt.
t.test("every accepted write leaves its receipt, one timeline entry and one activity entry", async (t) => {
  const { experimentId } = await experimentIn("claimed", room, proposer, holder)
  const experiment = { kind: "experiment", id: experimentId, label: "E1" }
  const common = { roomId: room.roomId, threadId: room.threadId, warnings: [] }
  const guard = { experimentId, expectedRevision: 2, expectedStatus: "claimed" as const }

  const body = { ...guard, ...plan, requestId: crypto.randomUUID(), client: { name: "planner" } }
  const accepted = await holds.write("accept_plan", body)
  const planned = { kind: "plan", id: accepted.result.planId, label: "P1" }
  t.match(
    accepted,
    {
      ...common,
      operation: "accept_plan",
      target: planned,
      targetId: experimentId,
      result: { experimentId, label: "P1", status: "claimed", revision: 3 },
    },
    "the target is the plan, and targetId is its experiment",
  )
  const { entry, watermark, activity } = await newest()
  t.match(entry, {
    entryId: accepted.entry?.entryId,
    sequence: watermark,
    kind: "accept_plan",
    author: holder,
    receipt: { operation: "accept_plan", target: planned, client: { name: "planner" } },
  })
  t.equal(accepted.entry?.sequence, watermark)
  t.match(activity, {
    kind: "accept_plan",
    operation: "accept_plan",
    actor: holder,
    target: planned,
    entryId: accepted.entry?.entryId,
    ...accepted.activity,
  })
  const { client: _client, ...content } = { schemaVersion: 3, ...body }
  t.equal(
    activity?.contentDigest,
    digestOf(canonicalJson(content as unknown as Json)),
    "the digest of what was sent, without client",
  )
  t.equal(activity && entryDigest(activity), accepted.activity?.digest)
  t.equal((await asks.read("plan", { planId: accepted.result.planId })).contentDigest, activity?.contentDigest)

  const attemptId = await exploration(
    { experimentId, expected: { expectedRevision: 3, expectedStatus: "claimed" } },
    holds,
  )
  const attempt = { kind: "attempt", id: attemptId, label: "A1" }
  t.match((await newest()).activity, { kind: "register_attempt", target: attempt })
  const started = await holds.write("report_attempt_event", {
    attemptId,
    expectedRevision: 1,
    expectedStatus: "registered",
    ...told("started"),
  })
  t.match(started, {
    ...common,
    target: attempt,
    targetId: attemptId,
    result: { attemptId, label: "A1", status: "started", revision: 2 },
  })
  t.match(await holds.write("report_experiment_status", { ...guard, expectedRevision: 3, status: "in_progress" }), {
    ...common,
    target: experiment,
    targetId: experimentId,
    result: { status: "in_progress", revision: 4 },
  })
})

t.test("a rehearsal leaves nothing, not even a label", async (t) => {
  const before = await newest()
  const rehearsed = await asks.write("propose_experiment", proposal(room), { rehearse: true })
  t.match(rehearsed, {
    rehearsed: true,
    result: { label: "E2", status: "open", revision: 1 },
    entry: { sequence: before.watermark + 1 },
  })
  t.same(await newest(), before)
  const real = await asks.write("propose_experiment", { ...proposal(room), requestId: rehearsed.requestId as string })
  t.match(real, { result: { label: "E2" } }, "the id and the label were still free")
  t.notOk(real.replayed)
})

// shows: The proposer amends and cancels while it is open; an amendment raises the revision.
t.test("an amendment changes only what it names", async (t) => {
  const suggestedProtocol = { summary: "So.", steps: ["One."], arms: [] }
  const { result } = await asks.write("propose_experiment", { ...proposal(room), suggestedProtocol })
  const { experimentId } = result
  const amend = async (expectedRevision: number, more: object) => {
    await asks.write("amend_experiment", {
      experimentId,
      expectedRevision,
      expectedStatus: "open",
      explanation: "Better so.",
      ...more,
    })
    const {
      question,
      scope,
      suggestedProtocol: protocol,
      revision,
      status,
    } = await asks.read("experiment", { experimentId })
    return { question, scope, protocol, revision, status }
  }
  const first = { question: "Does it hold?", scope: "Here.", protocol: suggestedProtocol, status: "open" }
  t.same(await amend(1, { scope: "There." }), { ...first, scope: "There.", revision: 2 })
  t.same(await amend(2, { question: "Does it?" }), { ...first, scope: "There.", question: "Does it?", revision: 3 })
  const protocol = { ...suggestedProtocol, steps: [] }
  t.same(await amend(3, { suggestedProtocol: protocol }), {
    ...first,
    scope: "There.",
    question: "Does it?",
    protocol,
    revision: 4,
  })
})

// shows: A release supplies a handoff, clears the assignment and keeps plans, reports and findings.
t.test("handoffs and conclusions: who wrote them, and when they count", async (t) => {
  const { experimentId, expected } = await experimentIn("claimed", room, proposer, holder)
  const read = () => asks.read("experiment", { experimentId })
  await holds.write("report_experiment_status", {
    experimentId,
    ...expected,
    status: "in_progress",
    summary: "Half way.",
  })
  t.match(await read(), { conclusion: null, handoff: null }, "a summary on the way is not a conclusion")
  t.equal(
    (await asks.read("experiment_history", { experimentId })).items.at(-1)?.content.summary,
    "Half way.",
    "it stays in the history",
  )
  await holds.write("release_experiment", {
    experimentId,
    expectedRevision: 3,
    expectedStatus: "in_progress",
    handoff: "First.",
  })
  t.match(await read(), {
    status: "open",
    assigneeId: null,
    assignee: null,
    handoff: { text: "First.", by: holder },
    conclusion: null,
  })
  await asks.write("take_experiment", { experimentId, expectedRevision: 4, expectedStatus: "open" })
  t.match(
    await read(),
    { status: "claimed", assignee: proposer, handoff: { text: "First.", by: holder } },
    "it stays readable",
  )
  await asks.write("release_experiment", {
    experimentId,
    expectedRevision: 5,
    expectedStatus: "claimed",
    handoff: "Second.",
  })
  await asks.write("cancel_experiment", {
    experimentId,
    expectedRevision: 6,
    expectedStatus: "open",
    reason: "Answered elsewhere.",
  })
  t.match(await read(), {
    status: "cancelled",
    assigneeId: null,
    handoff: { text: "Second.", by: proposer },
    conclusion: { text: "Answered elsewhere.", by: proposer },
  })
})

// shows: An accepted plan is immutable, pinned to a commit, and accepted under one's own identity; a suggested protocol
//   is not accepted by itself.
t.test("several plans coexist, and none of them changes", async (t) => {
  const { experimentId, expected } = await experimentIn("claimed", room, proposer, holder)
  const first = await holds.write("accept_plan", { experimentId, ...expected, ...plan })
  const second = await holds.write("accept_plan", {
    experimentId,
    ...expected,
    expectedRevision: 3,
    ...plan,
    intent: "confirmatory",
  })
  const { acceptedPlans, plans, revision, status } = await asks.read("experiment", { experimentId })
  t.same([plans, revision, status], [2, 4, "claimed"])
  t.same(
    acceptedPlans.map(({ planId }) => planId),
    [first.result.planId, second.result.planId],
  )
  t.equal((await asks.read("plan", { planId: first.result.planId })).content.intent, "exploratory")
  const attempt = await holds.write("register_attempt", {
    attemptId: crypto.randomUUID(),
    experimentId,
    intent: "planned",
    planId: first.result.planId,
    expectedRevision: 4,
    expectedStatus: "claimed",
    ...launch,
  })
  t.match(
    await asks.read("attempt", { attemptId: attempt.targetId }),
    { planId: first.result.planId, planMatch: { planId: first.result.planId } },
    "an attempt names the one it follows",
  )
})
