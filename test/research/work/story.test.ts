/** A complete story of work over HTTP, and every read of it afterwards. */
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { sha256 } from "../../support/bodies.ts"
import { checking } from "../../support/checking.ts"
import { configuration, ramp, tellWork, without } from "./story.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const { roomId, openingThreadId: threadId } = room.rooms.empty
const strict = { fetch: checking(globalThis.fetch), retries: 0 }
const ada = room.client("owner_all", strict)
const grace = room.client("member_all", strict)
const { owner, member } = room.people
const story = await tellWork({ ada, grace, roomId, threadId, repository: room.repositories.public })
const { versionId, experimentId, planId, materialId, producedId, attempts } = story
const attemptIds = Object.fromEntries(
  Object.entries(attempts).map(([name, { reporter }]) => [name, reporter.attemptId]),
) as Record<keyof typeof attempts, string>

// shows: An experiment is a scoped question that may address any number of hypotheses; proposer, assignee and acceptors
//   may differ.
t.test("the experiment reads as it ended", async (t) => {
  const experiment = await grace.read("experiment", { experimentId })
  t.match(experiment, {
    label: "E1",
    roomId,
    threadId,
    status: "completed",
    revision: 8,
    plans: 1,
    scope: "Five seeds an arm.",
    proposer: { userId: member.userId, username: member.username },
    assigneeId: member.userId,
    suggestedProtocol: { summary: "Train both arms.", steps: ["Train."], arms: [] },
    handoff: {
      text: "The rerun is under way; the rest is yours.",
      by: { userId: owner.userId, username: owner.username },
    },
    hypotheses: [{ versionId, label: "H1", kind: "hypothesis", wording: "A ramp lowers the loss.", status: "current" }],
    conclusion: { text: "The gap is 0.07 nats.", by: { userId: member.userId, username: member.username } },
    acceptedPlans: [{ planId, label: "P1", experimentLabel: "E1", acceptedBy: { userId: owner.userId } }],
  })
  t.same(experiment.attempts, {
    total: 5,
    registered: 0,
    preflight_failed: 1,
    started: 1,
    succeeded: 1,
    failed: 1,
    cancelled: 1,
  })
  t.same(experiment.affordances.expected, { expectedRevision: 8, expectedStatus: "completed" })
  const afforded = experiment.affordances.operations.map(({ operation, by, values }) => ({ operation, by, values }))
  t.same(
    afforded,
    [{ operation: "register_attempt", by: "any_member", values: { intent: ["reproduction"] } }],
    "completed work can still be reproduced",
  )

  const listed = (await grace.read("experiments", { roomId, label: "E1" })).items
  const { hypotheses, suggestedProtocol, handoff, conclusion, acceptedPlans, costs, schemaVersion, ...summary } =
    experiment
  t.same(listed, [{ ...summary, hypotheses: [versionId] }], "the list shows the same, without long fields")
})

// shows: An experiment's history holds every revision.
t.test("its history holds every revision, with what was sent", async (t) => {
  const { items } = await grace.read("experiment_history", { experimentId })
  const told = items.map(
    ({ revision, operation, author, status, assigneeId }) =>
      `${revision} ${operation} ${author.username} ${status} ` +
      `${assigneeId === null ? "-" : assigneeId === owner.userId ? "ada" : "grace"}`,
  )
  t.same(told, [
    "1 propose_experiment grace open -",
    "2 amend_experiment grace open -",
    "3 take_experiment ada claimed ada",
    "4 accept_plan ada claimed ada",
    "5 report_experiment_status ada in_progress ada",
    "6 release_experiment ada open -",
    "7 take_experiment grace claimed grace",
    "8 report_experiment_status grace completed grace",
  ])
  t.equal(items[0]?.content.scope, "Here.", "the first proposal stays as it was")
  t.equal(items[1]?.content.scope, "Five seeds an arm.")
  t.same(
    items.map((revision) => revision.planId),
    [null, null, null, planId, null, null, null, null],
  )

  const pages: number[][] = []
  for await (const page of grace.pages("experiment_history", { experimentId, limit: 3 }))
    pages.push(page.items.map(({ revision }) => revision))
  t.same(pages, [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8],
  ])
})

