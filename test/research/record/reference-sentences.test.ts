/** What a refusal says about an id that is unknown, of another kind, the object's own, or part of another object. */
import tap, { test } from "tap"
import { RefusedError } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import { freshId } from "../../support/bodies.ts"

const room = await startResearchRoom()
tap.teardown(() => room.close())
const agent = room.client("member_all")
const { roomId, openingThreadId: threadId } = room.rooms.empty
const { public: repository } = room.repositories

const told = async (write: Promise<unknown>) => {
  const error = await write.then(
    () => null,
    (refused: unknown) => refused,
  )
  if (!(error instanceof RefusedError)) throw error ?? new Error("it was admitted")
  return {
    refusal: error.refusal,
    message: error.message,
    issues: error.issues.map(({ path, message }) => `${path} ${message}`),
  }
}

const propose = async () =>
  (await agent.write("propose_experiment", { roomId, threadId, question: "Is it so?", scope: "Here.", hypotheses: [] }))
    .result.experimentId
const [first, second] = [await propose(), await propose()]
await agent.write("take_experiment", { experimentId: first, expectedRevision: 1, expectedStatus: "open" })
const pin = { url: repository.url, commit: repository.commit }
const plan = await agent.write("accept_plan", {
  experimentId: first,
  expectedRevision: 2,
  expectedStatus: "claimed",
  repository: pin,
  hypotheses: [],
  premises: [],
  intent: "exploratory",
  requiredMaterials: [],
  protocol: { summary: "One run.", steps: [], arms: [] },
})
const register = (planId: string, experimentId = first) =>
  agent.write("register_attempt", {
    attemptId: freshId(),
    experimentId,
    intent: "planned",
    planId,
    expectedRevision: 3,
    expectedStatus: "claimed",
    repository: pin,
    argv: ["true"],
    configuration: {},
    inputs: [],
  })

test("an id that is unknown, and one of another kind of object", async (t) => {
  t.match(await told(register(freshId())), {
    refusal: "unknown_reference",
    issues: ["/planId is not the id of a plan here"],
  })
  t.match(await told(register(first)), {
    message: "/planId is an experiment (E1), not a plan; plans of E1: P1.",
    issues: ["/planId is an experiment (E1), not a plan; plans of E1: P1"],
  })
  t.match(await told(register(second)), { issues: ["/planId is an experiment (E2), not a plan; E2 has no plan"] })
  t.match(await told(register(threadId)), { issues: [/^\/planId is a Thread \(".+"\), not a plan$/] })
})

test("a part of another object", async (t) => {
  t.match(await told(register(plan.result.planId, second)), {
    refusal: "unknown_reference",
    issues: ["/planId is P1 of E1, not of E2; E2 has no plan"],
  })
})

test(
  "a subject of another kind is refused as unknown under the expected kind's " +
    "code, and the message says what it is",
  async (t) => {
    const take = (experimentId: string) =>
      agent.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
    t.match(await told(take(plan.result.planId)), {
      refusal: "unknown_experiment",
      message: `There is no such experiment. ${plan.result.planId} is a plan (P1).`,
    })
    t.match(await told(take(freshId())), { refusal: "unknown_experiment", message: "There is no such experiment." })
  },
)

test("the object's own id, and several faults at once", async (t) => {
  const { versionId } = (await publish()).result
  const replaced = agent.write("assert_supersession", {
    targetVersionId: versionId,
    explanation: "Newer.",
    replacementVersionId: versionId,
  })
  t.match(await told(replaced), { issues: ["/replacementVersionId is the record itself, not another one"] })
  const cited = agent.write("post_research_checkpoint", {
    threadId,
    expectedWatermark: 0,
    coversThrough: 0,
    state: "open",
    synthesis: "So far.",
    openQuestions: [],
    citations: [versionId, first, freshId()],
  })
  t.match(await told(cited), {
    message: "/citations/1 is an experiment (E1), not a record. 1 more of its references is wrong: see issues.",
    issues: ["/citations/1 is an experiment (E1), not a record", "/citations/2 is not the id of a record here"],
  })
})

const publish = () =>
  agent.write("publish_hypothesis", {
    kind: "hypothesis",
    roomId,
    threadId,
    assertion: {
      wording: "It is so.",
      predicate: { type: "concept", key: "holds" },
      roles: [
        { role: "what", definition: "What holds.", value: { type: "text", value: "it" } },
        { role: "where", definition: "Where it holds.", value: { type: "text", value: "here" } },
      ],
    },
    concepts: { holds: { label: "holds", definition: "Is so." } },
    scope: "Here.",
    premises: [],
    references: [],
  })
