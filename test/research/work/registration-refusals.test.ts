/** What a plan and a registration must contain: references that exist, the fields their intent requires, fresh ids. */
import type { ResearchRoomClient, WriteInput } from "research-room/client"
import t from "tap"
import { launch, nobody, plan, proposal } from "../../support/bodies.ts"
import { openInside, refusalOf } from "../../support/lab.ts"
import { experimentIn, exploration, planFor } from "./situations.ts"

const lab = await openInside(t)
const room = await lab.room()
const { ada: proposer, grace: holder, mary: other } = room
const client = holder

const { planId, made } = await planFor(await experimentIn("claimed", room, proposer, holder), client)
const { experimentId, expected } = made
const attemptId = await exploration(made, client)
const stranger = await planFor(await experimentIn("in_progress", room, proposer, holder), client)
const strangersAttempt = await exploration(stranger.made, client)

const register = (body: Partial<WriteInput<"register_attempt">>, who: ResearchRoomClient = holder) =>
  who.write("register_attempt", {
    attemptId: crypto.randomUUID(),
    experimentId,
    intent: "exploratory",
    ...expected,
    ...launch,
    ...body,
  })
const paths = async (write: Promise<unknown>, refusal = "unknown_reference") => {
  const refused = await refusalOf(write)
  t.match(refused, { status: 422, refusal, committed: false })
  return refused.issues.map(({ path }) => path).sort()
}

t.test("exact references that do not exist are all reported by their paths", async (t) => {
  const { result } = await client.write("publish_hypothesis", {
    kind: "hypothesis",
    roomId: room.roomId,
    threadId: room.threadId,
    scope: "Here.",
    premises: [],
    references: [],
    assertion: {
      wording: "It holds.",
      predicate: { type: "concept", key: "holds" },
      roles: [1, 2].map((n) => ({
        role: `r${n}`,
        definition: "A part.",
        value: { type: "boolean" as const, value: true },
      })),
    },
    concepts: { holds: { label: "holds", definition: "Is so." } },
  })
  t.same(
    await paths(
      client.write("propose_experiment", { ...proposal(room), hypotheses: [result.versionId, nobody, planId] }),
    ),
    ["/hypotheses/1", "/hypotheses/2"],
  )
  const open = await experimentIn("open", room, proposer, holder)
  t.same(
    await paths(
      proposer.write("amend_experiment", {
        experimentId: open.experimentId,
        ...open.expected,
        explanation: "So.",
        hypotheses: [nobody],
      }),
    ),
    ["/hypotheses/0"],
  )
  const all = {
    hypotheses: [nobody],
    premises: [
      { versionId: result.versionId, explanation: "It is." },
      { versionId: nobody, explanation: "It is not." },
    ],
    requiredMaterials: [{ materialId: nobody, purpose: "In." }],
  }
  t.same(await paths(client.write("accept_plan", { experimentId, ...expected, ...plan, ...all })), [
    "/hypotheses/0",
    "/premises/1/versionId",
    "/requiredMaterials/0/materialId",
  ])
  const known = await proposer.write("propose_experiment", {
    ...proposal(room),
    hypotheses: [result.versionId.toUpperCase()],
  })
  const { hypotheses } = await client.read("experiment", { experimentId: known.result.experimentId })
  t.match(
    hypotheses,
    [{ versionId: result.versionId, label: result.label, wording: "It holds." }],
    "and one that exists is resolved",
  )
})

t.test("a plan or attempt that a registration builds on must exist in the same experiment", async (t) => {
  t.same(await paths(register({ intent: "planned", planId: nobody })), ["/planId"])
  t.same(
    await paths(register({ intent: "planned", planId: stranger.planId })),
    ["/planId"],
    "a plan of another experiment",
  )
  t.same(await paths(register({ planId: stranger.planId })), ["/planId"], "even if the intent requires no plan")
  t.same(await paths(register({ intent: "rerun", rerunOf: nobody })), ["/rerunOf"])
  t.same(
    await paths(register({ intent: "rerun", rerunOf: strangersAttempt })),
    ["/rerunOf"],
    "an attempt of another experiment",
  )
  t.same(await paths(register({ intent: "reproduction", reproduces: { attemptId: nobody } })), [
    "/reproduces/attemptId",
  ])
  t.same(await paths(register({ intent: "reproduction", reproduces: { findingVersionId: nobody } })), [
    "/reproduces/findingVersionId",
  ])
  t.same(await paths(register({ inputs: [{ materialId: nobody, name: "in" }] })), ["/inputs/0/materialId"])
  t.same(
    await paths(
      register({ intent: "planned", planId: nobody, rerunOf: nobody, inputs: [{ materialId: nobody, name: "in" }] }),
    ),
    ["/inputs/0/materialId", "/planId", "/rerunOf"],
  )
  t.match(
    await register({ intent: "reproduction", reproduces: { attemptId: strangersAttempt } }, other),
    { result: { status: "registered" } },
    "another experiment's attempt can be reproduced here",
  )
  t.same(
    lab.check.asked.length,
    new Set(lab.check.asked).size === 1 ? lab.check.asked.length : -1,
    "only one repository was ever named",
  )
})

t.test("references are checked before the repository and before the state", async (t) => {
  const completed = await experimentIn("completed", room, proposer, holder)
  const before = lab.check.asked.length
  t.same(
    await paths(
      client.write("accept_plan", {
        ...plan,
        ...completed.expected,
        experimentId: completed.experimentId,
        hypotheses: [nobody],
      }),
    ),
    ["/hypotheses/0"],
  )
  t.equal(lab.check.asked.length, before, "the repository host was not contacted")
  const late = await refusalOf(
    client.write("accept_plan", { ...plan, ...completed.expected, experimentId: completed.experimentId }),
  )
  t.equal(late.refusal, "experiment_not_open")
  t.equal(lab.check.asked.length, before + 1, "the state is checked after the repository")
})

