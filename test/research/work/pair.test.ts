/**
 * Two agents and the built executable: Ada proposes, takes, plans against the demo's public repository and runs a real
 * computation outside the service; Grace reproduces it from public reads. Then the story is read back over HTTP.
 */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ResearchRoomClient, textOf } from "research-room/client"
import t from "tap"
import { BareRepository } from "../../repositories/bare-repository.ts"
import { endAll, newPlace } from "../../support/program.ts"
import { digestOf, metricsOf, type Run, run, startExecutable } from "./agents.ts"
import { proposal } from "../../support/bodies.ts"
import { refusalOf } from "../../support/lab.ts"
import { checking } from "../../support/checking.ts"
import { Reporter } from "./story.ts"

const { folder, remove } = newPlace()
t.teardown(remove)
t.teardown(endAll)
const intervals = JSON.stringify([10, 100, 1_000, 200_000])
/** A working copy for each agent, as after a checkout. */
for (const name of ["ada", "grace"]) {
  mkdirSync(join(folder, name))
  copyFileSync(join(import.meta.dirname, "integrate.ts"), join(folder, name, "integrate.ts"))
}
const offline = join(folder, "repositories")
const sketchCommit = new BareRepository(join(offline, "git.example.org", "ada", "sketch.git"), {
  format: "sha256",
}).commit("A quick look.")

const demo = await startExecutable(folder, "--repositories", offline)
t.teardown(async () => {
  const code = await demo.end()
  if (code !== 0) throw new Error(`the executable ended with ${code}`)
})
const agent = (name: "owner_all" | "member_all") =>
  new ResearchRoomClient({
    baseUrl: demo.baseUrl,
    token: demo.credentials[name].token,
    fetch: checking(globalThis.fetch),
    client: { name: `${name} of the pair` },
    retries: 0,
  })
const [ada, grace, reader] = [
  agent("owner_all"),
  agent("member_all"),
  new ResearchRoomClient({ baseUrl: demo.baseUrl, fetch: checking(globalThis.fetch), retries: 0 }),
]
const { roomId, openingThreadId: threadId } = demo.rooms.empty
const { url, commit } = demo.repositories.public
const argv = (rule: string) => ["node", "integrate.ts", "--rule", rule, "--intervals", "intervals.json"]

/** Registers an execution, runs it, and reports its events. */
async function execute(
  client: ResearchRoomClient,
  home: string,
  input: Parameters<typeof ada.write<"register_attempt">>[1],
  outputName: string,
): Promise<{ attemptId: string; ran: Run; materialId: string | null }> {
  await client.write("register_attempt", input)
  const reporter = new Reporter(client, input.attemptId)
  const ran = await run(input.argv, join(folder, home))
  await reporter.tell("started", { reportedAt: ran.startedAt })
  const seconds = { name: "seconds", value: ran.seconds, unit: "s" }
  if (ran.exitCode !== 0) {
    await reporter.tell("failed", {
      reportedAt: ran.endedAt,
      exitCode: ran.exitCode,
      metrics: [seconds],
      failure: {
        stage: "integration",
        explanation: /^Error: (.*)$/m.exec(ran.errors)?.[1] ?? ran.errors.slice(0, 500),
      },
    })
    return { attemptId: input.attemptId, ran, materialId: null }
  }
  await reporter.tell("progress", { reportedAt: ran.endedAt, metrics: metricsOf(ran.output) })
  const { result } = await client.write("register_material", {
    roomId,
    threadId,
    reference: ran.digest,
    name: outputName,
    sizeBytes: ran.output.length,
    mediaType: "application/jsonl",
  })
  const outputs = [
    {
      outputLabel: "areas.jsonl",
      digest: ran.digest,
      sizeBytes: ran.output.length,
      mediaType: "application/jsonl",
      materialId: result.materialId,
    },
  ]
  await reporter.tell("succeeded", { reportedAt: ran.endedAt, exitCode: 0, metrics: [seconds], outputs })
  return { attemptId: input.attemptId, ran, materialId: result.materialId }
}