// shows: An accepted plan is immutable, pinned to a commit, and accepted under one's own identity; a suggested protocol
//   is not accepted by itself.
t.test("the proposal and the plan", async (t) => {
  const proposal = await grace.read("proposal", { proposalId: experimentId })
  t.match(proposal, {
    proposalId: experimentId,
    experimentId,
    revision: 8,
    question: "Is the loss lower with a ramp?",
    scope: "Five seeds an arm.",
  })
  const plan = await grace.read("plan", { planId })
  t.match(plan, {
    label: "P1",
    experimentId,
    content: { repository: { url: room.repositories.public.url }, intent: "confirmatory" },
  })
  t.match(plan.hypotheses, [{ versionId, label: "H1" }])
  t.match(plan.premises, [{ versionId, label: "H1", explanation: "It is what is tested." }])
  t.match(plan.requiredMaterials, [
    { material: { materialId, label: "M1", obtainability: "obtainable" }, purpose: "The batches are drawn from it." },
  ])
  const page = await (await fetch(`${room.baseUrl}/experiments/${experimentId}`)).text()
  t.match(page, "The protocol suggested with the proposal")
  t.notMatch(page, "not accepted yet", "a plan has taken its place")
  const { client: _client, ...sent } = plan.content
  t.equal(Object.keys(sent).includes("requestId"), true, "the content is the body as it was accepted")
})

// shows: An attempt is registered before launch with a pinned commit and configuration, under a fresh attemptId.
// shows: Only the registrant delivers an attempt's events, also after releasing the work.
t.test("each attempt shows how it was run and how it ended", async (t) => {
  const listed = (await grace.read("attempts", { experimentId })).items
  t.same(
    listed.map(({ attemptId }) => attemptId),
    Object.values(attemptIds).sort(),
  )
  const byLabel = [...listed].sort((one, other) => (one.label < other.label ? -1 : 1))
  t.same(
    byLabel.map(({ label, intent, status, outcome }) => `${label} ${intent} ${status} ${outcome}`),
    [
      "A1 planned preflight_failed preflight_failed",
      "A2 planned failed failed",
      "A3 rerun succeeded succeeded",
      "A4 exploratory cancelled cancelled",
      "A5 reproduction started unknown",
    ],
  )
  t.same(
    byLabel.map(({ planMatch }) => planMatch?.argvComparedWith ?? null),
    ["no warm-up", "warm-up", "warm-up", null, null],
  )

  const baseline = await grace.read("attempt", { attemptId: attemptIds.baseline })
  t.match(baseline, {
    label: "A1",
    argv: without,
    configuration,
    environment: { accelerator: "one A100" },
    rerunOf: null,
    reproduces: null,
  })
  t.match(baseline.planMatch, {
    planId,
    commitMatchesPlan: true,
    argvMatchesPlan: true,
    argvMatches: false,
    materialsMatchPlan: true,
    deviations: [],
  })
  t.match(baseline.inputs, [{ name: "counts", material: { materialId, label: "M1" } }])
  t.match(baseline.events, [
    { event: "registered", revision: 1, reportedAt: null },
    { event: "preflight_failed", revision: 2, failure: { stage: "checkout", explanation: "The disk was full." } },
  ])
  t.same(baseline.affordances.operations, [], "nothing follows an outcome")

  const rerun = await grace.read("attempt", { attemptId: attemptIds.rerun })
  t.match(rerun, {
    rerunOf: attemptIds.diverged,
    status: "succeeded",
    registrant: { userId: owner.userId },
    argv: ramp,
    revision: 4,
  })
  t.match(
    rerun.events.map(({ event }) => event),
    ["registered", "started", "progress", "succeeded"],
  )
  t.ok(
    rerun.events
      .slice(1)
      .every((event) => event.reportedAt === "2026-11-20T09:30:00.000Z" && event.receivedAt !== event.reportedAt),
    "the two clocks are told apart",
  )
  t.match(rerun.outputs, [
    { outputLabel: "losses.json", digest: sha256("2"), materialId: producedId, sizeBytes: 412 },
    { outputLabel: "weights", digest: sha256("3") },
  ])
  t.match(
    attempts.rerun.reporter.last?.warnings,
    [{ code: "reported_before_registration" }],
    "the registrant reports another time than the server",
  )

  const reproduced = await grace.read("attempt", { attemptId: attemptIds.reproduced })
  t.match(reproduced, {
    reproduces: { attemptId: attemptIds.rerun },
    planId: null,
    planMatch: null,
    outcome: "unknown",
    repository: { commit: room.repositories.public.otherCommit },
  })
  t.match(reproduced.affordances, {
    expected: { expectedRevision: 2, expectedStatus: "started" },
    operations: [
      { by: "registrant", userId: member.userId, values: { event: ["progress", "succeeded", "failed", "cancelled"] } },
    ],
  })
})