t.test("each intent requires its own fields, and all missing ones are named at once", async (t) => {
  const bare = { attemptId: crypto.randomUUID(), experimentId, ...launch }
  const missing = async (body: Partial<WriteInput<"register_attempt">>) =>
    paths(client.write("register_attempt", { ...bare, ...body } as WriteInput<"register_attempt">), "invalid_schema")
  t.same(await missing({ intent: "planned" }), ["/expectedRevision", "/expectedStatus", "/planId"])
  t.same(await missing({ intent: "exploratory" }), ["/expectedRevision", "/expectedStatus"])
  t.same(await missing({ intent: "rerun" }), ["/expectedRevision", "/expectedStatus", "/rerunOf"])
  t.same(await missing({ intent: "reproduction" }), ["/reproduces"])
  t.same(await missing({ intent: "planned", ...expected }), ["/planId"])
  t.same(await missing({ intent: "rerun", expectedRevision: 1, rerunOf: attemptId }), ["/expectedStatus"])
  t.same(await missing({ intent: "reproduction", reproduces: {} as never }), ["/reproduces"])
  t.same(
    await missing({ intent: "reproduction", reproduces: { attemptId, findingVersionId: attemptId } as never }),
    ["/reproduces"],
    "exactly one of the two",
  )
  t.same(await missing({}), ["/intent"])
  t.same(await missing({ intent: "exploratory", ...expected, argv: [] }), ["/argv"])
})

t.test("other fields that depend on each other", async (t) => {
  const missing = (write: Promise<unknown>) => paths(write, "invalid_schema")
  t.same(await missing(client.write("report_experiment_status", { experimentId, ...expected, status: "completed" })), [
    "/summary",
  ])
  t.same(await missing(client.write("report_experiment_status", { experimentId, ...expected, status: "cancelled" })), [
    "/summary",
  ])
  t.match(
    await client.write(
      "report_experiment_status",
      { experimentId, ...expected, status: "in_progress" },
      { rehearse: true },
    ),
    {
      rehearsed: true,
    } as object,
  )
  t.same(
    await missing(client.write("amend_experiment", { experimentId, ...expected, explanation: "Nothing." })),
    [""],
    "an amendment must change something",
  )
  for (const field of ["handoff", "reason", "explanation"] as const) {
    const names = {
      handoff: "release_experiment",
      reason: "cancel_experiment",
      explanation: "amend_experiment",
    } as const
    t.ok(
      (await missing(client.write(names[field], { experimentId, ...expected, scope: "There." } as never))).includes(
        `/${field}`,
      ),
    )
  }
})

// shows: An attempt is registered before launch with a pinned commit and configuration, under a fresh attemptId.
t.test("an attemptId is used once, whoever sends it and in whatever letter case", async (t) => {
  const { label } = await client.read("attempt", { attemptId })
  const current = {
    attemptId,
    label,
    experimentId,
    status: "registered",
    revision: 1,
    expected: { expectedRevision: 1, expectedStatus: "registered" },
  }
  t.match(await refusalOf(register({ attemptId })), { status: 409, refusal: "attempt_exists", current })
  t.match(await refusalOf(register({ attemptId: attemptId.toUpperCase() })), { refusal: "attempt_exists", current })
  t.match(
    await refusalOf(
      register({ attemptId, intent: "reproduction", reproduces: { attemptId: strangersAttempt } }, other),
    ),
    {
      refusal: "attempt_exists",
      current,
    },
  )
  const elsewhere = { ...stranger.made.expected, experimentId: stranger.made.experimentId, attemptId }
  t.match(await refusalOf(register(elsewhere)), { refusal: "attempt_exists", current }, "in another experiment too")
})

// shows: Ids are taken in either letter case.
t.test("ids sent in upper case are the same ids", async (t) => {
  const body = { attemptId: crypto.randomUUID(), requestId: crypto.randomUUID() }
  const first = await register({ ...body, intent: "planned", planId })
  const again = await register({
    attemptId: body.attemptId.toUpperCase(),
    requestId: body.requestId.toUpperCase(),
    intent: "planned",
    planId: planId.toUpperCase(),
    experimentId: experimentId.toUpperCase(),
  })
  t.match(again, { replayed: true, targetId: body.attemptId, result: first.result })
  t.match(await client.read("attempt", { attemptId: body.attemptId.toUpperCase() }), {
    attemptId: body.attemptId,
    planId,
  })
})

// shows: Only the assignee registers planned, exploratory or rerun attempts; any member registers a reproduction
//   without taking the work.
t.test("a reproduction needs no holder, and its expected values are checked only if it sends any", async (t) => {
  for (const state of ["open", "claimed", "in_progress", "completed", "cancelled"] as const) {
    const work = await experimentIn(state, room, proposer, holder)
    const body = {
      attemptId: crypto.randomUUID(),
      experimentId: work.experimentId,
      intent: "reproduction" as const,
      reproduces: { attemptId },
      ...launch,
    }
    t.match(await refusalOf(other.write("register_attempt", { ...body, ...work.expected, expectedRevision: 99 })), {
      refusal: "state_conflict",
      current: { expected: work.expected },
    })
    const { result } = await other.write("register_attempt", body)
    t.match(result, { attemptId: body.attemptId, status: "registered", revision: 1 }, `of ${state} work`)
    const now = await client.read("experiment", { experimentId: work.experimentId })
    t.same(now.affordances.expected, work.expected, "an attempt does not raise the experiment's revision")
    t.match(now.attempts, { total: 1, registered: 1 })
  }
})