const { result: proposed } = await ada.write("propose_experiment", {
  ...proposal({ roomId, threadId }),
  question: "Is the midpoint rule closer than the trapezoid?",
  suggestedProtocol: { summary: "Integrate by both.", steps: [], arms: [] },
})
const { experimentId } = proposed
const input = await ada.write("register_material", {
  roomId,
  threadId,
  reference: digestOf(intervals),
  name: "Numbers of intervals",
  mediaType: "application/json",
  sizeBytes: intervals.length,
  location: "https://data.example.org/intervals.json",
})
const inputId = input.result.materialId
const inputs = [{ materialId: inputId, name: "intervals.json" }]

const made = await (async () => {
  writeFileSync(join(folder, "ada", "intervals.json"), intervals)
  await ada.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const { result: plan } = await ada.write("accept_plan", {
    experimentId,
    expectedRevision: 2,
    expectedStatus: "claimed",
    repository: { url, commit },
    hypotheses: [],
    premises: [],
    intent: "confirmatory",
    requiredMaterials: [{ materialId: inputId, purpose: "For these numbers of intervals." }],
    protocol: {
      summary: "Both rules, the same intervals.",
      steps: ["Check out the commit.", "Run both."],
      arms: ["midpoint", "trapezoid"].map((rule) => ({ name: rule, argv: argv(rule) })),
      configuration: { f: "4 / (1 + x^2)" },
    },
  })
  await ada.write("report_experiment_status", {
    experimentId,
    expectedRevision: 3,
    expectedStatus: "claimed",
    status: "in_progress",
  })
  const held = {
    experimentId,
    expectedRevision: 4,
    expectedStatus: "in_progress" as const,
    repository: { url, commit },
    configuration: { f: "4 / (1 + x^2)" },
    inputs,
    environment: { node: process.version },
  }
  const planned = (rule: string) =>
    execute(
      ada,
      "ada",
      { attemptId: crypto.randomUUID(), intent: "planned", planId: plan.planId, argv: argv(rule), ...held },
      `Areas by the ${rule} rule`,
    )
  const midpoint = await planned("midpoint")
  const trapezoid = await planned("trapezoid")
  const mistyped = await execute(
    ada,
    "ada",
    {
      attemptId: crypto.randomUUID(),
      intent: "exploratory",
      argv: argv("simpson"),
      ...held,
      repository: { url: "https://git.example.org/ada/sketch", commit: sketchCommit },
    },
    "Nothing",
  )
  await ada.write("report_experiment_status", {
    experimentId,
    expectedRevision: 4,
    expectedStatus: "in_progress",
    status: "completed",
    summary: "The midpoint rule is twice as close.",
  })
  return { planId: plan.planId, midpoint, trapezoid, mistyped }
})()

t.test("Grace finds what to reproduce by reading, runs it, and gets the same bytes", async (t) => {
  const { items } = await reader.read("attempts", { experimentId, status: "succeeded" })
  const found = items.find(({ planMatch }) => planMatch?.argvComparedWith === "midpoint")
  const original = await reader.read("attempt", { attemptId: found?.attemptId as string })
  const material = await reader.read("material", { materialId: original.inputs[0]?.material?.materialId as string })
  writeFileSync(join(folder, "grace", "intervals.json"), intervals)
  t.equal(material.digest, digestOf(intervals), "the input she fetched elsewhere is the right one")
  const { repository, configuration } = original
  const body = {
    attemptId: crypto.randomUUID(),
    experimentId,
    intent: "reproduction" as const,
    reproduces: { attemptId: original.attemptId },
    planId: original.planId as string,
    repository,
    configuration,
    argv: original.argv.map((each) => textOf(each)),
    inputs,
    environment: { node: process.version },
  }
  const reproduced = await execute(grace, "grace", body, "My areas by the midpoint rule")
  t.equal(reproduced.ran.digest, original.outputs[0]?.digest, "the same bytes came out")
  t.equal(reproduced.materialId, made.midpoint.materialId, "so it is the same material")
  t.ok(reproduced.ran.seconds > 0)

  const read = await reader.read("attempt", { attemptId: reproduced.attemptId })
  t.match(read, {
    intent: "reproduction",
    status: "succeeded",
    registrant: { username: "grace" },
    reproduces: { attemptId: original.attemptId },
  })
  t.match(read.planMatch, {
    planId: made.planId,
    commitMatchesPlan: true,
    argvMatchesPlan: true,
    argvComparedWith: "midpoint",
    argvMatches: false,
    materialsMatchPlan: true,
    deviations: [],
  })
  t.match((await reader.read("material", { materialId: made.midpoint.materialId as string })).producedBy, {
    total: 2,
    items: [
      { id: made.midpoint.attemptId, label: "A1" },
      { id: reproduced.attemptId, label: "A4" },
    ],
  })
  t.match(await reader.read("material", { materialId: inputId }), {
    obtainability: "obtainable",
    consumedBy: { total: 4 },
    requiredBy: { total: 1, items: [{ label: "P1" }] },
  })
})