// shows: A departure on purpose is declared with intendedDeviation; one that is not is warned of.
t.test("a departure from the plan is recorded, with a warning unless it was declared", async (t) => {
  const diverged = await grace.read("attempt", { attemptId: attemptIds.diverged })
  t.same(diverged.planMatch?.deviations, [{ field: "configuration/peakRate", planned: 0.001, registered: 1 }])
  t.equal(diverged.intendedDeviation, "To see where it breaks.")
  t.same(attempts.diverged.receipt.warnings, [])
  const undeclared = await ada.write(
    "register_attempt",
    {
      attemptId: crypto.randomUUID(),
      experimentId,
      intent: "reproduction",
      reproduces: { attemptId: attemptIds.rerun },
      planId,
      argv: ["python"],
      repository: { url: room.repositories.public.url, commit: room.repositories.public.otherCommit },
      configuration: {},
      inputs: [],
    },
    { rehearse: true },
  )
  t.match(undeclared.warnings, [
    {
      code: "departs_from_plan",
      fields: ["repository/commit", "argv", "inputs", "configuration/note", "configuration/peakRate"],
    },
  ])
})

// shows: Progress repeats metrics and moves nothing.
t.test("metrics: the last value of each, and every point as columns", async (t) => {
  const diverged = await grace.read("attempt", { attemptId: attemptIds.diverged })
  t.match(diverged.metrics, [{ name: "loss", split: "train", unit: "nat", step: 3, value: "NaN" }])
  const { columns, hasMore } = await grace.read("attempt_metrics", { attemptId: attemptIds.diverged })
  t.same(columns.value, [10.8, "Infinity", "-Infinity", "NaN"])
  t.same(columns.step, [0, 1, 2, 3])
  t.same(columns.ordinal, [1, 2, 3, 4])
  t.equal(hasMore, false)

  const rerun = await grace.read("attempt", { attemptId: attemptIds.rerun })
  t.match(rerun.metrics, [
    { name: "loss", step: 2, value: 3.4 },
    { name: "memory", split: null, unit: null, step: null, value: 71 },
  ])
  t.same((await grace.read("attempt_metrics", { attemptId: attemptIds.rerun, metric: "memory" })).columns.ordinal, [3])
  const paged: unknown[] = []
  for (let after = 0, more = true; more; ) {
    const page = await grace.read("attempt_metrics", { attemptId: attemptIds.rerun, limit: 3, after })
    paged.push(page.columns.metric)
    after = page.nextCursor as number
    more = page.hasMore
  }
  t.same(paged, [["loss", "loss", "memory"], ["loss"]], "on all pages, each point once")
})

// shows: Attempts consume and produce materials, plans require them.
t.test("materials list what consumed, produced and required them", async (t) => {
  const counts = await grace.read("material", { materialId })
  t.match(counts, {
    label: "M1",
    digest: sha256("1"),
    materialOriginRoom: roomId,
    labelFromOtherRoom: false,
    obtainability: "obtainable",
  })
  t.match(counts.locations, [
    { uri: "https://data.example.org/counts.json", state: "available", reporter: { username: "ada" } },
  ])
  t.same(
    counts.consumedBy.items.map(({ label, name }) => `${label} ${name}`),
    ["A1 counts", "A2 counts", "A3 counts", "A5 counts"],
  )
  t.match(counts.requiredBy, { total: 1, items: [{ id: planId, label: "P1" }] })
  t.same(counts.producedBy, { total: 0, items: [] })
  const produced = await grace.read("material", { materialId: producedId })
  t.match(produced, {
    obtainability: "unreported",
    locations: [],
    producedBy: { total: 1, items: [{ id: attemptIds.rerun, label: "A3", name: "losses.json" }] },
  })
  t.same(
    (await grace.read("room_materials", { roomId })).items.map(({ label }) => label),
    ["M1", "M2"],
  )
})

t.test("the Thread and the feed show it too, and the assignee is free again", async (t) => {
  const { lastSequence } = await grace.verifyActivity(roomId)
  const kinds: string[] = []
  for await (const { kind } of grace.items("thread_timeline", { threadId, limit: 50 })) kinds.push(kind)
  t.equal(kinds.filter((kind) => kind === "register_attempt").length, 5)
  t.equal(kinds.filter((kind) => kind === "report_attempt_event").length, 9)
  t.ok(lastSequence >= kinds.length)
  t.same(
    (await grace.identity()).assignments.filter((one) => one.experimentId === experimentId),
    [],
  )
})
