/**
 * A piece of work from proposal to outcome, as an agent does it: read, copy the expected block, write; and two agents
 * in a race.
 */
import { RefusedError } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { faulty, freshId, noted } from "./faults.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const { roomId, openingThreadId: threadId } = room.rooms.empty
const { url, commit } = room.repositories.public
const grace = room.client("member_all")
const ada = room.client("owner_all")

/** The block that the experiment expects of the next write. */
const expected = async (experimentId: string) => (await grace.read("experiment", { experimentId })).affordances.expected

// shows: Affordances name what would be accepted next and by whom, with the expected block to copy; they grant nothing.
t.test("the expected block of a read is accepted by the next write, all the way through", async (t) => {
  const { targetId: experimentId, result } = await grace.write("propose_experiment", {
    roomId,
    threadId,
    question: "Does it?",
    scope: "Here.",
    hypotheses: [],
  })
  t.match(result, { label: /^E\d+$/, status: "open" })
  await grace.write("take_experiment", { experimentId, ...(await expected(experimentId)) })
  const plan = await grace.write("accept_plan", {
    experimentId,
    ...(await expected(experimentId)),
    repository: { url, commit },
    hypotheses: [],
    premises: [],
    intent: "exploratory",
    requiredMaterials: [],
    protocol: { summary: "Run it once.", steps: [], arms: [] },
  })

  const attemptId = freshId()
  await grace.write("register_attempt", {
    attemptId,
    experimentId,
    ...(await expected(experimentId)),
    intent: "planned",
    planId: plan.target.id,
    repository: { url, commit },
    argv: ["python", "run.py"],
    configuration: {},
    inputs: [],
  })
  for (const event of ["started", "succeeded"] as const) {
    const { affordances } = await grace.read("attempt", { attemptId })
    await grace.write("report_attempt_event", {
      attemptId,
      event,
      ...affordances.expected,
      reportedAt: new Date().toISOString(),
    })
  }
  t.equal((await grace.read("attempt", { attemptId })).status, "succeeded")
  const attempts = []
  for await (const { label } of grace.items("attempts", { experimentId, limit: 1 })) attempts.push(label)
  t.equal(attempts.length, 1)
})

// shows: A take is atomic: of many takers one wins.
t.test("two agents take the same experiment: one gets it, the other is told who has it", async (t) => {
  const { targetId: experimentId } = await grace.write("propose_experiment", {
    roomId,
    threadId,
    question: "Who?",
    scope: "Here.",
    hypotheses: [],
  })
  const take = { experimentId, ...(await expected(experimentId)) }
  const outcomes = await Promise.allSettled([grace.write("take_experiment", take), ada.write("take_experiment", take)])
  t.same(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"])
  const [taken] = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []))
  const [refused] = outcomes.flatMap((outcome) =>
    outcome.status === "rejected" && outcome.reason instanceof RefusedError ? [outcome.reason] : [],
  )
  t.match(refused, {
    status: 409,
    refusal: "assignment_conflict",
    current: { experimentId, status: "claimed", assigneeId: taken?.result.assigneeId },
  })
})

// shows: A historical take retry returns its receipt with the state of now, and never retakes.
t.test(
  "a take retried after a release never takes again: it gets the first receipt, with the current state",
  async (t) => {
    const { targetId: experimentId } = await grace.write("propose_experiment", {
      roomId,
      threadId,
      question: "Mine?",
      scope: "Here.",
      hypotheses: [],
    })
    const take = { experimentId, ...(await expected(experimentId)), requestId: freshId() }
    const first = await grace.write("take_experiment", take)
    await grace.write("release_experiment", {
      experimentId,
      ...(await expected(experimentId)),
      handoff: "Nothing was done yet.",
    })

    const again = await room
      .client("member_all", { ...faulty("answer_lost"), ...noted() })
      .write("take_experiment", take)
    t.match(again, {
      replayed: true,
      acceptedAt: first.acceptedAt,
      result: { status: "claimed" },
      current: { status: "open", assigneeId: null },
    })
    t.equal((await grace.read("experiment", { experimentId })).status, "open")
  },
)