// shows: An experiment is a scoped question that may address any number of hypotheses; proposer, assignee and acceptors
//   may differ.
t.test("the story reads as it happened", async (t) => {
  const experiment = await reader.read("experiment", { experimentId })
  t.match(experiment, {
    status: "completed",
    conclusion: { text: "The midpoint rule is twice as close." },
    plans: 1,
    attempts: { total: 4, succeeded: 3, failed: 1 },
  })
  t.match((await reader.read("plan", { planId: made.planId })).content, {
    repository: { url, commit },
    protocol: { arms: [{ name: "midpoint" }, { name: "trapezoid" }] },
  })
  const history = await reader.read("experiment_history", { experimentId })
  t.same(
    history.items.map(({ operation }) => operation),
    ["propose_experiment", "take_experiment", "accept_plan", "report_experiment_status", "report_experiment_status"],
  )

  const errors = async ({ attemptId }: { attemptId: string }) => {
    const { columns } = await reader.read("attempt_metrics", { attemptId, metric: "error" })
    t.same(columns.step, [10, 100, 1_000, 200_000])
    return columns.value as number[]
  }
  const [midpoint, trapezoid] = [await errors(made.midpoint), await errors(made.trapezoid)]
  t.ok(
    midpoint.slice(0, 3).every((error, index) => error < (trapezoid[index] as number)),
    "and the measured numbers confirm it",
  )
  const { metrics, events } = await reader.read("attempt", { attemptId: made.midpoint.attemptId })
  t.match(
    metrics.map(({ name }) => name),
    ["error", "seconds"],
  )
  t.equal(metrics[1]?.value, made.midpoint.ran.seconds, "the time it took, to the last digit")
  t.match(
    events.map(({ event }) => event),
    ["registered", "started", "progress", "succeeded"],
  )
  t.equal(events[1]?.reportedAt, made.midpoint.ran.startedAt)
})

t.test("a failed run reads as failed, from a repository in the offline folder", async (t) => {
  const failed = await reader.read("attempt", { attemptId: made.mistyped.attemptId })
  t.match(failed, {
    status: "failed",
    outcome: "failed",
    label: "A3",
    repository: { commit: sketchCommit },
    outputs: [],
  })
  t.match(failed.events.at(-1), {
    exitCode: 1,
    failure: { stage: "integration", explanation: "there is no rule simpson" },
  })
  t.equal(sketchCommit.length, 64, "its commits have SHA-256 ids")
})

// shows: A repository that is not public, or a commit that does not resolve, is 422, whatever a token could read.
t.test("work against a repository that is not public is refused", async (t) => {
  const { attemptId } = made.midpoint
  const body = {
    attemptId: crypto.randomUUID(),
    experimentId,
    intent: "reproduction" as const,
    reproduces: { attemptId },
    argv: ["node"],
    configuration: {},
    inputs: [],
  }
  const hidden = await refusalOf(grace.write("register_attempt", { ...body, repository: demo.repositories.private }))
  t.match(hidden, { status: 422, refusal: "repository_unavailable", issues: [{ path: "/repository" }] })
  const { lastSequence, entries } = await reader.verifyActivity(roomId)
  t.equal(entries, lastSequence, "the chain of the whole feed is valid")
})
